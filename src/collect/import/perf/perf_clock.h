#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/time.h"
#include "collect/import/perf/perf_capture.h"

namespace laggard::collect {

/// Tells when samples were whose times are seconds since boot. In this order: by the time of a host's first
/// sample, as the user says; as they are, when they are so large that perf was told to use the wall clock
/// (perf record -k CLOCK_REALTIME); or by the header, which says when perf stopped to write and, of the newer
/// versions, which sample was the last.
class PerfClock {
 public:
  struct Options {
    std::optional<WallTime> start;  ///< Of a host's first sample.
    std::optional<Duration> zone;   ///< Of the header; nothing: UTC.
  };
  /// What had to be assumed.
  enum class Assumed { kNothing, kZone, kFirstSample };

  explicit PerfClock(Options options) : options_(options) {}

  /// For each text, at its first sample. Fails where nothing says when that was.
  [[nodiscard]] Status set(const std::string& host, Duration first, const PerfCapture& capture);
  [[nodiscard]] WallTime wall(Duration moment) const { return WallTime{moment + offset_}; }
  [[nodiscard]] Assumed assumed() const { return assumed_; }

 private:
  Options options_;
  std::map<std::string, Duration> started_;  ///< Offsets of hosts, of which the user told the start.
  Duration offset_{};
  Assumed assumed_ = Assumed::kNothing;
};

}  // namespace laggard::collect
