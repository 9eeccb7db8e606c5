#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/time.h"
#include "collect/import/line_import.h"
#include "model/observation_source.h"
#include "model/profile.h"

namespace laggard::collect {

/// What importers of profiles have in common: they read files line by line as importers of events do, and add
/// up what they find by host, kind and period. In the result `values` are samples.
///
/// Periods wait until enough is gathered, so that samples may come in any order; of each host and kind the
/// newest period waits longest. A file whose times go back and forth by more than what waits makes several
/// periods of one beginning, whose counts are to be added.
class ProfileImport final : public LineImport {
 public:
  /// What to count in which period.
  struct Count {
    std::string_view kind;
    WallTime start;
    Duration length{};
    std::string_view word;  ///< At most Dictionary::kLongestWord bytes.
    std::uint64_t count = 1;
    Duration each{};  ///< CPU time that one of them stands for; zero: unknown.
  };

  ProfileImport(ObservationSink& sink, ImportObserver& observer, const UnpackLimits& limits)
      : LineImport(observer, limits, LineReader::Overlong::kCut), sink_(sink) {}

  [[nodiscard]] Status put(std::string_view host, const Count& count);
  /// Counts a sample of which `put` has been told everything.
  void count_sample(std::string_view host, WallTime time) { count_value(host, time); }

 private:
  /// Estimated bytes of words that are gathered. They fit into one table, even if all are of one.
  static constexpr std::size_t kMostWaiting = std::size_t{1} << 23U;

  struct Period {
    Duration length{};
    std::map<std::string, std::uint64_t, std::less<>> counts;
    double samples = 0;
    double cpu_ns = 0;          ///< That the samples stand for together.
    bool is_time_known = true;  ///< Of all samples.
  };
  using Periods = std::map<WallTime, Period>;
  using HostKind = std::pair<std::string, std::string>;

  [[nodiscard]] Status flush() override;
  [[nodiscard]] Status flush_all_but_newest();
  [[nodiscard]] Status append(const HostKind& whose, Periods::iterator first, Periods::iterator end);

  ObservationSink& sink_;
  std::map<HostKind, Periods> waiting_;
  std::size_t bytes_ = 0;
};

}  // namespace laggard::collect
