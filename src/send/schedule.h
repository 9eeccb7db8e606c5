#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "model/series_source.h"
#include "send/window.h"

namespace laggard::send {

/// Milliseconds [from, to) to read and send next.
struct Stretch {
  std::int64_t from_ms = 0;
  std::int64_t to_ms = 0;
};

/// Walks a recording in stretches of time of about kWindowSamples, half an hour at most, past what was sent
/// and past gaps.
class Schedule {
 public:
  /// \param sent_until  the last millisecond of a stream that needs nothing more.
  Schedule(const Inventory& inventory,
           const std::function<std::optional<std::int64_t>(const StreamKey&)>& sent_until);

  /// Nothing when all streams are at their ends.
  [[nodiscard]] std::optional<Stretch> next() const;
  /// How many samples a stretch held; the next one follows it.
  void was(const Stretch& stretch, std::uint64_t samples);

  /// What part of all time lies before `ms`.
  [[nodiscard]] double done(std::int64_t ms) const;
  /// The last millisecond of each stream.
  [[nodiscard]] const std::map<StreamKey, std::int64_t>& ends() const { return ends_; }

 private:
  struct Pending {
    StreamKey stream;
    std::int64_t next_ms = 0;
    std::int64_t last_ms = 0;
  };
  struct Hole {
    std::int64_t from_ms = 0;
    std::int64_t to_ms = 0;
  };

  /// `ms`, or the end of the host's gap that it lies in.
  [[nodiscard]] std::int64_t past_gap(const std::string& host, std::int64_t ms) const;

  std::vector<Pending> pending_;
  std::map<StreamKey, std::int64_t> ends_;
  std::map<std::string, std::vector<Hole>> holes_;
  std::int64_t cursor_ms_ = 0;
  std::int64_t begin_ms_ = 0;
  std::int64_t end_ms_ = 0;
  std::int64_t length_ms_ = 0;
};

}  // namespace laggard::send
