#pragma once

#include <string>
#include <string_view>

#include "model/incident.h"

namespace laggard::report {

/// The incident's evidence in one sentence that a person would say: `s2/loop22 takes 1.04 s per request where
/// its 8 peers take 111 ms`.
///
/// It is about the strongest piece of evidence; before that comes who moves nothing, then what differs in
/// level, and then what is about the resource at fault. `; 35 others likewise` counts the other components of
/// the incident with the same of the same test. What differs in distribution but not in level is said to; so
/// is a level of which there is no data. Empty without evidence.
[[nodiscard]] std::string spoken_evidence(const Incident& incident);

/// The test of evidence that is of one second: levels over windows say nothing of it.
inline constexpr std::string_view kDeviation = "deviation";

/// Whether a reader sees a difference between the component's level and its peers': both are known, a tenth
/// apart, and not written alike.
[[nodiscard]] bool differs_in_level(const Evidence& evidence);

/// What a distance of this test is: `cdf: steps of the peers' usual spread between …`; empty for a test that
/// says it otherwise.
[[nodiscard]] std::string_view meaning_of_distance(std::string_view detector);

}  // namespace laggard::report
