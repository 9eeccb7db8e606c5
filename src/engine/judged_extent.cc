#include "engine/judged_extent.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

namespace laggard::engine {

namespace {

/// Of two nobody can tell which one is odd.
constexpr std::size_t kLeastTogether = 3;

bool is_present(double level) { return !std::isnan(level); }

bool any_above_zero(const std::vector<std::vector<double>>& levels) {
  return std::ranges::any_of(levels, [](const std::vector<double>& column) {
    return std::ranges::any_of(column, [](double level) { return level > 0; });
  });
}

}  // namespace

JudgedExtent::JudgedExtent(const Grouping& grouping, std::span<const detect::PeerDetector::Columns> columns,
                           bool are_chosen, const detect::WindowSpec& windows)
    : grouping_(grouping),
      columns_(columns),
      are_chosen_(are_chosen),
      windows_(windows),
      groups_(grouping.groups.size()) {
  for (std::size_t g = 0; g < groups_.size(); ++g)
    groups_[g].members.resize(grouping.groups[g].members.size());
}

/// A group of which a metric was chosen, or any where none was.
bool JudgedExtent::is_asked_for(std::size_t group) const {
  if (grouping_.groups[group].second_only) return false;
  return !are_chosen_ || std::ranges::any_of(columns_[group], &detect::GroupJudge::Column::judged);
}

/// Per member: 1 when it and two others have samples of one judged metric.
std::vector<std::uint8_t> JudgedExtent::seen_in(const detect::JudgedWindow& judged) const {
  std::vector<std::uint8_t> seen(groups_[judged.group].members.size(), 0);
  const detect::PeerDetector::Columns& columns = columns_[judged.group];
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::vector<double>& levels = judged.window.levels[c];
    if (!columns[c].judged) continue;
    if (static_cast<std::size_t>(std::ranges::count_if(levels, is_present)) < kLeastTogether) continue;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (is_present(levels[i])) seen[i] = 1;
    }
  }
  return seen;
}

void JudgedExtent::follow(const detect::JudgedWindow& judged) {
  Group& group = groups_[judged.group];
  const std::int64_t index = judged.window.index;
  newest_ = std::max(newest_, index);
  if (grouping_.groups[judged.group].second_only) return;
  if (index > group.last) {
    group.last = index;
    ++group.windows;
  }
  const std::vector<std::uint8_t> seen = seen_in(judged);
  const bool active = any_above_zero(judged.window.levels);
  bool any = false;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    Member& member = group.members[i];
    if (seen[i] == 0 || index <= member.last) continue;
    member.last = index;
    ++member.seen;
    if (!active) continue;
    ++member.compared;
    any = true;
  }
  if (!any) return;
  from_ = std::min(from_.value_or(judged.window.start), judged.window.start);
  to_ = std::max(to_.value_or(judged.window.end), judged.window.end);
}

/// Whether the windows in which the member was seen reach over half of what was recorded: n windows that
/// follow each other over (n - 1) shift + size cells. A member that is not in all of its group's came or
/// went, and was seen in windows of which it fills but a part: half a window on either side on average.
bool JudgedExtent::spans_enough(const Member& member, const Group& group) const {
  if (member.seen < static_cast<std::int64_t>(windows_.k)) return false;
  const auto shift = static_cast<std::int64_t>(windows_.shift);
  const auto size = member.seen == group.windows ? static_cast<std::int64_t>(windows_.size) : 0;
  return 2 * ((member.seen - 1) * shift + size) >= cells_;
}

std::vector<JudgedExtent::Standing> JudgedExtent::standings() const {
  std::vector<Standing> standings(grouping_.components.size());
  const auto is_recorded = [&](std::size_t c) { return !grouping_.components[c].series.empty(); };
  for (std::size_t c = 0; c < standings.size(); ++c) standings[c].there = !are_chosen_ && is_recorded(c);
  const auto lately = static_cast<std::int64_t>(2 * windows_.k - 1);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const PeerGroup& peers = grouping_.groups[g];
    for (std::size_t i = 0; i < peers.members.size(); ++i) {
      const Member& member = groups_[g].members[i];
      Standing& standing = standings[peers.members[i].index()];
      const bool spans = spans_enough(member, groups_[g]);
      const bool active = member.compared >= static_cast<std::int64_t>(windows_.k);
      standing.there =
          standing.there || member.seen > 0 || (is_asked_for(g) && is_recorded(peers.members[i].index()));
      standing.judged = standing.judged || (spans && active);
      standing.idle = standing.idle || (spans && !active);
      standing.lately = standing.lately || newest_ - member.last < lately;
    }
  }
  return standings;
}

void JudgedExtent::count_groups(Judged& judged) const {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (!is_asked_for(g)) continue;
    ++judged.groups.there;
    judged.windows = std::max(judged.windows, static_cast<std::size_t>(groups_[g].windows));
    std::size_t members = 0;
    for (const Member& member : groups_[g].members) {
      judged.compared = std::max(judged.compared, static_cast<std::size_t>(member.compared));
      const bool active = member.compared >= static_cast<std::int64_t>(windows_.k);
      if (active && spans_enough(member, groups_[g])) ++members;
    }
    if (members >= kLeastTogether) ++judged.groups.judged;
  }
}

Judged JudgedExtent::judged() const {
  Judged judged;
  judged.from = from_;
  judged.to = to_;
  judged.recorded = windows_.interval * cells_;
  judged.window = windows_.interval * static_cast<std::int64_t>(windows_.size);
  judged.needed = windows_.k;
  count_groups(judged);
  const std::vector<Standing> standings = this->standings();
  std::map<std::string_view, bool> hosts;  // Whether any component of theirs was judged.
  for (std::size_t c = 0; c < standings.size(); ++c) {
    const Standing& standing = standings[c];
    if (!standing.there) continue;
    ++judged.components.there;
    if (standing.judged) ++judged.components.judged;
    if (standing.idle && !standing.judged) ++judged.idle;
    if (standing.lately) ++judged.lately;
    bool& host = hosts.try_emplace(grouping_.components[c].host, false).first->second;
    host = host || standing.judged;
  }
  judged.hosts.there = hosts.size();
  for (const auto& [name, was_judged] : hosts) {
    if (was_judged) ++judged.hosts.judged;
  }
  return judged;
}

}  // namespace laggard::engine
