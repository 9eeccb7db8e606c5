#include "lab/score/production_score.h"

#include <algorithm>
#include <set>
#include <utility>

namespace laggard::lab {

namespace {

using production::ProductionIncident;
using production::Trouble;

using Key = std::pair<PartKind, std::string>;
Key key_of(const Part& part) { return {part.kind, part.name}; }

/// An incident of the truth, by the names of the parts.
class SickParts {
 public:
  SickParts(const ProductionIncident& incident, WallTime begin)
      : incident_(&incident),
        from_(begin + std::chrono::seconds(incident.start)),
        to_(begin + std::chrono::seconds(incident.stop)) {
    for (const Trouble& trouble : incident.troubles) {
      sick_.insert(key_of(trouble.part));
      for (const Part& part : trouble.alike) sick_.insert(key_of(part));
    }
    concerned_ = sick_;
    for (const Part& part : incident.consequences) concerned_.insert(key_of(part));
  }

  [[nodiscard]] const ProductionIncident& incident() const { return *incident_; }
  [[nodiscard]] WallTime from() const { return from_; }
  [[nodiscard]] bool is_then(const Alarm& alarm) const {
    return alarm.told >= from_ && alarm.told <= to_ + kGrace;
  }
  [[nodiscard]] bool is_sick(const Part& part) const { return sick_.contains(key_of(part)); }
  [[nodiscard]] bool concerns(const Part& part) const { return concerned_.contains(key_of(part)); }

 private:
  const ProductionIncident* incident_;
  WallTime from_;
  WallTime to_;
  std::set<Key> sick_;
  std::set<Key> concerned_;
};

bool names(const Alarm& alarm, const Part& part) {
  return key_of(alarm.blame) == key_of(part) ||
         std::ranges::find(alarm.parts, part.name) != alarm.parts.end();
}

/// What was told of one part of the truth.
struct Named {
  bool exact = false;
  bool at_all = false;
};

Named named(const Trouble& trouble, std::span<const Alarm* const> alarms) {
  Named result;
  for (const Alarm* alarm : alarms) {
    result.exact = result.exact || names(*alarm, trouble.part);
    result.at_all = result.at_all ||
                    std::ranges::any_of(trouble.alike, [&](const Part& part) { return names(*alarm, part); });
  }
  result.at_all = result.at_all || result.exact;
  return result;
}

/// What was told first of a right part, what was confirmed before what was not; null where nothing was.
const Alarm* first_right(const SickParts& truth, std::span<const Alarm* const> alarms) {
  const auto rank = [](const Alarm& alarm) { return std::pair(!alarm.confirmed, alarm.told); };
  const Alarm* first = nullptr;
  for (const Alarm* alarm : alarms) {
    if (truth.is_sick(alarm->blame) && (first == nullptr || rank(*alarm) < rank(*first))) first = alarm;
  }
  return first;
}

/// How many of the parts that are sick by themselves are told of, and whether that is most of them.
void score_places(const ProductionIncident& incident, std::span<const Alarm* const> alarms,
                  IssueScore& score) {
  std::size_t exact = 0;
  std::size_t at_all = 0;
  for (const Trouble& trouble : incident.troubles) {
    const Named result = named(trouble, alarms);
    exact += result.exact ? 1U : 0U;
    at_all += result.at_all ? 1U : 0U;
  }
  const auto most = [&](std::size_t count) { return 4 * count >= 3 * incident.troubles.size(); };
  score.localized = most(at_all);
  score.exact = most(exact);
}

IssueScore score_issue(const SickParts& truth, std::span<const Alarm* const> alarms) {
  const ProductionIncident& incident = truth.incident();
  IssueScore score{.kind = incident.kind, .truth = incident.troubles.front().part.name, .said = {}};
  score_places(incident, alarms, score);
  for (const Alarm* alarm : alarms) {
    if (score.said.find(alarm->blame.name) == std::string::npos) {
      score.said += (score.said.empty() ? "" : " ") + alarm->blame.name;
    }
    if (alarm->confirmed) ++score.alarms;
    if (!truth.is_sick(alarm->blame)) continue;
    score.of_interest = score.of_interest || is_of_interest(*alarm);
    const auto earlier = [&](std::optional<Duration>& best, WallTime at) {
      const Duration after = at - truth.from();
      best = std::min(best.value_or(after), after);
    };
    earlier(score.told, alarm->told);
    if (alarm->confirmed) earlier(score.confirmed, *alarm->confirmed);
  }
  if (const Alarm* first = first_right(truth, alarms)) {
    score.mode = first->mode;
    if (first->mode && first->mode_since) score.mode_told = *first->mode_since - truth.from();
  }
  return score;
}

void add_confidences(const Alarm& alarm, bool right, std::vector<ConfidenceScore>& confidences) {
  if (alarm.first_confidence) {
    confidences.push_back({*alarm.first_confidence, ConfidenceStage::kFirst, right});
  }
  if (alarm.confidence) {
    const auto stage = alarm.confirmed ? ConfidenceStage::kConfirmed : ConfidenceStage::kSuspected;
    confidences.push_back({*alarm.confidence, stage, right});
  }
}

}  // namespace

bool is_of_interest(const Alarm& alarm) {
  constexpr Duration kOverload = std::chrono::minutes(30);
  if (!alarm.confirmed) return false;
  return alarm.mode != FailureMode::kOverload || alarm.until - alarm.since.value_or(alarm.told) >= kOverload;
}

StretchScore score_stretch(const production::Stretch& stretch, std::span<const Alarm> alarms) {
  std::vector<SickParts> truths;
  for (const ProductionIncident& incident : stretch.incidents) truths.emplace_back(incident, stretch.begin);
  std::stable_partition(truths.begin(), truths.end(),
                        [](const SickParts& truth) { return !truth.incident().transient; });
  StretchScore score;
  std::vector<const Alarm*> of_issue;
  for (const Alarm& alarm : alarms) {
    const auto truth = std::ranges::find_if(
        truths, [&](const SickParts& each) { return each.is_then(alarm) && each.concerns(alarm.blame); });
    const bool is_known = truth != truths.end();
    if (is_of_interest(alarm)) ++score.alarms_of_interest;
    add_confidences(alarm, is_known, score.confidences);
    if (is_known && !truth->incident().transient) {
      of_issue.push_back(&alarm);
    } else if (is_known) {
      if (alarm.confirmed) ++score.transient_alarms;
    } else if (alarm.confirmed) {
      ++score.false_alarms;
      score.false_parts.push_back(alarm.blame.name);
    }
  }
  if (!truths.empty() && !truths.front().incident().transient) {
    score.issue = score_issue(truths.front(), of_issue);
  }
  return score;
}

}  // namespace laggard::lab
