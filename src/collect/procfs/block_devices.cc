#include "collect/procfs/block_devices.h"

#include <algorithm>
#include <array>
#include <set>
#include <system_error>

#include "base/file.h"
#include "base/text.h"

namespace laggard::collect {

namespace {

/// Nodes by index, edges in both directions.
class Stack {
 public:
  explicit Stack(const std::vector<BlockNode>& nodes)
      : nodes_(nodes), up_(nodes.size()), down_(nodes.size()) {
    std::map<std::string, std::size_t> index;
    for (std::size_t n = 0; n < nodes.size(); ++n) index.emplace(nodes[n].name, n);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      for (const std::string& holder : nodes[n].holders) {
        const auto found = index.find(holder);
        if (found == index.end() || found->second == n) continue;
        up_[n].push_back(found->second);
        down_[found->second].push_back(n);
      }
    }
  }

  [[nodiscard]] bool stacked(std::size_t n) const { return !up_[n].empty() || !down_[n].empty(); }

  /// The devices that are analysed in place of `n`; itself when it stands for itself.
  [[nodiscard]] std::set<std::size_t> stands_for(std::size_t n) const {
    std::set<std::size_t> visited;
    return stands_for(n, visited);
  }

 private:
  using Edges = std::vector<std::vector<std::size_t>>;

  [[nodiscard]] std::set<std::size_t> reach(std::size_t from, const Edges& edges, std::size_t without) const {
    std::set<std::size_t> seen;
    std::vector<std::size_t> open;
    if (from != without) open.push_back(from);
    while (!open.empty()) {
      const std::size_t n = open.back();
      open.pop_back();
      if (!seen.insert(n).second) continue;
      for (const std::size_t next : edges[n]) {
        if (next != without) open.push_back(next);
      }
    }
    return seen;
  }

  /// Whether all use of `n` goes through `top`: without it, no device that is used directly can be reached.
  [[nodiscard]] bool only_through(std::size_t n, std::size_t top) const {
    for (const std::size_t a : reach(n, up_, top)) {
      if (up_[a].empty() || nodes_[a].used_directly) return false;
    }
    return true;
  }

  [[nodiscard]] bool whole(std::size_t top) const {
    const std::set<std::size_t> below = reach(top, down_, nodes_.size());
    return std::all_of(below.begin(), below.end(), [&](std::size_t n) { return only_through(n, top); });
  }

  [[nodiscard]] std::set<std::size_t> stands_for(std::size_t n, std::set<std::size_t>& visited) const {
    if (!visited.insert(n).second) return {};
    std::size_t best = nodes_.size();
    std::size_t above_best = 0;
    for (const std::size_t a : reach(n, up_, nodes_.size())) {
      if (!only_through(n, a) || !whole(a)) continue;
      const std::size_t above = reach(a, up_, nodes_.size()).size();
      if (best == nodes_.size() || above < above_best) {
        best = a;
        above_best = above;
      }
    }
    if (best != nodes_.size()) return {best};
    std::set<std::size_t> lower;
    for (const std::size_t slave : down_[n]) lower.merge(stands_for(slave, visited));
    return lower;
  }

  const std::vector<BlockNode>& nodes_;
  Edges up_;
  Edges down_;
};

}  // namespace

std::map<std::string, std::vector<std::string>> stand_ins(const std::vector<BlockNode>& nodes) {
  const Stack stack(nodes);
  std::map<std::string, std::vector<std::string>> result;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (!stack.stacked(n)) continue;
    std::vector<std::string> names;
    for (const std::size_t top : stack.stands_for(n)) {
      if (top != n) names.push_back(nodes[top].name);
    }
    if (names.empty()) continue;
    std::sort(names.begin(), names.end(), natural_less);
    result.emplace(nodes[n].name, std::move(names));
  }
  return result;
}

namespace fs = std::filesystem;

