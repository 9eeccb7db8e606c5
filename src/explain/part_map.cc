#include "explain/part_map.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

namespace laggard::explain {

namespace {

constexpr double kLeastShare = 0.5;
/// So many components at once are no coincidence, even where they are a minority of the part's.
constexpr std::size_t kManyComponents = 5;
constexpr double kLeastShareOfMany = 0.25;
/// A switch that loses or delays does so for all behind it; one of four may have been missed.
constexpr double kLeastShareOfConnected = 0.75;
/// What an unaffected component says against a part, where an affected one speaks for it with 1.
constexpr double kUnaffectedWeight = 0.25;

}  // namespace

SubjectKey subject_key(const Finding& finding) {
  if (finding.is_of_component()) return {finding.component, PartKind{}, {}};
  return {kNoComponent, finding.part.kind, finding.part.name};
}

const std::string& subject_name(const Grouping& grouping, const Finding& finding) {
  return finding.is_of_component() ? grouping.components[finding.component].name : finding.part.name;
}

namespace {

/// As the graph has it, where it does.
Part known_as(const Grouping& grouping, const Part& part) {
  const auto id = grouping.parts.find(part.kind, part.name);
  return id ? grouping.parts[*id] : part;
}

std::vector<Part> all_needs(const Grouping& grouping, const Part& part) {
  const auto id = grouping.parts.find(part.kind, part.name);
  if (!id) return {part};
  std::vector<Part> all;
  for (const PartId need : grouping.parts.needs(*id)) all.push_back(grouping.parts[need]);
  return all;
}

}  // namespace

PartMap::PartMap(const Grouping& grouping, std::span<const Finding> findings)
    : of_(grouping.components.size()), kinds_(grouping.components.size(), 0) {
  for (const PeerGroup& group : grouping.groups) {
    for (const ComponentId id : group.members) kinds_[id.index()] = static_cast<std::size_t>(group.kind);
  }
  std::map<Part, std::vector<std::size_t>> subjects;
  for (std::size_t c = 0; c < grouping.components.size(); ++c) {
    expected_.push_back(grouping.components[c].priority.value_or(0) == 0);
    attachments_.push_back(grouping.components[c].priority.has_value());
    for (const PartId part : grouping.parts.needs(grouping.components[c].part)) {
      subjects[grouping.parts[part]].push_back(c);
    }
  }
  add_others(grouping, findings, subjects);
  for (auto& [of, list] : subjects) {
    Entry part{of, std::move(list), std::vector<std::size_t>(kGroupKinds + other_kinds_.size(), 0), false};
    for (const std::size_t s : part.subjects) {
      of_[s].push_back(parts_.size());
      if (s < grouping.components.size() && expected_[s]) ++part.expected[kinds_[s]];
    }
    part.accused = others_.contains(part.part);
    parts_.push_back(std::move(part));
  }
  if (!other_kinds_.empty()) expect_others(grouping);
}

std::size_t PartMap::kind_index(PartKind kind) {
  const auto known = std::ranges::find(other_kinds_, kind);
  const auto index = static_cast<std::size_t>(known - other_kinds_.begin());
  if (known != other_kinds_.end()) return kGroupKinds + index;
  if (kGroupKinds + index == kMostKinds) return kMostKinds - 1;
  other_kinds_.push_back(kind);
  return kGroupKinds + index;
}

void PartMap::add_others(const Grouping& grouping, std::span<const Finding> findings,
                         std::map<Part, std::vector<std::size_t>>& subjects) {
  for (const Finding& finding : findings) {
    if (finding.is_of_component() || others_.contains(finding.part)) continue;
    const Part part = known_as(grouping, finding.part);
    if (const auto same = others_.find(part); same != others_.end()) {
      others_.emplace(finding.part, same->second);
      continue;
    }
    const std::size_t subject = of_.size();
    others_.emplace(finding.part, subject);
    others_.emplace(part, subject);
    of_.emplace_back();
    kinds_.push_back(kind_index(part.kind));
    expected_.push_back(true);
    attachments_.push_back(false);
    std::set<Part> needs;
    std::ranges::move(all_needs(grouping, part), std::inserter(needs, needs.end()));
    if (!grouping.parts.find(part.kind, part.name)) {
      unknown_.push_back(part);
      for (const Part& below : finding.runs_on) {
        std::ranges::move(all_needs(grouping, below), std::inserter(needs, needs.end()));
      }
    }
    for (const Part& need : needs) subjects[need].push_back(subject);
  }
}

void PartMap::expect_others(const Grouping& grouping) {
  std::map<Part, std::size_t> entries;
  for (std::size_t p = 0; p < parts_.size(); ++p) entries.emplace(parts_[p].part, p);
  for (std::uint32_t p = 0; p < grouping.parts.size(); ++p) {
    if (std::ranges::find(other_kinds_, grouping.parts[PartId{p}].kind) == other_kinds_.end()) continue;
    const std::size_t kind = kind_index(grouping.parts[PartId{p}].kind);
    for (const PartId need : grouping.parts.needs(PartId{p})) {
      const auto entry = entries.find(grouping.parts[need]);
      if (entry != entries.end()) ++parts_[entry->second].expected[kind];
    }
  }
  std::set<std::pair<std::size_t, std::size_t>> open;  // Entries and kinds of which there may be more.
  for (const Part& part : unknown_) {
    const std::size_t kind = kind_index(part.kind);
    for (const std::size_t p : of_[others_.at(part)]) {
      ++parts_[p].expected[kind];
      if (parts_[p].part != part) open.emplace(p, kind);
    }
  }
  for (const auto& [p, kind] : open) ++parts_[p].expected[kind];
}

std::size_t PartMap::subject_of(const Finding& finding) const {
  return finding.is_of_component() ? finding.component : others_.at(finding.part);
}

bool PartMap::runs_through(std::span<const std::size_t> subjects, const Part& part) const {
  return std::ranges::all_of(subjects, [&](std::size_t subject) {
    return std::ranges::any_of(of_[subject], [&](std::size_t p) { return parts_[p].part == part; });
  });
}

void Tally::count(const PartMap& map, std::size_t subject, int by) {
  affected_[map.kind_of(subject)] += by;
  if (!map.is_expected(subject)) unexpected_[map.kind_of(subject)] += by;
}

std::size_t Tally::affected() const {
  return static_cast<std::size_t>(std::accumulate(affected_.begin(), affected_.end(), 0));
}

Tally::Best Tally::best(const PartMap::Entry& part) const {
  Best best;
  for (std::size_t k = 0; k < part.expected.size(); ++k) {
    const auto all = static_cast<double>(part.expected[k]) + unexpected_[k] - excused_[k];
    if (all <= 0) continue;
    const double share = affected_[k] / all;
    if (share > best.share) best = {share, static_cast<double>(affected_[k]), all - affected_[k]};
  }
  return best;
}

double Tally::share(const PartMap::Entry& part) const { return best(part).share; }

double Tally::gain(const PartMap::Entry& part) const {
  return static_cast<double>(affected()) - kUnaffectedWeight * best(part).unaffected;
}

bool Tally::may_blame(const PartMap::Entry& part) const {
  const std::size_t n = affected();
  const Best of_kind = best(part);
  const double share = of_kind.share;
  if (part.part.kind.spec().reach <= 1) return share > kLeastShare;
  if (part.accused && share > kLeastShare) return true;
  if (part.part.kind.spec().connects) return of_kind.affected >= 2 && share >= kLeastShareOfConnected;
  return (n >= 2 && share > kLeastShare) || (n >= kManyComponents && share > kLeastShareOfMany);
}

}  // namespace laggard::explain
