#include "explain/ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

namespace laggard::explain {

namespace {

std::string safe(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (!plain && c != '.' && c != '_') c = '-';
  }
  return out;
}

/// Like to_file_stamp, with the fraction of a second where there is one.
std::string exact_stamp(WallTime t) {
  std::string out = to_iso8601(t);
  std::erase_if(out, [](char c) { return c == '-' || c == ':'; });
  return out;
}

/// Of one finding, in the order in which findings may give an incident its id.
using Name = std::tuple<WallTime, std::string_view, Symptom>;

std::vector<Name> names_of(const Hypothesis& hypothesis, const Grouping& grouping) {
  std::vector<Name> names;
  for (const Finding* finding : hypothesis.findings) {
    names.emplace_back(finding->opened.at, subject_name(grouping, *finding), finding->opened.symptom);
  }
  std::ranges::sort(names);
  return names;
}

std::size_t shared_components(const Incident& incident, const KnownIncident& known) {
  return static_cast<std::size_t>(std::ranges::count_if(known.components, [&](const std::string& name) {
    return std::ranges::find(incident.components, name) != incident.components.end();
  }));
}

Duration shared_time(const Incident& incident, const KnownIncident& known) {
  return std::min(incident.seen_until, known.until) - std::max(incident.since, known.since);
}

/// To which of the incidents the known one comes.
std::optional<std::size_t> find_known(const std::vector<Incident>& incidents, const KnownIncident& known) {
  const auto own = std::ranges::find(incidents, known.id, &Incident::id);
  if (own != incidents.end()) return static_cast<std::size_t>(own - incidents.begin());
  std::optional<std::size_t> best;
  const auto likeness = [&](std::size_t i) {
    return std::tuple(shared_components(incidents[i], known), shared_time(incidents[i], known));
  };
  const auto start = [&](std::size_t i) { return std::tie(incidents[i].since, incidents[i].id); };
  for (std::size_t i = 0; i < incidents.size(); ++i) {
    const bool then = shared_time(incidents[i], known) > Duration{};
    const bool there = shared_components(incidents[i], known) > 0 || incidents[i].blame.name == known.blamed;
    if (!then || !there) continue;
    if (!best || likeness(i) > likeness(*best) || (likeness(i) == likeness(*best) && start(i) < start(*best)))
      best = i;
  }
  return best;
}

}  // namespace

std::string incident_id(std::string_view component, const Opening& opened, Duration shift) {
  return fmt::format("{}-{}-{}", safe(component), to_name(opened.symptom),
                     exact_stamp(floor_to(opened.at, shift)));
}

std::vector<std::string> incident_ids(std::span<const Hypothesis> hypotheses, const Grouping& grouping,
                                      Duration shift) {
  std::vector<std::vector<Name>> names;
  names.reserve(hypotheses.size());
  for (const Hypothesis& hypothesis : hypotheses) names.push_back(names_of(hypothesis, grouping));
  std::vector<std::size_t> order(hypotheses.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return names[a] < names[b]; });
  std::vector<std::string> ids(hypotheses.size());
  std::map<std::string, int> times;
  for (const std::size_t h : order) {
    const auto& [at, component, symptom] = names[h].front();
    ids[h] = incident_id(component, {at, symptom}, shift);
    const int before = times[ids[h]]++;
    if (before > 0) ids[h] += fmt::format("-{}", before + 1);
  }
  return ids;
}

void keep_known_ids(std::vector<Incident>& incidents, std::span<const KnownIncident> known) {
  std::vector<const KnownIncident*> by_age;
  for (const KnownIncident& each : known) by_age.push_back(&each);
  std::ranges::sort(by_age, [](const KnownIncident* a, const KnownIncident* b) {
    return std::tie(a->since, a->id) < std::tie(b->since, b->id);
  });
  std::vector<std::vector<std::string>> came(incidents.size());
  for (const KnownIncident* each : by_age) {
    if (const auto to = find_known(incidents, *each)) came[*to].push_back(each->id);
  }
  for (std::size_t i = 0; i < incidents.size(); ++i) {
    if (came[i].empty()) continue;
    const std::string own = std::exchange(incidents[i].id, came[i].front());
    std::vector<std::string>& others = incidents[i].also_known_as;
    others.assign(came[i].begin() + 1, came[i].end());
    if (own != incidents[i].id && std::ranges::find(others, own) == others.end()) others.push_back(own);
  }
}

std::string former_id(const Incident& incident) {
  return fmt::format("{}-{}-{}", incident.blame.name, incident.cause, to_file_stamp(incident.since));
}

}  // namespace laggard::explain
