#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/time.h"
#include "model/counter.h"
#include "model/sample_table.h"

/// Recorded samples to time-series servers: the archive is the queue, what leaves is remembered.

namespace laggard::send {

/// As servers keep it: times are whole milliseconds, values doubles.
struct Sample {
  std::int64_t ms = 0;
  double value = 0;
  bool operator==(const Sample&) const = default;
};

/// Names and values, sorted by name.
using Labels = std::vector<std::pair<std::string, std::string>>;

struct Series {
  Labels labels;
  std::vector<Sample> samples;  ///< In order of time, one a millisecond.
};

/// What recorders append to in order of time, and so what a position can be of.
struct StreamKey {
  std::string host;
  DeviceKind kind = DeviceKind::kDisk;
  auto operator<=>(const StreamKey&) const = default;
};

/// The millisecond that a time falls into, which is all that servers keep of it.
[[nodiscard]] std::int64_t to_ms(WallTime time);

/// The samples of a stretch of time, table by table, as the series of a server.
///
/// Names are those of model/exporter_names.h, with the labels `instance` (the host), `device` and those
/// given. Of two samples of a series in one millisecond the one that was recorded later counts. NaN and
/// infinities are missing samples, as imports read them, and are not sent.
class Window {
 public:
  /// \param labels  that every series gets.
  explicit Window(Labels labels) : labels_(std::move(labels)) {}

  /// Takes the rows of `table` that are later than `after_ms`.
  void add(const SampleTable& table, std::optional<std::int64_t> after_ms);
  /// Brings the samples into order; before this is called they are not.
  void sort();

  [[nodiscard]] const std::map<StreamKey, std::vector<Series>>& streams() const { return streams_; }
  [[nodiscard]] std::size_t samples() const { return samples_; }
  /// Whole numbers of 2^53 and more, whose last digits no double has.
  [[nodiscard]] std::uint64_t rounded() const { return rounded_; }

 private:
  using SeriesKey = std::tuple<std::string, std::string, CounterForm>;  ///< Device, counter, form.

  void append(const SampleTable& table, std::pair<std::size_t, std::size_t> counter_and_device,
              const std::vector<Sample>& samples);
  Series& series_of(const SampleTable& table, std::size_t counter, std::size_t device);

  Labels labels_;
  std::map<StreamKey, std::vector<Series>> streams_;
  std::map<StreamKey, std::map<SeriesKey, std::size_t>> index_;
  std::size_t samples_ = 0;
  std::uint64_t rounded_ = 0;
};

}  // namespace laggard::send
