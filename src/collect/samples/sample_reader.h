#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/time.h"
#include "collect/samples/perf_record.h"
#include "collect/samples/sample_counts.h"
#include "collect/samples/symbolizer.h"
#include "model/profile.h"

namespace laggard::collect {

/// Makes the kernel's records into counts of functions, or of stacks of them. Idle processors are left out.
class SampleReader {
 public:
  struct Options {
    Duration period{};  ///< Of profiles.
    Duration each{};    ///< What one sample stands for.
    bool has_chains = false;
    std::filesystem::path root = "/";  ///< Where /proc is.
    Symbolizer::Say say = {};
  };
  /// What records told since they were asked for last.
  struct Losses {
    std::uint64_t no_room = 0;    ///< Records.
    std::uint64_t throttled = 0;  ///< Times.
  };

  explicit SampleReader(Options options)
      : has_chains_(options.has_chains),
        symbolizer_(std::move(options.root), std::move(options.say)),
        counts_(options.period, options.each) {}

  /// \param words  records as they came from the rings. \param now, wall  the two clocks.
  void read(PerfWords words, MonoTime now, WallTime wall, ProfileTable& profile);
  /// Hands over what there is.
  void finish(WallTime wall, ProfileTable& profile) { counts_.finish(wall, profile); }

  [[nodiscard]] Losses take_losses() { return std::exchange(losses_, {}); }
  [[nodiscard]] std::uint64_t samples() const { return samples_; }
  [[nodiscard]] std::uint64_t idle() const { return idle_; }

 private:
  void take(const PerfRecord& record, MonoTime now);
  void count(const PerfSample& sample, MonoTime now);
  void count_stack(std::string_view program, const PerfSample& sample, MonoTime now);
  [[nodiscard]] std::string_view program_of(const PerfSample& sample, MonoTime now);

  bool has_chains_;
  Symbolizer symbolizer_;
  SampleCounts counts_;
  Losses losses_;
  std::uint64_t samples_ = 0;  ///< Of processors that were not idle.
  std::uint64_t idle_ = 0;
  std::optional<MonoTime> looked_for_modules_;
};

}  // namespace laggard::collect
