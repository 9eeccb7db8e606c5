#include "model/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/node_set.h"

namespace laggard {

namespace {

bool any_makes_sick(std::span<const Incident> incidents) {
  return std::ranges::any_of(incidents, makes_sick);
}

std::string in_words(Duration time) {
  return to_text(std::chrono::duration_cast<std::chrono::seconds>(time));
}

/// Of windows that were too few or too long for what was recorded.
std::string too_short(const Judged& judged, std::string_view preset) {
  const std::string_view remedy = preset == "quick" ? "record for longer" : "--preset quick has shorter ones";
  if (judged.windows == 0) {
    return fmt::format("no window of {} is complete in {} of recording; {}", in_words(judged.window),
                       in_words(judged.recorded), remedy);
  }
  return fmt::format(
      "{} of {} fit{} into {} of recording, and a verdict takes {}; {}",
      judged.windows == 1 ? std::string("one window") : fmt::format("{} windows", judged.windows),
      in_words(judged.window), judged.windows == 1 ? "s" : "", in_words(judged.recorded), judged.needed,
      remedy);
}

}  // namespace

std::string_view to_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSick:
      return "sick";
    case Outcome::kWell:
      return "well";
    case Outcome::kNotJudged:
      return "not_judged";
  }
  return "";
}

bool makes_sick(const Incident& incident) {
  return incident.state == IncidentState::kConfirmed && !is_accounted_for(incident);
}

std::string why_not_judged(const Diagnosis& diagnosis) {
  const Judged& judged = diagnosis.coverage.judged;
  if (judged.components.there == 0) return "nothing was recorded that could be compared";
  if (judged.groups.there == 0) return "no peer group has three members";
  if (diagnosis.coverage.metrics.empty()) return "no metric is known of what was recorded";
  if (judged.windows < judged.needed) return too_short(judged, diagnosis.preset);
  if (judged.compared == 0 && judged.idle == 0) return "no three peers were recorded at the same time";
  if (judged.components.judged == 0 && judged.idle > 0) return "nobody did anything";
  if (!judged.enough()) {
    const std::string part =
        judged.components.judged == 0 ? "none" : fmt::format("only {}", judged.components.judged);
    return fmt::format("{} of {} components could be compared for half of the time and more", part,
                       judged.components.there - judged.idle);
  }
  if (const std::vector<std::string>& apart = diagnosis.coverage.clocks.left_out; !apart.empty()) {
    return fmt::format("{} {} recorded at another time than {} peers, or by another clock",
                       fold_node_set(apart), apart.size() == 1 ? "was" : "were",
                       apart.size() == 1 ? "its" : "their");
  }
  const std::size_t damaged = diagnosis.coverage.damaged.size();
  if (damaged == 0) return "";
  return fmt::format("{} of the recording {} damaged",
                     damaged == 1 ? std::string("1 file") : fmt::format("{} files", damaged),
                     damaged == 1 ? "is" : "are");
}

Outcome outcome_of(const Diagnosis& diagnosis) {
  if (any_makes_sick(diagnosis.incidents)) return Outcome::kSick;
  return why_not_judged(diagnosis).empty() ? Outcome::kWell : Outcome::kNotJudged;
}

Outcome outcome_now(std::span<const Incident> open, const Judged& judged) {
  if (any_makes_sick(open)) return Outcome::kSick;
  return judged.enough_lately() ? Outcome::kWell : Outcome::kNotJudged;
}

}  // namespace laggard
