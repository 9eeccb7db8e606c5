#include "detect/background/recorded_work.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "detect/background/peers_meanwhile.h"
#include "model/background_work.h"

namespace laggard::detect {

namespace {

std::vector<std::string_view> array_work_names(std::uint64_t value) {
  const auto action = sync_action(value);
  if (!action || !is_work(*action)) return {};
  return {to_name(*action)};
}

constexpr std::array kWorkGauges{
    WorkGauge{kSyncActionCounter, "", array_work_names, Duration::zero(), false, Duration::zero()},
    WorkGauge{kCephWorkCounter, "Ceph ", ceph_work_names, std::chrono::minutes(5), true,
              std::chrono::minutes(10)},
};

}  // namespace

std::span<const WorkGauge> work_gauges() { return kWorkGauges; }

void RecordedWork::add_sample(std::vector<Piece>& pieces, const Sample& sample, const WorkGauge& gauge) {
  const WallTime time = sample.time;
  const std::vector<std::string_view> names = gauge.names(sample.value);
  if (!pieces.empty() && !pieces.back().over) {
    Piece& piece = pieces.back();
    const bool lost = time - piece.span.to > kLongestSilence;
    if (!lost) piece.span.to = std::max(piece.span.to, time);
    piece.over = lost || names.empty();
  }
  if (names.empty()) return;
  if (!pieces.empty() && time - pieces.back().span.to <= gauge.longest_pause) {
    pieces.back().over = false;
    pieces.back().span.to = time;
  }
  if (pieces.empty() || pieces.back().over) pieces.push_back({{time, time}, {}, false});
  std::vector<std::string>& known = pieces.back().names;
  for (const std::string_view name : names) {
    if (std::ranges::find(known, name) == known.end()) known.emplace_back(name);
  }
}

/// Whether another idle sample says nothing new.
bool RecordedWork::is_idle(const Key& key) const {
  const auto pieces = disks_.find(key);
  return !waiting_.contains(key) && (pieces == disks_.end() || pieces->second.back().over);
}

/// The last of its samples that said something new.
WallTime RecordedWork::last_of(const Key& key) const {
  if (const auto waiting = waiting_.find(key); waiting != waiting_.end()) return waiting->second.back().time;
  const auto pieces = disks_.find(key);
  return pieces == disks_.end() ? WallTime::min() : pieces->second.back().span.to;
}

void RecordedWork::add_column(const SampleTable& table, std::size_t gauge, std::size_t column,
                              std::size_t device) {
  const Key key{table.host(), table.devices()[device], gauge};
  bool idle = is_idle(key);
  WallTime last = last_of(key);
  // Most disks are idle for weeks.
  if (idle && table.uniform(column, device) == std::uint64_t{0}) return;
  std::deque<Sample>* waiting = nullptr;
  for (std::size_t t = 0; t < table.times().size(); ++t) {
    const auto value = table.integer(column, device, t);
    if (!value || table.times()[t] <= last) continue;
    idle = idle && kWorkGauges[gauge].names(*value).empty();
    if (idle) continue;
    last = table.times()[t];
    if (waiting == nullptr) waiting = &waiting_[key];
    waiting->push_back({table.times()[t], *value});
  }
}

void RecordedWork::add(const SampleTable& table) {
  if (table.kind() != DeviceKind::kDisk) return;
  for (std::size_t gauge = 0; gauge < kWorkGauges.size(); ++gauge) {
    const auto column = table.counter_index(kWorkGauges[gauge].counter);
    for (std::size_t d = 0; column && d < table.devices().size(); ++d) add_column(table, gauge, *column, d);
  }
}

void RecordedWork::complete(WallTime until) {
  for (auto waiting = waiting_.begin(); waiting != waiting_.end();) {
    auto& [key, samples] = *waiting;
    for (; !samples.empty() && samples.front().time < until; samples.pop_front()) {
      add_sample(disks_[key], samples.front(), kWorkGauges[std::get<2>(key)]);
    }
    waiting = samples.empty() ? waiting_.erase(waiting) : std::next(waiting);
  }
  std::erase_if(disks_, [](const auto& disk) { return disk.second.empty(); });
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
    if (!kWorkGauges[std::get<2>(*each.key)].of_few || !each.component) continue;
    if (!members.contains(*each.component)) continue;
    const std::vector<std::string>& names = each.piece->names;
    pieces.push_back({each.piece->span, {names.begin(), names.end()}});
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
    const auto& [host, device, gauge] = *key;
    ExpectedWork& work = all.emplace_back();
    work.what = fmt::format("{}: {}{}", device, kWorkGauges[gauge].of, fmt::join(piece->names, ", "));
    work.where = {component ? grouping_[*component].name : fmt::format("{}/{}", host, device)};
    work.once = piece->span;
    work.goes_on = !piece->over;
    if (work.goes_on) work.unseen = kWorkGauges[gauge].latest;
  }
  return all;
}

