#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "model/diagnosis.h"

namespace laggard {

/// What a diagnosis comes to. Silence is not health: who was not judged is not well.
enum class Outcome : std::uint8_t {
  kSick,       ///< An incident is confirmed, and neither explained nor excluded.
  kWell,       ///< None is, and enough was judged to say so; what is merely suspected is said apart.
  kNotJudged,  ///< None is, and too little was judged to call anything well.
};
[[nodiscard]] std::string_view to_name(Outcome outcome);  // sick, well, not_judged

/// Whether a diagnosis is sick by it: confirmed, and not accounted for.
[[nodiscard]] bool makes_sick(const Incident& incident);

/// Text, page, JSON, exit status and monitors all take it from here.
[[nodiscard]] Outcome outcome_of(const Diagnosis& diagnosis);

/// The same while a diagnosis goes on: by the incidents that are open now, and by who was judged in the
/// newest windows.
[[nodiscard]] Outcome outcome_now(std::span<const Incident> open, const Judged& judged);

/// Why too little was judged, one clause without a full stop: `no peer group has three members`. Empty when
/// enough was.
[[nodiscard]] std::string why_not_judged(const Diagnosis& diagnosis);

}  // namespace laggard