namespace {

/// Names of a folder's entries that begin with `stem`, sorted; none when it does not exist.
std::vector<std::string> entries(const fs::path& folder, std::string_view stem = {}) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string_view path = it->path().native();
    const std::string_view name = path.substr(path.rfind('/') + 1);
    if (name.starts_with(stem)) names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

/// `ram0` for stem `ram`: the stem and digits, nothing else.
bool numbered(std::string_view name, std::string_view stem) {
  if (name.size() <= stem.size() || name.substr(0, stem.size()) != stem) return false;
  name.remove_prefix(stem.size());
  return std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// md0, md127, md_d0, and since Linux 2.6.38 md_NAME.
bool is_md(std::string_view name) { return name.starts_with("md"); }

/// How little a link of /dev/disk/by-id tells a person; the link with the smallest number wins.
int dullness(std::string_view link) {
  struct Rank {
    std::string_view stem;
    int rank;
  };
  // Names that people gave, then model and serial number, then bare numbers.
  constexpr std::array<Rank, 9> kRanks{{{"dm-name-", 0},
                                        {"md-name-", 0},
                                        {"nvme-eui.", 4},
                                        {"nvme-uuid.", 4},
                                        {"scsi-3", 3},
                                        {"wwn-", 5},
                                        {"dm-uuid-", 6},
                                        {"md-uuid-", 6},
                                        {"lvm-pv-", 7}}};
  for (const Rank& rank : kRanks) {
    if (link.substr(0, rank.stem.size()) == rank.stem) return rank.rank;
  }
  return 1;
}

/// The device on top of the paths of native NVMe multipath: `nvme0n1` of `nvme0c1n1`.
std::string nvme_head(std::string_view name) {
  if (name.substr(0, 4) != "nvme") return {};
  const std::size_t c = name.find('c', 4);
  const std::size_t n = name.find('n', 4);
  if (c == std::string_view::npos || n == std::string_view::npos || n < c) return {};
  return std::string(name.substr(0, c)) + std::string(name.substr(n));
}

std::string kernel_name(std::string sysfs_name) {
  std::replace(sysfs_name.begin(), sysfs_name.end(), '!', '/');  // cciss!c0d0
  return sysfs_name;
}

}  // namespace

BlockDevices::BlockDevices(fs::path root, Notices& notices) : root_(std::move(root)), notices_(&notices) {}

fs::path BlockDevices::sys(std::string_view name) const {
  std::string sysfs_name(name);
  std::replace(sysfs_name.begin(), sysfs_name.end(), '/', '!');
  return root_ / "sys/block" / sysfs_name;
}

BlockClass BlockDevices::classify(std::string_view name) const {
  // First, and with one look: these are asked every few seconds whether they have got a file.
  const bool is_loop = numbered(name, "loop");
  if (is_loop && there(sys(name) / "loop/backing_file")) return BlockClass::kDisk;
  if (!there(sys(name))) {
    if (there(root_ / "sys/block")) return BlockClass::kPartition;
    notices_->once(
        (root_ / "sys/block").string() +
        ": is not there: partitions cannot be told from disks, and devices are known by name only");
    return BlockClass::kDisk;
  }
  if (is_loop) return BlockClass::kNoMedium;
  for (const std::string_view stem : {"ram", "zram", "sr", "fd"}) {
    if (numbered(name, stem)) return BlockClass::kVolatile;
  }
  return BlockClass::kDisk;
}

std::string BlockDevices::attribute(const fs::path& path) const {
  Result<std::string> text = read_file(path);
  if (text) return std::string(trim(*text));
  if (text.error().code == ErrorCode::kNoPermission) {
    notices_->once("some identities of devices can only be read by root (" + path.filename().string() +
                   "): without them a disk that is exchanged under the same name is not noticed");
  }
  return {};
}

std::string BlockDevices::mapper_name(std::string_view name) const {
  return numbered(name, "dm-") ? attribute(sys(name) / "dm/name") : std::string{};
}

std::optional<SyncAction> BlockDevices::sync_action(std::string_view name) const {
  if (!is_md(name)) return std::nullopt;
  const Result<std::string> text = read_file(sys(name) / "md/sync_action");
  return text ? laggard::sync_action(trim(*text)) : std::nullopt;
}

std::optional<PathStates> BlockDevices::path_states(std::string_view name) const {
  const auto is = [&](const fs::path& file, std::initializer_list<std::string_view> usable) {
    const std::string state = attribute(file);
    return state.empty() || std::ranges::find(usable, state) != usable.end();
  };
  PathStates states;
  const auto count = [&](bool up) { ++(up ? states.up : states.down); };
  if (numbered(name, "dm-")) {
    if (!attribute(sys(name) / "dm/uuid").starts_with("mpath-")) return std::nullopt;
    for (const std::string& path : entries(sys(name) / "slaves")) {
      count(is(sys(name) / "slaves" / path / "device/state", {"running"}));
    }
    return states;
  }
  if (!name.starts_with("nvme")) return std::nullopt;
  for (const std::string& path : entries(root_ / "sys/block")) {
    if (nvme_head(path) != name) continue;
    count(is(sys(path) / "device/state", {"live"}) &&
          is(sys(path) / "ana_state", {"optimized", "non-optimized"}));
  }
  return states.up + states.down > 0 ? std::optional(states) : std::nullopt;
}

Facts BlockDevices::facts(std::string_view name, const std::map<std::string, std::string>& by_id) const {
  Facts facts;
  const auto add = [&](const char* key, std::string value) {
    if (!value.empty()) facts.emplace_back(key, std::move(value));
  };
  const fs::path device = sys(name);
  if (const auto found = by_id.find(std::string(name)); found != by_id.end()) add("by-id", found->second);
  const bool is_mapped = numbered(name, "dm-");
  const bool is_loop = numbered(name, "loop");
  if (is_mapped) {
    std::string wwn = attribute(device / "dm/uuid");  // Of multipath mpath-3600…
    if (wwn.starts_with("mpath-")) wwn.erase(0, 6);
    add("wwn", std::move(wwn));
    add("dm-name", mapper_name(name));
  } else if (!is_md(name) && !is_loop) {
    // Only hardware has these: a host has hundreds of the others, and each look at what is not there costs.
    std::string wwn = attribute(device / "wwid");              // NVMe
    if (wwn.empty()) wwn = attribute(device / "device/wwid");  // SCSI
    add("wwn", std::move(wwn));
    add("model", attribute(device / "device/model"));
    add("vendor", attribute(device / "device/vendor"));
    std::string serial = attribute(device / "device/serial");
    if (serial.empty()) serial = attribute(device / "serial");
    add("serial", std::move(serial));
  }
  if (const auto sectors = to_number<std::uint64_t>(attribute(device / "size")); sectors) {
    add("size", std::to_string(*sectors * 512));
  }
  add("rotational", attribute(device / "queue/rotational"));
  if (is_md(name)) add("raid-level", attribute(device / "md/level"));
  if (is_loop) add("backing", attribute(device / "loop/backing_file"));
  return facts;
}

std::map<std::string, std::string> BlockDevices::by_id() const {
  std::map<std::string, std::string> best;
  const fs::path folder = root_ / "dev/disk/by-id";
  for (const std::string& link : entries(folder)) {
    std::error_code error;
    const std::string target = fs::read_symlink(folder / link, error).filename().string();
    if (error || target.empty()) continue;
    std::string& chosen = best[target];
    if (chosen.empty() || dullness(link) < dullness(chosen)) chosen = link;
  }
  return best;
}

std::vector<BlockNode> BlockDevices::nodes() const {
  std::vector<BlockNode> nodes;
  const fs::path folder = root_ / "sys/block";
  for (const std::string& name : entries(folder)) {
    BlockNode node{kernel_name(name), entries(folder / name / "holders"), false, {}};
    bool some_held = false;
    bool some_free = false;
    for (const std::string& child : entries(folder / name, name)) {
      if (!there(folder / name / child / "partition")) continue;
      node.partitions.push_back(kernel_name(child));
      const std::vector<std::string> holders = entries(folder / name / child / "holders");
      node.holders.insert(node.holders.end(), holders.begin(), holders.end());
      (holders.empty() ? some_free : some_held) = true;
    }
    node.used_directly = some_held && some_free;
    if (std::string head = nvme_head(name); !head.empty()) node.holders.push_back(std::move(head));
    std::sort(node.holders.begin(), node.holders.end());
    node.holders.erase(std::unique(node.holders.begin(), node.holders.end()), node.holders.end());
    nodes.push_back(std::move(node));
  }
  return nodes;
}

}  // namespace laggard::collect
