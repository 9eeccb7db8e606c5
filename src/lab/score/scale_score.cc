#include "lab/score/scale_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lab/json_fields.h"

namespace laggard::lab {

namespace {

constexpr std::string_view kSchema = "laggard.diagnosis/1";

template <class Enum, std::size_t N>
Enum one_of(const std::string& name, const std::array<Enum, N>& values) {
  for (const Enum value : values) {
    if (to_name(value) == name) return value;
  }
  return values.front();
}

Incident to_incident(const Json& object) {
  constexpr std::array kStates{IncidentState::kSuspected, IncidentState::kConfirmed};
  constexpr std::array kStatuses{IncidentStatus::kOpen, IncidentStatus::kClosed, IncidentStatus::kExcluded,
                                 IncidentStatus::kExplained, IncidentStatus::kWithdrawn};
  Incident incident;
  incident.id = text_of(object, "id");
  incident.since = time_of(object, "since").value_or(WallTime{});
  incident.faulty_since = time_of(object, "faulty_since");
  incident.persistent_since = time_of(object, "persistent_since");
  incident.confirmed_since = time_of(object, "confirmed_since");
  incident.until = time_of(object, "until");
  incident.state = one_of(text_of(object, "state"), kStates);
  incident.status = one_of(text_of(object, "status"), kStatuses);
  const Json& blame = member_of(object, "blame");
  incident.blame = {find_part_kind(text_of(blame, "kind")).value_or(PartKind::kServer),
                    text_of(blame, "name")};
  for (const Json& component : member_of(object, "components")) {
    if (component.is_string()) incident.components.push_back(component.get<std::string>());
  }
  incident.cause = text_of(object, "cause");
  return incident;
}

}  // namespace

Result<Diagnosis> parse_diagnosis(std::string_view json, const std::string& where) {
  const Json object = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object() || text_of(object, "schema") != kSchema) {
    return fail(ErrorCode::kBadInput, where, fmt::format("is no {}", kSchema));
  }
  Diagnosis diagnosis;
  diagnosis.from = time_of(object, "from").value_or(WallTime{});
  diagnosis.to = time_of(object, "to").value_or(WallTime{});
  diagnosis.distance = text_of(object, "distance");
  for (const Json& incident : member_of(object, "incidents")) {
    diagnosis.incidents.push_back(to_incident(incident));
  }
  return diagnosis;
}

namespace {

/// A window of the production preset: a problem may show a window early and a window late.
constexpr Duration kGrace = std::chrono::minutes(15);

bool overlaps(const Incident& incident, const TimeSpan& span, WallTime end) {
  return incident.since < span.to + kGrace && incident.until.value_or(end) > span.from - kGrace;
}

bool mostly(const Incident& incident, const auto& is_one) {
  const auto n =
      static_cast<std::size_t>(std::count_if(incident.components.begin(), incident.components.end(), is_one));
  return n > 0 && 2 * n >= incident.components.size();
}

bool is_alarm(const Incident& incident) { return incident.state == IncidentState::kConfirmed; }

std::string describe(const Incident& incident) {
  return fmt::format("{} {}: {}, {} to {}", to_name(incident.blame.kind), incident.blame.name, incident.cause,
                     to_iso8601(incident.since), incident.until ? to_iso8601(*incident.until) : "the end");
}

class Judge {
 public:
  Judge(const scale::ScaleTruth& truth, const std::map<std::string, std::string>& lun_of)
      : truth_(truth), lun_of_(lun_of) {}

  [[nodiscard]] bool belongs(const Incident& incident, const scale::TrueIncident& problem) const {
    return incident.status != IncidentStatus::kExplained && incident.status != IncidentStatus::kWithdrawn &&
           overlaps(incident, problem.span, truth_.recorded.to) &&
           mostly(incident, [&](const std::string& name) { return problem.shows.contains(name); });
  }

  /// The end of the transients that most of the incident is about; nothing where it is not about any.
  [[nodiscard]] std::optional<WallTime> transient_end(const Incident& incident) const {
    std::optional<WallTime> end;
    const auto in_transient = [&](const std::string& name) {
      const auto lun = lun_of_.find(name);
      bool any = false;
      for (const scale::TrueTransient& transient : truth_.transients) {
        if (lun == lun_of_.end() || !transient.luns.contains(lun->second)) continue;
        if (!overlaps(incident, transient.span, truth_.recorded.to)) continue;
        any = true;
        end = std::max(end.value_or(transient.span.to), transient.span.to);
      }
      return any;
    };
    return mostly(incident, in_transient) ? end : std::nullopt;
  }

  /// How long after `truth` the incident ends, as far as both are recorded.
  [[nodiscard]] Duration end_after(const Incident& incident, WallTime truth) const {
    return incident.until.value_or(truth_.recorded.to) - std::min(truth, truth_.recorded.to);
  }

  [[nodiscard]] ProblemScore problem(const scale::TrueIncident& problem, const Diagnosis& diagnosis) const {
    ProblemScore score;
    score.kind = problem.kind;
    score.blame = fmt::format("{} {}", to_name(problem.right.front().kind), problem.right.front().name);
    for (const Incident& incident : diagnosis.incidents) {
      if (!belongs(incident, problem)) continue;
      ++score.incidents;
      if (is_alarm(incident)) ++score.alarms;
      if (incident.confirmed_since) {
        const Duration after = *incident.confirmed_since - problem.span.from;
        score.observed = std::min(after, score.observed.value_or(after));
      }
      const bool right =
          std::find(problem.right.begin(), problem.right.end(), incident.blame) != problem.right.end();
      if (score.said.empty() || (right && !score.blamed)) {
        score.said =
            fmt::format("{} {}: {}", to_name(incident.blame.kind), incident.blame.name, incident.cause);
      }
      if (right && !score.blamed) take_verdict(score, incident, problem);
    }
    return score;
  }