namespace {

/// Since when work of some kind is of interest, by the gauge and the work's names.
using Interest = std::map<std::pair<std::size_t, std::set<std::string>>, WallTime>;

/// Whether it says of some work of interest what a peer was at meanwhile (peers_meanwhile).
bool is_of_interest(const Interest& interest, std::size_t gauge, const std::set<std::string>& names,
                    WallTime to) {
  return std::ranges::any_of(interest, [&](const auto& one) {
    const auto& [kind, from] = one;
    return kind.first == gauge && to + kLeastPiece >= from && std::ranges::includes(names, kind.second);
  });
}

}  // namespace

void RecordedWork::forget(WallTime before) {
  // Whatever is older is over and will not go on after a pause.
  const auto matters = [&](const Piece& piece) { return piece.span.to + kLongestSilence >= before; };
  const auto names = [](const Piece& piece) {
    return std::set<std::string>(piece.names.begin(), piece.names.end());
  };
  Interest interest;
  for (const auto& [key, pieces] : disks_) {
    const std::size_t gauge = std::get<2>(key);
    for (const Piece& piece : pieces) {
      if (!kWorkGauges[gauge].of_few || !matters(piece)) continue;
      const auto [since, added] = interest.try_emplace({gauge, names(piece)}, piece.span.from);
      since->second = std::min(since->second, piece.span.from);
    }
  }
  for (auto& [key, pieces] : disks_) {
    std::erase_if(pieces, [&, gauge = std::get<2>(key)](const Piece& piece) {
      return !matters(piece) && !is_of_interest(interest, gauge, names(piece), piece.span.to);
    });
  }
  std::erase_if(disks_, [](const auto& disk) { return disk.second.empty(); });
}

std::size_t RecordedWork::kept() const {
  std::size_t kept = 0;
  for (const auto& [key, pieces] : disks_) kept += pieces.size();
  return kept;
}

std::vector<RecordedWork::Saved> RecordedWork::saved() const {
  std::vector<Saved> saved;
  for (const auto& [key, pieces] : disks_) {
    const auto& [host, device, gauge] = key;
    saved.push_back({host, device, std::string(kWorkGauges[gauge].counter), pieces});
  }
  return saved;
}

/// \return whether it makes sense.
bool RecordedWork::restore(std::vector<Saved> saved) {
  disks_.clear();
  waiting_.clear();
  for (Saved& disk : saved) {
    const auto* gauge = std::ranges::find(kWorkGauges, disk.counter, &WorkGauge::counter);
    const bool sane =
        std::ranges::all_of(disk.pieces, [](const Piece& piece) { return piece.span.from <= piece.span.to; });
    if (gauge == kWorkGauges.end() || disk.pieces.empty() || !sane) return false;
    const auto place = static_cast<std::size_t>(gauge - kWorkGauges.begin());
    disks_[{std::move(disk.host), std::move(disk.device), place}] = std::move(disk.pieces);
  }
  return true;
}

}  // namespace laggard::detect
