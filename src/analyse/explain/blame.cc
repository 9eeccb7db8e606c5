#include "analyse/explain/blame.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace laggard::analyse {

namespace {

/// A part may be blamed when more than this share of its components is affected.
constexpr double kLeastShare = 0.5;

constexpr std::size_t kGroupKinds = 4;

struct Part {
  std::array<std::size_t, kGroupKinds> all{};
  std::array<std::size_t, kGroupKinds> affected{};
  std::vector<std::size_t> components;  ///< The affected ones.

  [[nodiscard]] double share() const {
    double best = 0;
    for (std::size_t k = 0; k < kGroupKinds; ++k) {
      if (all[k] > 0) best = std::max(best, static_cast<double>(affected[k]) / static_cast<double>(all[k]));
    }
    return best;
  }
};

/// How far out a part is; a single component never blames anything past a server or LUN.
int reach(BlameKind kind) {
  switch (kind) {
    case BlameKind::kDisk:
    case BlameKind::kAttachment:
    case BlameKind::kLink:
      return 0;
    case BlameKind::kLun:
    case BlameKind::kServer:
    case BlameKind::kMetadataServer:
    case BlameKind::kClient:
      return 1;
    case BlameKind::kController:
    case BlameKind::kDrawer:
      return 2;
    case BlameKind::kArray:
      return 3;
    case BlameKind::kNetwork:
    case BlameKind::kLoadBalancer:
      return 4;
  }
  return 4;
}

using Parts = std::map<Blame, Part>;

/// In what kind of group each component is compared.
std::vector<std::size_t> group_kinds(const Grouping& grouping) {
  std::vector<std::size_t> kinds(grouping.components.size(), 0);
  for (const PeerGroup& group : grouping.groups) {
    for (const ComponentId id : group.members) kinds[id.index()] = static_cast<std::size_t>(group.kind);
  }
  return kinds;
}

Parts gather(const Grouping& grouping, const std::set<std::size_t>& affected) {
  const std::vector<std::size_t> kinds = group_kinds(grouping);
  Parts parts;
  for (std::size_t c = 0; c < grouping.components.size(); ++c) {
    const std::size_t kind = kinds[c];
    for (const Blame& blame : grouping.components[c].parts) {
      Part& part = parts[blame];
      ++part.all[kind];
      if (!affected.contains(c)) continue;
      ++part.affected[kind];
      part.components.push_back(c);
    }
  }
  std::erase_if(parts, [](const auto& entry) { return entry.second.components.empty(); });
  return parts;
}

/// True when `a` is a better explanation than `b`.
bool better(const Parts::value_type& a, const Parts::value_type& b) {
  const std::size_t n = a.second.components.size();
  if (n != b.second.components.size()) return n > b.second.components.size();
  const double share_a = a.second.share();
  const double share_b = b.second.share();
  if (share_a != share_b) return share_a > share_b;
  return reach(a.first.kind) > reach(b.first.kind);
}

bool may_blame(const Parts::value_type& entry) {
  const bool alone = entry.second.components.size() < 2;
  return entry.second.share() > kLeastShare && (!alone || reach(entry.first.kind) <= 1);
}

}  // namespace

std::vector<Blamed> find_blame(const Grouping& grouping, std::span<const std::size_t> affected) {
  std::set<std::size_t> left(affected.begin(), affected.end());
  std::vector<Blamed> found;
  while (!left.empty()) {
    const Parts parts = gather(grouping, left);
    const Parts::value_type* best = nullptr;
    for (const auto& entry : parts) {
      if (may_blame(entry) && (best == nullptr || better(entry, *best))) best = &entry;
    }
    if (best == nullptr) break;  // components without parts cannot be blamed on anything
    Blamed blamed{best->first, best->second.components, {}};
    for (const auto& entry : parts) {
      const bool same = entry.second.components == best->second.components;
      if (&entry != best && same && may_blame(entry)) blamed.alternatives.push_back(entry.first);
    }
    for (const std::size_t c : blamed.components) left.erase(c);
    found.push_back(std::move(blamed));
  }
  return found;
}

}  // namespace laggard::analyse