 private:
  void take_verdict(ProblemScore& score, const Incident& incident, const scale::TrueIncident& problem) const {
    const auto after = [&](const std::optional<WallTime>& t) -> std::optional<Duration> {
      if (!t) return std::nullopt;
      return *t - problem.span.from;
    };
    score.blamed = true;
    score.confirmed = is_alarm(incident);
    score.kind_right = is_right_kind(problem.kind, incident.cause);
    score.onset = after(incident.since);
    score.faulty = after(incident.faulty_since);
    score.persistent = after(incident.persistent_since);
    score.alarm = after(incident.confirmed_since);
    score.end = end_after(incident, problem.span.to);
  }

  const scale::ScaleTruth& truth_;
  const std::map<std::string, std::string>& lun_of_;
};

/// The median; of an even number of values the lower middle one.
std::optional<Duration> median(std::vector<Duration> values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::optional<Duration> median_of(const std::vector<const ProblemScore*>& problems,
                                  std::optional<Duration> ProblemScore::*which) {
  std::vector<Duration> values;
  for (const ProblemScore* problem : problems) {
    if (problem->*which) values.push_back(*(problem->*which));
  }
  return median(std::move(values));
}

void add_problems(ScaleSummary& summary, const std::vector<const ProblemScore*>& problems) {
  for (const ProblemScore* problem : problems) {
    ++summary.problems;
    summary.blamed += problem->blamed ? 1 : 0;
    summary.confirmed += problem->confirmed ? 1 : 0;
    summary.kind_right += problem->kind_right ? 1 : 0;
    if (is_end_right(*problem)) ++summary.end_right;
  }
  summary.onset = median_of(problems, &ProblemScore::onset);
  summary.faulty = median_of(problems, &ProblemScore::faulty);
  summary.persistent = median_of(problems, &ProblemScore::persistent);
  summary.alarm = median_of(problems, &ProblemScore::alarm);
}

bool is_near(Duration end) { return end <= kEndGrace && end >= -kEndGrace; }

}  // namespace

bool is_end_right(const ProblemScore& problem) { return problem.end && is_near(*problem.end); }

bool is_right_kind(const std::string& kind, const std::string& cause) {
  return cause == kind || (kind == "reconstruction-spare" && cause == "reconstruction");
}

ScaleScore score_scale(const scale::ScaleTruth& truth, const Diagnosis& diagnosis,
                       const std::map<std::string, std::string>& lun_of) {
  const Judge judge(truth, lun_of);
  ScaleScore score;
  score.days = to_seconds(truth.recorded.to - truth.recorded.from) / 86400;
  score.injected_transients = truth.transients.size();
  for (const scale::TrueIncident& problem : truth.incidents) {
    score.problems.push_back(judge.problem(problem, diagnosis));
  }
  for (const Incident& incident : diagnosis.incidents) {
    const bool injected =
        std::any_of(truth.incidents.begin(), truth.incidents.end(),
                    [&](const scale::TrueIncident& problem) { return judge.belongs(incident, problem); });
    const bool known =
        incident.status == IncidentStatus::kExplained || incident.status == IncidentStatus::kWithdrawn;
    if (injected || known) continue;
    const std::optional<WallTime> end = judge.transient_end(incident);
    if (!is_alarm(incident)) {
      if (!end) ++score.suspected;
      continue;
    }
    if (!end) {
      score.false_alarms.push_back(describe(incident));
      continue;
    }
    ++score.transients;
    const Duration after = score.transient_ends.emplace_back(judge.end_after(incident, *end));
    if (after > kGrace) {
      score.false_alarms.push_back(fmt::format("{}, {:.0f} minutes longer than it was so", describe(incident),
                                               to_seconds(after) / 60));
    }
  }
  return score;
}

ScaleSummary summarize_scale(std::span<const ScaleScore> scores) {
  ScaleSummary summary;
  std::vector<const ProblemScore*> problems;
  for (const ScaleScore& score : scores) {
    summary.days += score.days;
    summary.false_alarms += score.false_alarms.size();
    summary.suspected += score.suspected;
    summary.transients += score.transients;
    summary.injected_transients += score.injected_transients;
    summary.transient_end_right +=
        static_cast<std::size_t>(std::ranges::count_if(score.transient_ends, is_near));
    for (const ProblemScore& problem : score.problems) problems.push_back(&problem);
  }
  add_problems(summary, problems);
  return summary;
}

std::map<std::string, ScaleSummary> summarize_by_kind(std::span<const ScaleScore> scores) {
  std::map<std::string, std::vector<const ProblemScore*>> kinds;
  for (const ScaleScore& score : scores) {
    for (const ProblemScore& problem : score.problems) kinds[problem.kind].push_back(&problem);
  }
  std::map<std::string, ScaleSummary> summaries;
  for (const auto& [kind, problems] : kinds) add_problems(summaries[kind], problems);
  return summaries;
}

}  // namespace laggard::lab
