#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analyse/judge/pipeline.h"
#include "analyse/judge/tape_codec.h"
#include "base/error.h"
#include "cmd/analysis_setup.h"
#include "cmd/fingerprint.h"
#include "cmd/ranks.h"

namespace laggard::cmd {

/// Rank 0's end of the work that ranks share: parts of a recording (plan_parts), each of which a rank judges
/// and sends as tapes. Part p is rank p mod count's, so that all are at work at the same time and what comes
/// of it is taken in the order of parts, as if there were one rank.
class Crew {
 public:
  explicit Crew(Ranks& ranks) : ranks_(ranks) {}
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() { dismiss(); }

  [[nodiscard]] bool alone() const { return ranks_.count() == 1; }
  /// Sends home who still waits or works; there is nothing to be had from them afterwards.
  void dismiss();

  /// Hears from all ranks; fails when one of them cannot work, or sees another recording than this one does.
  [[nodiscard]] Status muster(const Fingerprint& own);

  /// Judges all cells after `after` and hands them out run by run, in order. An error of `sink` ends it.
  using Sink = std::function<Status(analyse::JudgedRun&)>;
  [[nodiscard]] Status judge(AnalysisSetup& setup, std::int64_t after, const Sink& sink);
  /// What the other ranks found damaged in the parts so far.
  [[nodiscard]] const std::vector<std::string>& notices() const { return notices_; }

 private:
  enum class Stage : std::uint8_t { kUnheard, kWaiting, kWorking, kHome };

  [[nodiscard]] Status take_part(std::size_t rank, const analyse::TapeShape& shape, const Sink& sink);
  [[nodiscard]] Status judge_own(AnalysisSetup& setup, const analyse::Part& part, const Sink& sink);

  Ranks& ranks_;
  bool dismissed_ = false;
  std::vector<std::string> notices_;
  std::vector<Stage> stages_ = std::vector<Stage>(ranks_.count(), Stage::kUnheard);
};

/// The other ranks' end: does what rank 0 says until it is sent home. Silent; errors go to rank 0.
void work_for_rank_0(Ranks& ranks, const AnalysisOptions& options, Result<AnalysisSetup>& setup);

}  // namespace laggard::cmd
