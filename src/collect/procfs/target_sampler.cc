#include "collect/procfs/target_sampler.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "collect/procfs/lustre_folders.h"

namespace laggard::collect {

namespace {

namespace fs = std::filesystem;
constexpr const char* kZfs = "proc/spl/kstat/zfs";

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

}  // namespace

std::unique_ptr<TargetSampler> TargetSampler::open(const fs::path& root, std::string host,
                                                   std::vector<std::string> globs, Notices& notices) {
  const bool lustre = std::any_of(kLustreFolders.begin(), kLustreFolders.end(), [&](const char* folder) {
    return is_there(root / folder / "obdfilter") || is_there(root / folder / "mdt");
  });
  if (!lustre && !is_there(root / kZfs)) return nullptr;
  return std::unique_ptr<TargetSampler>(new TargetSampler(root, std::move(host), std::move(globs), notices));
}

TargetSampler::TargetSampler(fs::path root, std::string host, std::vector<std::string> globs,
                             Notices& notices)
    : root_(std::move(root)),
      globs_(std::move(globs)),
      notices_(&notices),
      batch_(std::move(host), DeviceKind::kDisk, target_counters(), kMdtOperations) {}

bool TargetSampler::wanted(const std::string& name) const {
  return globs_.empty() || std::any_of(globs_.begin(), globs_.end(),
                                       [&](const std::string& glob) { return glob_match(glob, name); });
}

/// Null when it is not wanted, has no statistics, or was found in another folder before.
TargetSampler::Target* TargetSampler::add_lustre(const std::string& name, const fs::path& stats) {
  const bool known = std::any_of(targets_.begin(), targets_.end(),
                                 [&](const Target& target) { return target.name == name; });
  if (known || !wanted(name) || !is_there(stats)) return nullptr;
  Target& target = targets_.emplace_back();
  target.name = name;
  target.stats = stats;
  return &target;
}

void TargetSampler::add_osts(const fs::path& folder) {
  for (const std::string& name : folders_in(folder / "obdfilter")) {
    Target* const target = add_lustre(name, folder / "obdfilter" / name / "stats");
    if (target == nullptr) continue;
    for (const char* lustre : kLustreFolders) {
      for (const char* osd : {"obdfilter", "osd-ldiskfs"}) {
        const fs::path times = root_ / lustre / osd / name / "brw_stats";
        if (target->times.empty() && is_there(times)) target->times = times;
      }
    }
  }
}

void TargetSampler::add_mdts(const fs::path& folder) {
  for (const std::string& name : folders_in(folder / "mdt")) {
    Target* const target = add_lustre(name, folder / "mdt" / name / "md_stats");
    if (target != nullptr) target->metadata = true;
  }
}

/// Pools are told from the folder's other kstats by their contents.
void TargetSampler::add_pools(const fs::path& folder) {
  for (const std::string& pool : folders_in(folder)) {
    Target target;
    target.name = "zfs:" + pool;
    target.pool = folder / pool;
    if (!wanted(target.name)) continue;
    std::error_code error;
    fs::directory_iterator entry(target.pool, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      if (entry->path().filename().string().starts_with("objset-")) target.objsets.push_back(entry->path());
    }
    if (is_there(target.pool / "io")) target.objsets.clear();
    std::sort(target.objsets.begin(), target.objsets.end());
    if (!target.objsets.empty() || is_there(target.pool / "io")) targets_.push_back(std::move(target));
  }
}

void TargetSampler::look_around() {
  targets_.clear();
  for (const char* folder : kLustreFolders) add_osts(root_ / folder);
  for (const char* folder : kLustreFolders) add_mdts(root_ / folder);
  add_pools(root_ / kZfs);
}

TargetCounters TargetSampler::read(const Target& target) {
  TargetCounters counters;
  const auto text = [&](const fs::path& path) {
    Result<std::string> content = read_file(path);
    // A target that has gone since the last look needs no notice.
    if (!content && content.error().code != ErrorCode::kNotFound)
      notices_->once(target.name + " is not recorded for now: " + content.error().message());
    return content ? std::move(*content) : std::string();
  };
  if (target.metadata) return read_mdt_stats(text(target.stats));
  if (!target.stats.empty()) {
    counters = read_ost_stats(text(target.stats));
    if (!counters.has(TargetCounter::kReadMs) && counters.present != 0 && !target.times.empty())
      add_brw_times(text(target.times), counters);
    return counters;
  }
  if (target.objsets.empty()) return read_pool_io(text(target.pool / "io"));
  for (const fs::path& objset : target.objsets) {
    // A sum without one of its parts would look like a reset.
    if (!add_pool_objset(text(objset), counters)) return {};
  }
  return counters;
}

/// `view` keeps a target apart from the disks that it lies on, and MDTs from OSTs (topology/groups.cc).
void TargetSampler::describe(const Target& target) {
  if (!told_.insert(target.name).second) return;
  DeviceInfo info;
  info.host = batch_.host();
  info.kind = DeviceKind::kDisk;
  info.device = target.name;
  const char* const lustre = target.metadata ? "mdt" : "lustre";
  info.facts.emplace_back("view", target.stats.empty() ? "zfs" : lustre);
  news_.push_back(std::move(info));
}

std::vector<DeviceInfo> TargetSampler::take_facts() { return std::exchange(news_, {}); }

void TargetSampler::sample(Clock& clock) {
  if (clock.mono() >= look_at_) {
    look_at_ = clock.mono() + kLookEvery;
    look_around();
  }
  present_ = 0;
  if (targets_.empty()) return;
  batch_.begin_row(sample_time(clock));
  tracker_.begin_pass();
  for (const Target& target : targets_) {
    const TargetCounters counters = read(target);
    if (counters.present == 0) continue;
    TrackedDevice& device = *tracker_.find(target.name).device;
    if (!batch_.has(device.slot)) device.slot = batch_.add(device.name);
    std::copy(counters.values.begin(), counters.values.end(), batch_.cells(device.slot).begin());
    batch_.set_present(device.slot, counters.present);
    describe(target);
    ++present_;
  }
  static_cast<void>(tracker_.end_pass());
}

}  // namespace laggard::collect
