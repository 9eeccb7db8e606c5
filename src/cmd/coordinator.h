#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cmd/analysis_setup.h"
#include "cmd/fingerprint.h"
#include "cmd/ranks.h"
#include "engine/judged_run_codec.h"
#include "engine/pipeline.h"

namespace laggard::cmd {

/// Rank 0's end of the work that ranks share: shards of a recording (plan_shards), each of which a rank
/// judges and sends as logs. Shard p is rank p mod count's, so that all are at work at the same time and
/// what comes of it is taken in the order of shards, as if there were one rank.
class Coordinator {
 public:
  explicit Coordinator(Ranks& ranks) : ranks_(ranks) {}
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;
  ~Coordinator() { stop(); }

  [[nodiscard]] bool alone() const { return ranks_.count() == 1; }
  /// Stops whoever still waits or works; there is nothing to be had from them afterwards.
  void stop();

  /// Hears from all ranks; fails when one of them cannot work, or sees another recording than this one does.
  [[nodiscard]] Status start(const Fingerprint& own);

  /// Judges all cells after `after` and hands them out run by run, in order. An error of `sink` ends it.
  using Sink = std::function<Status(detect::JudgedRun&)>;
  [[nodiscard]] Status judge(AnalysisSetup& setup, std::int64_t after, const Sink& sink);
  /// What the other ranks found damaged in the shards so far.
  [[nodiscard]] const std::vector<std::string>& notices() const { return notices_; }
  /// The files that other ranks found damaged.
  [[nodiscard]] const std::vector<std::string>& damaged() const { return damaged_; }

 private:
  enum class Stage : std::uint8_t { kUnheard, kWaiting, kWorking, kStopped };

  [[nodiscard]] Status take_shard(std::size_t rank, const engine::RunShape& shape, const Sink& sink);
  [[nodiscard]] Status judge_own(AnalysisSetup& setup, const engine::Shard& shard, const Sink& sink);

  Ranks& ranks_;
  bool stopped_ = false;
  std::vector<std::string> notices_;
  std::vector<std::string> damaged_;
  std::vector<Stage> stages_ = std::vector<Stage>(ranks_.count(), Stage::kUnheard);
};

/// The other ranks' end: does what rank 0 says until it is stopped. Silent; errors go to rank 0.
void work_for_coordinator(Ranks& ranks, const AnalysisOptions& options, Result<AnalysisSetup>& setup);

}  // namespace laggard::cmd
