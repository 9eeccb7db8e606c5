#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cmd/analysis_setup.h"
#include "engine/judged_run_codec.h"
#include "engine/pipeline.h"

namespace laggard::cmd {

/// The pipeline options that all shards of a recording are judged with.
[[nodiscard]] engine::PipelineOptions judging_options(const AnalysisSetup& setup);

/// What a log of this recording's windows looks like.
[[nodiscard]] engine::RunShape run_shape(const AnalysisSetup& setup);

/// How far before a shard its recording is read: as far as its windows look back, and further when that was
/// not enough (Pipeline::needs_earlier).
class LookBack {
 public:
  explicit LookBack(const AnalysisSetup& setup);

  /// Shard::read_from.
  [[nodiscard]] std::optional<WallTime> read_from(const AnalysisSetup& setup,
                                                  const engine::Shard& shard) const;
  void further();

 private:
  std::int64_t cells_;
};

/// Cuts what is left of the recording, the cells after `after`, into shards of about the same length for so
/// many to share, in order: at most a day each, and not so short that more would be read for them than
/// judged.
[[nodiscard]] std::vector<engine::Shard> plan_shards(const AnalysisSetup& setup, std::int64_t after,
                                                     std::size_t sharers);

/// Reads as much of the recording as it takes and judges the shard of it.
/// \param shard    of which `read_from` is found here.
/// \param enough  asked now and then: whether to stop in the middle.
[[nodiscard]] Status judge_shard(AnalysisSetup& setup, engine::Shard shard,
                                 const engine::Pipeline::RunSink& sink, const std::function<bool()>& enough);

}  // namespace laggard::cmd
