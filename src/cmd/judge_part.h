#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "analyse/judge/part.h"
#include "analyse/judge/pipeline.h"
#include "analyse/judge/tape_codec.h"
#include "base/error.h"
#include "cmd/analysis_setup.h"

namespace laggard::cmd {

/// The pipeline options that all parts of a recording are judged with.
[[nodiscard]] analyse::PipelineOptions judging_options(const AnalysisSetup& setup);

/// What a tape of this recording's windows looks like.
[[nodiscard]] analyse::TapeShape tape_shape(const AnalysisSetup& setup);

/// Cuts what is left of the recording, the cells after `after`, into parts of about the same length for so
/// many to share, in order: at most a day each, and not so short that more would be read for them than
/// judged.
[[nodiscard]] std::vector<analyse::Part> plan_parts(const AnalysisSetup& setup, std::int64_t after,
                                                    std::size_t sharers);

/// Reads as much of the recording as it takes and judges the part of it.
/// \param part    of which `read_from` is found here.
/// \param enough  asked now and then: whether to stop in the middle.
[[nodiscard]] Status judge_part(AnalysisSetup& setup, analyse::Part part,
                                const analyse::Pipeline::RunSink& sink, const std::function<bool()>& enough);

}  // namespace laggard::cmd
