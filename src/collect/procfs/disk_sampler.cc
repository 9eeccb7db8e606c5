#include "collect/procfs/disk_sampler.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "collect/procfs/proc_tables.h"
#include "collect/procfs/unmatched.h"

namespace laggard::collect {

namespace {

using namespace std::chrono_literals;

/// udev sets its links, and multipathd its tables, seconds after a device appears: identities are read at
/// once, again after this time, and then after three times as long each time, up to an hour.
constexpr Duration kFirstWait = 10s;
constexpr Duration kLongestWait = 1h;

/// In which places of a row stand what comes after the kernel's counters: disk_counters().
enum AlsoCounted : std::uint8_t {
  kSyncAction = kDiskCounters,
  kPathsUp,
  kPathsDown,
};
/// Few machines have one of them.
constexpr std::size_t kRare = 3;

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

}  // namespace

Result<std::unique_ptr<DiskSampler>> DiskSampler::open(const std::filesystem::path& root, std::string host,
                                                       DiskOptions options, Notices& notices) {
  Result<ProcFile> file = ProcFile::open(root / "proc/diskstats");
  if (!file) return forward(file);
  return std::unique_ptr<DiskSampler>(new DiskSampler(std::move(*file), BlockDevices(root, notices),
                                                      std::move(host), std::move(options), notices));
}

DiskSampler::DiskSampler(ProcFile file, BlockDevices block, std::string host, DiskOptions options,
                         Notices& notices)
    : file_(std::move(file)),
      block_(std::move(block)),
      options_(std::move(options)),
      notices_(&notices),
      batch_(std::move(host), DeviceKind::kDisk, disk_counters(), kRare) {}

bool DiskSampler::wanted(const std::string& name) const {
  const BlockClass kind = block_.classify(name);
  if (kind == BlockClass::kNoMedium) return false;
  if (kind == BlockClass::kPartition && !options_.partitions) return false;
  if (options_.globs.empty()) return kind != BlockClass::kVolatile;
  const std::string mapper = block_.mapper_name(name);
  return std::any_of(options_.globs.begin(), options_.globs.end(), [&](const std::string& glob) {
    return glob_match(glob, name) || (!mapper.empty() && glob_match(glob, mapper));
  });
}

void DiskSampler::sample(Clock& clock) {
  const WallTime time = sample_time(clock);
  Result<std::string_view> read = file_.read();
  if (!read) {
    notices_->once("disks are not recorded for now: " + read.error().message());
    present_ = 0;
    return;
  }
  std::string_view text = *read;
  batch_.begin_row(time);
  present_ = 0;
  tracker_.begin_pass();
  while (!text.empty()) {
    const std::optional<DiskLine> line = split_disk_line(take_line(text));
    if (!line) continue;
    const DeviceTracker::Found found = tracker_.find(line->name);
    if (found.is_new) found.device->wanted = wanted(found.device->name);
    if (found.device->wanted) record(*found.device, line->counters);
  }
  const bool changed = tracker_.end_pass();
  if (!std::exchange(looked_, true)) look_for_unmatched();
  look_around(clock.mono(), changed);
}

void DiskSampler::look_for_unmatched() {
  if (options_.globs.empty()) return;
  std::vector<std::string> names;
  for (const TrackedDevice* device : tracker_.devices()) {
    if (block_.classify(device->name) == BlockClass::kNoMedium) continue;
    names.emplace_back(device->name);
    if (std::string mapper = block_.mapper_name(names.back()); !mapper.empty())
      names.push_back(std::move(mapper));
  }
  say_what_matches_nothing(options_.globs, std::move(names), "--disk", *notices_);
}

void DiskSampler::record(TrackedDevice& device, std::string_view counters) {
  if (!batch_.has(device.slot)) device.slot = batch_.add(device.name);
  const std::span<std::uint64_t> cells = batch_.cells(device.slot);
  std::uint32_t mask = read_disk_counters(counters, cells.first<kDiskCounters>());
  batch_.set_present(device.slot, mask);
  if (mask == 0) {
    notices_->once(file_.path() + ": the line of " + device.name + " has fewer than 11 numbers: left out");
  } else {
    ++present_;
    const auto also = [&](AlsoCounted counter, std::uint64_t value) {
      cells[counter] = value;
      mask |= std::uint32_t{1} << static_cast<unsigned>(counter);
    };
    if (const auto action = block_.sync_action(device.name)) {
      also(kSyncAction, static_cast<std::uint64_t>(*action));
    }
    if (const auto paths = paths_.find(device.name); paths != paths_.end()) {
      also(kPathsUp, paths->second.now.up);
      also(kPathsDown, paths->second.most - paths->second.now.up);
    }
    batch_.set_present(device.slot, mask);
  }
}

void DiskSampler::look_around(MonoTime now, bool changed) {
  if (now >= look_at_) {
    look_at_ = now + kLookEvery;
    look_at_paths();
    changed |= look_at_loops();
  }
  if (changed) {
    describe_wait_ = kFirstWait;
  } else if (now < describe_at_) {
    return;
  } else {
    describe_wait_ = std::min(kLongestWait, describe_wait_ * 3);
  }
  describe_at_ = now + describe_wait_;
  describe();
}

bool DiskSampler::look_at_loops() {
  std::erase_if(requests_, [&](const auto& of) { return tracker_.get(of.first) == nullptr; });
  bool changed = false;
  for (TrackedDevice* device : tracker_.devices()) {
    if (!device->name.starts_with("loop") || has_answered(*device)) continue;
    const bool now_wanted = wanted(device->name);
    changed |= now_wanted != device->wanted;
    device->wanted = now_wanted;
  }
  return changed;
}

bool DiskSampler::has_answered(const TrackedDevice& loop) {
  if (!loop.wanted) return false;
  const std::span<const std::uint64_t> cells = batch_.cells(loop.slot);
  const std::uint64_t requests = cells[kReadsPlace] + cells[kWritesPlace];
  std::uint64_t& known = requests_.try_emplace(loop.name, requests).first->second;
  return std::exchange(known, requests) != requests;
}

void DiskSampler::look_at_paths() {
  std::erase_if(paths_, [&](const auto& of) { return tracker_.get(of.first) == nullptr; });
  for (auto& [name, paths] : paths_) {
    paths.now = block_.path_states(name).value_or(PathStates{});  // The last one may be gone.
    paths.most = std::max(paths.most, paths.now.up + paths.now.down);
  }
}

/// Stand-ins that are recorded themselves: a path must not point to a top that was not asked for.
std::map<std::string, std::vector<std::string>> DiskSampler::recorded_stand_ins() {
  const auto recorded = [this](const std::string& name) {
    const TrackedDevice* device = tracker_.get(name);
    return device != nullptr && device->wanted;
  };
  const std::vector<BlockNode> nodes = block_.nodes();
  std::map<std::string, std::vector<std::string>> all = stand_ins(nodes);
  for (const BlockNode& node : nodes) {
    const auto found = all.find(node.name);
    const std::vector<std::string> of_disk = found != all.end() ? found->second : std::vector{node.name};
    for (const std::string& partition : node.partitions) all[partition] = of_disk;
  }
  std::map<std::string, std::vector<std::string>> kept;
  for (auto& [name, tops] : all) {
    std::erase_if(tops, [&](const std::string& top) { return !recorded(top); });
    if (recorded(name) && !tops.empty()) kept.emplace(name, std::move(tops));
  }
  return kept;
}

void DiskSampler::describe() {
  forget_the_gone(told_, tracker_);
  const std::map<std::string, std::string> by_id = block_.by_id();
  const auto tops = recorded_stand_ins();
  std::map<std::string, std::vector<std::string>> paths;
  for (const auto& [name, stands] : tops) {
    for (const std::string& top : stands) paths[top].push_back(name);
  }
  for (const TrackedDevice* device : tracker_.devices()) {
    if (!device->wanted) continue;
    if (const auto states = block_.path_states(device->name)) {
      paths_.try_emplace(device->name, Paths{*states, states->up + states->down});
    }
    Facts facts = block_.facts(device->name, by_id);
    if (const auto top = tops.find(device->name); top != tops.end())
      facts.emplace_back("top", joined(top->second));
    if (auto path = paths.find(device->name); path != paths.end()) {
      std::sort(path->second.begin(), path->second.end(), natural_less);
      facts.emplace_back("paths", joined(path->second));
    }
    const auto [told, first] = told_.try_emplace(device->name);
    if (!first && told->second == facts) continue;
    const Facts before = std::exchange(told->second, facts);
    add_ended(facts, before);
    DeviceInfo info;
    info.host = batch_.host();
    info.kind = DeviceKind::kDisk;
    info.device = device->name;
    info.facts = std::move(facts);
    news_.push_back(std::move(info));
  }
}

std::vector<DeviceInfo> DiskSampler::take_facts() { return std::exchange(news_, {}); }

}  // namespace laggard::collect
