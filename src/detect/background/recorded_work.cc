#include "detect/background/recorded_work.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "model/ceph_work.h"
#include "model/sync_action.h"

namespace laggard::detect {

namespace {

using Names = std::set<std::string_view>;

/// Seconds since the first beginning, in which doubles are exact enough.
struct Seconds {
  double from = 0;
  double to = 0;
};

/// The integral of max(0, t - x_i) over sorted x: how long each of them has been behind, in sum.
class TimeBehind {
 public:
  explicit TimeBehind(std::vector<double> times) : times_(std::move(times)) {
    std::ranges::sort(times_);
    sums_.push_back(0);
    for (const double time : times_) sums_.push_back(sums_.back() + time);
  }
  [[nodiscard]] double at(double t) const {
    const auto behind = static_cast<std::size_t>(std::ranges::upper_bound(times_, t) - times_.begin());
    return t * static_cast<double>(behind) - sums_[behind];
  }

 private:
  std::vector<double> times_;
  std::vector<double> sums_;
};

}  // namespace

std::vector<double> peers_meanwhile(std::span<const PeerWork> pieces) {
  std::vector<double> counts(pieces.size());
  if (pieces.empty()) return counts;
  const WallTime first =
      std::ranges::min_element(pieces, {}, [](const PeerWork& piece) { return piece.span.from; })->span.from;
  const auto seconds = [&](const PeerWork& piece) {
    constexpr double kNs = 1e9;
    const double from = static_cast<double>((piece.span.from - first).count()) / kNs;
    return Seconds{from, std::max(from + 1, static_cast<double>((piece.span.to - first).count()) / kNs)};
  };
  std::map<Names, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    alike[Names(pieces[i].names.begin(), pieces[i].names.end())].push_back(i);
  }
  for (const auto& [names, indices] : alike) {
    std::vector<double> begins;
    std::vector<double> ends;
    for (const auto& [others, of_others] : alike) {
      if (!std::ranges::includes(others, names)) continue;
      for (const std::size_t j : of_others) {
        begins.push_back(seconds(pieces[j]).from);
        ends.push_back(seconds(pieces[j]).to);
      }
    }
    const TimeBehind begun(std::move(begins));
    const TimeBehind ended(std::move(ends));
    for (const std::size_t i : indices) {
      const auto [from, to] = seconds(pieces[i]);
      const double busy = begun.at(to) - begun.at(from) - ended.at(to) + ended.at(from);
      counts[i] = busy / (to - from) - 1;  // Without itself.
    }
  }
  return counts;
}

namespace {

std::vector<std::string_view> array_work_names(std::uint64_t value) {
  const auto action = sync_action(value);
  if (!action || !is_work(*action)) return {};
  return {to_name(*action)};
}

constexpr std::array kWorkLevels{
    WorkLevel{kSyncActionCounter, "", array_work_names, Duration::zero(), false},
    WorkLevel{kCephWorkCounter, "Ceph ", ceph_work_names, std::chrono::minutes(5), true},
};

}  // namespace

std::span<const WorkLevel> work_levels() { return kWorkLevels; }

void RecordedWork::add_sample(std::vector<Piece>& pieces, WallTime time, const WorkLevel& level,
                              std::uint64_t value) {
  const std::vector<std::string_view> names = level.names(value);
  if (!pieces.empty() && !pieces.back().over) {
    Piece& piece = pieces.back();
    const bool lost = time - piece.span.to > kLongestSilence;
    if (!lost) piece.span.to = std::max(piece.span.to, time);
    piece.over = lost || names.empty();
  }
  if (names.empty()) return;
  if (!pieces.empty() && time - pieces.back().span.to <= level.longest_pause) {
    pieces.back().over = false;
    pieces.back().span.to = time;
  }
  if (pieces.empty() || pieces.back().over) pieces.push_back({{time, time}, {}, false});
  std::vector<std::string_view>& known = pieces.back().names;
  for (const std::string_view name : names) {
    if (std::ranges::find(known, name) == known.end()) known.push_back(name);
  }
}

void RecordedWork::add_column(const SampleTable& table, std::size_t level, std::size_t column,
                              std::size_t device) {
  const Key key{table.host(), table.devices()[device], level};
  // Most disks are idle for weeks.
  if (table.uniform(column, device) == std::uint64_t{0} && !disks_.contains(key)) return;
  std::vector<Piece>* pieces = nullptr;
  for (std::size_t t = 0; t < table.times().size(); ++t) {
    const auto value = table.integer(column, device, t);
    if (!value) continue;
    if (pieces == nullptr) pieces = &disks_[key];
    add_sample(*pieces, table.times()[t], kWorkLevels[level], *value);
  }
}

void RecordedWork::add(const SampleTable& table) {
  if (table.kind() != DeviceKind::kDisk) return;
  for (std::size_t level = 0; level < kWorkLevels.size(); ++level) {
    const auto column = table.counter_index(kWorkLevels[level].counter);
    for (std::size_t d = 0; column && d < table.devices().size(); ++d) add_column(table, level, *column, d);
  }
}

std::vector<RecordedWork::Found> RecordedWork::find() const {
  std::vector<Found> found;
  for (const auto& [key, pieces] : disks_) {
    const auto component = grouping_.resolver.find(std::get<0>(key), DeviceKind::kDisk, std::get<1>(key));
    for (const Piece& piece : pieces) found.push_back({&key, &piece, component});
  }
  return found;
}

void RecordedWork::mark_common(std::span<Found> found, const PeerGroup& group) {
  const std::set<ComponentId> members(group.members.begin(), group.members.end());
  std::vector<PeerWork> pieces;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Found& each = found[i];
    if (!kWorkLevels[std::get<2>(*each.key)].of_few || !each.component) continue;
    if (!members.contains(*each.component)) continue;
    pieces.push_back({each.piece->span, each.piece->names});
    places.push_back(i);
  }
  const std::vector<double> meanwhile = peers_meanwhile(pieces);
  const double half = static_cast<double>(group.members.size() - 1) / 2;
  for (std::size_t i = 0; i < places.size(); ++i) {
    found[places[i]].common = found[places[i]].common || meanwhile[i] >= half;
  }
}

std::vector<ExpectedWork> RecordedWork::work() const {
  std::vector<Found> found = find();
  for (const PeerGroup& group : grouping_.groups) {
    if (group.kind == GroupKind::kDisks && !group.members.empty()) mark_common(found, group);
  }
  std::vector<ExpectedWork> all;
  for (const auto& [key, piece, component, common] : found) {
    if (common) continue;
    const auto& [host, device, level] = *key;
    ExpectedWork& work = all.emplace_back();
    work.what = fmt::format("{}: {}{}", device, kWorkLevels[level].of, fmt::join(piece->names, ", "));
    work.where = {component ? grouping_[*component].name : fmt::format("{}/{}", host, device)};
    work.once = piece->span;
  }
  return all;
}

}  // namespace laggard::detect
