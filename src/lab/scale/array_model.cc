#include "lab/scale/array_model.h"

#include <algorithm>
#include <cmath>

namespace laggard::lab::scale {

namespace {

constexpr double kSpread = 0.04;  ///< Of the speed of equal disks, ours.
/// Accesses that jobs have outstanding on a LUN, ours; clients that copy have all of theirs.
constexpr std::size_t kJobsOutstanding = 8;
constexpr std::size_t kCopiesOutstanding = 64;
constexpr std::int64_t kSectorBytes = 512;

SimTime at(Seconds t) { return std::chrono::seconds(t); }

ArrayGeometry geometry(const SiteSpec& site) {
  ArrayGeometry geometry = site.storage;
  geometry.luns = site.luns_per_array();
  return geometry;
}

}  // namespace

ArrayModel::ArrayModel(const ScaleSpec& spec, std::size_t array, std::span<const Effect> effects)
    : spec_(spec),
      effects_(effects),
      random_(Random(spec.seed).fork("array", array)),
      storage_(geometry(spec.site), random_),
      luns_(spec.site.luns_per_array()),
      attachments_(luns_.size() * spec.site.servers_per_array) {
  for (const Effect& effect : effects_) changes_.insert(changes_.end(), {effect.from, effect.to});
  std::ranges::sort(changes_);
  const SiteSpec& site = spec.site;
  for (std::size_t lun = 0; lun < luns_.size(); ++lun) {
    luns_[lun].slower = std::exp(kSpread * random_.normal());
    luns_[lun].outstanding.resize(spec.workload == Workload::kJobs ? kJobsOutstanding : kCopiesOutstanding);
    // Some weeks of uptime, nearly all of it through the primary.
    for (std::size_t priority = 0; priority < site.servers_per_array; ++priority) {
      const std::uint64_t requests =
          priority == 0 ? 1'000'000 + random_.below(1'000'000) : random_.below(5'000);
      attachment(lun, site.server_at(lun, priority)).rows.seed(requests);
    }
    luns_[lun].now = conditions(lun, 0);
    apply(lun, 0);
  }
}

void ArrayModel::begin_rows(std::span<SampleTable> tables) {
  for (std::size_t lun = 0; lun < luns_.size(); ++lun) {
    for (std::size_t s = 0; s < tables.size(); ++s) attachment(lun, s).rows.begin(tables[s], lun);
  }
}

void ArrayModel::finish_rows(std::size_t rows) {
  for (Attachment& attachment : attachments_) attachment.rows.finish(rows);
}

ArrayModel::Conditions ArrayModel::conditions(std::size_t lun, Seconds to) const {
  Conditions now;
  now.disks.resize(spec_.site.storage.group.disks, {.slower = luns_[lun].slower, .retried = 0, .retry = {}});
  for (const Effect& effect : effects_) {
    if (!effect.luns.test(lun) || !effect.covers(to)) continue;
    if (effect.lost == Lost::kUnused) now.unused |= effect.servers;
    if (effect.lost == Lost::kAbsent) now.absent |= effect.servers;
    if (effect.stalled) now.stalled_until = std::max(now.stalled_until, effect.to);
    if (effect.at_servers) now.at_servers = &effect;
    now.repair = std::max(now.repair, effect.repair);
    now.load.reads_per_s += effect.load.reads_per_s;
    now.load.writes_per_s += effect.load.writes_per_s;
    if (!effect.sick) continue;
    DiskAilment& disk = now.disks[effect.sick->disk];
    disk.slower *= effect.sick->ailment.slower;
    if (effect.sick->ailment.retried > disk.retried) {
      disk.retried = effect.sick->ailment.retried;
      disk.retry = effect.sick->ailment.retry;
    }
  }
  return now;
}

void ArrayModel::enter(Seconds from, Seconds to, std::size_t row) {
  const std::size_t before = next_change_;
  while (next_change_ < changes_.size() && changes_[next_change_] < to) ++next_change_;
  if (next_change_ == before) return;
  for (std::size_t lun = 0; lun < luns_.size(); ++lun) {
    const ServerMask absent = luns_[lun].now.absent;
    luns_[lun].now = conditions(lun, to);
    apply(lun, from);
    show_presence(lun, absent, row);
  }
}

void ArrayModel::apply(std::size_t lun, Seconds from) {
  Lun& state = luns_[lun];
  RaidGroup& group = storage_.group(lun);
  for (std::size_t d = 0; d < state.now.disks.size(); ++d) group.set_ailment(d, state.now.disks[d]);
  if (state.now.stalled_until > 0) group.stand_still_until(at(state.now.stalled_until));
  apply_repair(lun, from);
  // A lost controller's LUNs belong to the other.
  const std::size_t owner = SiteSpec::owner_of(lun);
  const ServerMask its_servers = spec_.site.servers_of(owner);
  const bool lost = (state.now.absent & its_servers) == its_servers;
  if (spec_.site.storage.controllers > 1) storage_.set_owner(lun, lost ? 1 - owner : owner);
  state.serving = server_of(lun);
}

void ArrayModel::apply_repair(std::size_t lun, Seconds from) {
  Lun& state = luns_[lun];
  if (state.now.repair == state.repair) return;
  constexpr std::size_t kDisk = 0;  // Which one makes no difference.
  RaidGroup& group = storage_.group(lun);
  switch (state.now.repair) {
    case Repair::kNone:
      group.repaired();
      break;
    case Repair::kDegraded:
      group.fail(kDisk);
      break;
    case Repair::kRebuilding:
      if (state.repair != Repair::kDegraded) group.fail(kDisk);
      storage_.rebuild(lun, at(from));
      break;
    case Repair::kCopyingBack:
      storage_.copy_back(lun, kDisk, at(from));
      break;
  }
  state.repair = state.now.repair;
}

void ArrayModel::show_presence(std::size_t lun, const ServerMask& before, std::size_t row) {
  const ServerMask& absent = luns_[lun].now.absent;
  for (std::size_t s = 0; s < spec_.site.servers_per_array; ++s) {
    if (absent.test(s) == before.test(s)) continue;
    attachment(lun, s).rows.set_present(row, !absent.test(s));
    attachment(lun, s).account.forget();
  }
}

std::optional<std::size_t> ArrayModel::server_of(std::size_t lun) const {
  for (std::size_t priority = 0; priority < spec_.site.servers_per_array; ++priority) {
    const std::size_t server = spec_.site.server_at(lun, priority);
    if (reaches(server, lun)) return server;
  }
  return std::nullopt;
}

std::int64_t ArrayModel::any_position(std::int64_t bytes) {
  const RaidGeometry& group = spec_.site.storage.group;
  const double capacity = group.disk.capacity_bytes * static_cast<double>(group.data_disks());
  const auto places = static_cast<std::uint64_t>(capacity / static_cast<double>(bytes));
  return static_cast<std::int64_t>(random_.below(places)) * bytes;
}

std::optional<Served> ArrayModel::send(const LunRequests& requests) {
  Lun& lun = luns_[requests.lun];
  const std::optional<std::size_t> server = requests.server ? requests.server : lun.serving;
  if (!server || !reaches(*server, requests.lun)) return std::nullopt;
  SimTime& oldest = lun.outstanding[lun.oldest];
  if (oldest > requests.at) return std::nullopt;
  const std::int64_t bytes = std::int64_t{requests.requests} * requests.sectors_each * kSectorBytes;
  const SiteSpec& site = spec_.site;
  const Served served =
      storage_.serve({.at = requests.at,
                      .lun = requests.lun,
                      .controller = site.storage.controllers > 1 ? site.controller_of_server(*server) : 0,
                      .write = requests.write,
                      .cached = requests.cached,
                      .position = requests.position ? *requests.position : any_position(bytes),
                      .bytes = bytes,
                      .requests = requests.requests,
                      .retry = requests.retry});
  attachment(requests.lun, *server)
      .account.add({.at = requests.at,
                    .served = served,
                    .requests = requests.requests,
                    .write = requests.write,
                    .sectors_each = static_cast<double>(requests.sectors_each)});
  oldest = served.last;
  lun.oldest = (lun.oldest + 1) % lun.outstanding.size();
  return served;
}

void ArrayModel::close(Seconds to, std::size_t row) {
  for (Attachment& attachment : attachments_) {
    const Work work = attachment.account.close(at(to));
    if (!work.is_idle()) attachment.rows.work(row, work);
  }
}

}  // namespace laggard::lab::scale
