#include "lab/scale/lun_model.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace laggard::lab::scale {

std::vector<TableCounter> AttachmentRows::counters() {
  std::vector<TableCounter> counters;
  for (const char* name : {"rd_ios", "rd_sectors", "rd_ms", "wr_ios", "wr_sectors", "wr_ms", "in_flight",
                           "io_ms", "weighted_ms"}) {
    counters.push_back({name, find_counter(DeviceKind::kDisk, name)->form});
  }
  return counters;
}

void AttachmentRows::begin(SampleTable& table, std::size_t device) {
  table_ = &table;
  device_ = device;
  filled_ = 0;
}

std::array<std::uint64_t, AttachmentRows::kCounters> AttachmentRows::values() const {
  const auto whole = [](double x) { return static_cast<std::uint64_t>(x); };
  return {rd_ios_,    whole(rd_sectors_), whole(rd_ms_),      wr_ios_, whole(wr_sectors_), whole(wr_ms_),
          in_flight_, whole(io_ms_),      whole(weighted_ms_)};
}

void AttachmentRows::fill_to(std::size_t row) {
  if (row <= filled_) return;
  if (present_) {
    constexpr std::size_t kInFlight = 6;
    const auto cells = values();
    for (std::size_t c = 0; c < kCounters; ++c) {
      const auto from = static_cast<std::ptrdiff_t>(filled_);
      const auto to = static_cast<std::ptrdiff_t>(row);
      const std::span<std::uint64_t> series = table_->series(c, device_);
      const std::span<std::uint8_t> presence = table_->presence(c, device_);
      // What was in flight at a sample is done by the next one.
      const std::uint64_t rest = c == kInFlight ? 0 : cells[c];
      series[filled_] = cells[c];
      std::fill(series.begin() + from + 1, series.begin() + to, rest);
      std::fill(presence.begin() + from, presence.begin() + to, std::uint8_t{1});
    }
  }
  in_flight_ = 0;
  filled_ = row;
}

void AttachmentRows::work(std::size_t row, const Work& work, double weighted_ms) {
  fill_to(row);
  rd_ios_ += work.done.reads;
  wr_ios_ += work.done.writes;
  rd_sectors_ += work.done.read_sectors;
  wr_sectors_ += work.done.write_sectors;
  rd_ms_ += work.read_ms;
  wr_ms_ += work.write_ms;
  io_ms_ += work.busy_ms;
  weighted_ms_ += weighted_ms;
  in_flight_ += work.in_flight;
}

void AttachmentRows::set_present(std::size_t row, bool present) {
  if (present == present_) return;
  fill_to(row);
  present_ = present;
  if (present) reset();
}

void AttachmentRows::reset() {
  rd_ios_ = wr_ios_ = in_flight_ = 0;
  rd_sectors_ = wr_sectors_ = rd_ms_ = wr_ms_ = io_ms_ = weighted_ms_ = 0;
}

void AttachmentRows::seed(std::uint64_t requests) {
  constexpr double kSectors = 700;
  constexpr double kWaitMs = 6;
  rd_ios_ = requests / 2;
  wr_ios_ = requests - rd_ios_;
  rd_sectors_ = static_cast<double>(rd_ios_) * kSectors;
  wr_sectors_ = static_cast<double>(wr_ios_) * kSectors;
  rd_ms_ = static_cast<double>(rd_ios_) * kWaitMs;
  wr_ms_ = static_cast<double>(wr_ios_) * kWaitMs;
  io_ms_ = (rd_ms_ + wr_ms_) / 2;
  weighted_ms_ = rd_ms_ + wr_ms_;
}

namespace {

constexpr double kFactorSpread = 0.04;  ///< Equal hardware is never quite equal.
constexpr double kShareSpread = 0.2;    ///< Striping is never quite even ...
constexpr double kShareSeconds = 120;   ///< ... and evens out after so long.
constexpr double kReadSectors = 512;
constexpr double kWriteSectors = 1024;
constexpr std::uint64_t kMostHeld = 32;  ///< Requests that clients have outstanding on a LUN.
constexpr double kMsPerSecond = 1000;

Slowness joined(const Slowness& a, const Slowness& b) {
  Slowness both;
  both.read_factor = a.read_factor * b.read_factor;
  both.write_factor = a.write_factor * b.write_factor;
  both.added_ms = a.added_ms + b.added_ms;
  const bool first = a.hit_fraction * a.hit_ms >= b.hit_fraction * b.hit_ms;
  both.hit_fraction = first ? a.hit_fraction : b.hit_fraction;
  both.hit_ms = first ? a.hit_ms : b.hit_ms;
  return both;
}

}  // namespace

LunModel::LunModel(const ArrayContext& context, std::size_t lun)
    : lun_(lun),
      set_(context.spec->site.set_of(lun)),
      random_(Random(context.spec->seed).fork("lun", context.array * kMostLuns + lun)),
      factor_(std::exp(kFactorSpread * random_.normal())),
      share_log_(kShareSpread * random_.normal()),
      attachments_(context.spec->site.servers_per_array) {
  // Some weeks of uptime, nearly all of it through the primary.
  const SiteSpec& site = context.spec->site;
  for (std::size_t priority = 0; priority < site.servers_per_array; ++priority) {
    const std::uint64_t requests =
        priority == 0 ? 1'000'000 + random_.below(1'000'000) : random_.below(5'000);
    attachments_[site.server_at(lun, priority)].seed(requests);
  }
}

void LunModel::select_effects(const ArrayContext& context, Seconds from, Seconds to) {
  effects_.clear();
  for (const Effect& effect : context.effects) {
    if (effect.luns.test(lun_) && effect.from < to && from <= effect.to) effects_.push_back(&effect);
  }
}

LunModel::Conditions LunModel::conditions_at(Seconds t) const {
  Conditions now;
  for (const Effect* effect : effects_) {
    if (!effect->covers(t)) continue;
    if (effect->lost == Lost::kUnused) now.unused |= effect->servers;
    if (effect->lost == Lost::kAbsent) now.absent |= effect->servers;
    now.stalled = now.stalled || effect->stalled;
    now.slow = joined(now.slow, effect->slow);
    if (effect->at_servers) now.at_servers = effect;
    now.load.reads_per_s += effect->load.reads_per_s;
    now.load.writes_per_s += effect->load.writes_per_s;
  }
  return now;
}

std::optional<std::size_t> LunModel::serving(const SiteSpec& site, const Conditions& now) const {
  for (std::size_t priority = 0; priority < site.servers_per_array; ++priority) {
    const std::size_t server = site.server_at(lun_, priority);
    if (!now.unused.test(server) && !now.absent.test(server)) return server;
  }
  return std::nullopt;
}

Requests LunModel::draw(double reads, double writes, double read_sectors, double write_sectors) {
  Requests requests;
  requests.reads = random_.poisson(reads);
  requests.writes = random_.poisson(writes);
  const auto size = [&](std::uint64_t n, double each) {
    if (n == 0) return 0.0;
    const double spread = 0.3 / std::sqrt(static_cast<double>(n)) * random_.normal();
    return std::round(static_cast<double>(n) * each * std::max(0.1, 1 + spread));
  };
  requests.read_sectors = size(requests.reads, read_sectors);
  requests.write_sectors = size(requests.writes, write_sectors);
  return requests;
}

Requests LunModel::offered(const ArrayContext& context, const Conditions& now, std::size_t sample) {
  const auto interval = static_cast<double>(context.spec->interval);
  const LunSet& set = context.spec->site.sets[set_];
  const FileSystemLoad& load = (*context.loads)[set.pool];
  const double keep = std::exp(-interval / kShareSeconds);
  share_log_ = keep * share_log_ + kShareSpread * std::sqrt(1 - keep * keep) * random_.normal();
  const double share = std::exp(share_log_) * interval;
  return draw(load.reads(sample) * set.read_weight * share + now.load.reads_per_s * interval,
              load.writes(sample) * set.write_weight * share + now.load.writes_per_s * interval, kReadSectors,
              kWriteSectors);
}

void LunModel::hold(const Requests& requests, double interval_ms, std::size_t server, std::size_t row) {
  if (held_.reads == 0) {
    // Something is always requested within seconds, at least by the file system's own log.
    held_ = {.reads = 1, .writes = 1, .read_sectors = kReadSectors, .write_sectors = kWriteSectors};
    held_at_ = server;
  }
  if (held_.count() + requests.count() <= kMostHeld) held_ += requests;
  stalled_ms_ += interval_ms;
  Work waiting;
  waiting.in_flight = held_.count();
  waiting.busy_ms = interval_ms;
  attachments_[held_at_].work(row, waiting, static_cast<double>(waiting.in_flight) * interval_ms);
}

void LunModel::release() {
  if (held_.reads == 0) return;
  Work& work = work_of(held_at_);
  work.done += held_;
  work.read_ms += static_cast<double>(held_.reads) * stalled_ms_ * random_.uniform(0.7, 1);
  work.write_ms += static_cast<double>(held_.writes) * stalled_ms_ * random_.uniform(0.7, 1);
  held_ = {};
  stalled_ms_ = 0;
}

void LunModel::add_fixed_at(std::size_t server, const FixedRequests& fixed, double interval_s) {
  const Requests requests = draw(fixed.rate.reads_per_s * interval_s, fixed.rate.writes_per_s * interval_s,
                                 fixed.sectors, fixed.sectors);
  if (requests.count() > 0) add_fixed(random_, work_of(server), requests, fixed.wait_ms);
}

void LunModel::add_server_work(const ArrayContext& context, const Conditions& now, Seconds t,
                               std::optional<std::size_t> server) {
  const auto interval = static_cast<double>(context.spec->interval);
  for (const ServerWork& own : context.server_work) {
    if (t <= own.from || t > own.to) continue;
    if (own.pool && *own.pool != context.spec->site.sets[set_].pool) continue;
    const bool attached = own.array == context.array;
    if (attached && (now.unused.test(own.server) || now.absent.test(own.server))) continue;
    if (!attached && !server) continue;
    add_fixed_at(attached ? own.server : *server, own.requests, interval);
  }
}

void LunModel::one_interval(const ArrayContext& context, const Conditions& now, std::size_t sample,
                            std::size_t row) {
  const double interval_ms = static_cast<double>(context.spec->interval) * kMsPerSecond;
  const std::optional<std::size_t> server = serving(context.spec->site, now);
  const Requests requests = offered(context, now, sample);
  if (now.stalled) {
    if (server) hold(requests, interval_ms, *server, row);
    return;
  }
  worked_.reset();
  release();
  if (server && requests.count() > 0) {
    serve(random_, work_of(*server), requests, {now.slow, factor_, interval_ms});
  }
  if (now.at_servers != nullptr) {
    const ServerMask reached = now.at_servers->servers & ~(now.unused | now.absent);
    for (std::size_t s = 0; s < attachments_.size(); ++s) {
      if (reached.test(s)) {
        add_fixed_at(s, *now.at_servers->at_servers, static_cast<double>(context.spec->interval));
      }
    }
  }
  add_server_work(context, now, static_cast<Seconds>(sample) * context.spec->interval, server);
  for (std::size_t s = 0; s < attachments_.size(); ++s) {
    if (!worked_.test(s)) continue;
    settle(random_, work_[s], interval_ms);
    attachments_[s].work(row, work_[s], work_[s].waited_ms());
    work_[s] = {};
  }
}

void LunModel::show_presence(const ServerMask& absent, std::size_t row) {
  if (absent == absent_) return;
  for (std::size_t s = 0; s < attachments_.size(); ++s) {
    attachments_[s].set_present(row, !absent.test(s));
  }
  absent_ = absent;
}

void LunModel::make_rows(const ArrayContext& context, std::span<SampleTable> tables, std::size_t first,
                         std::size_t rows) {
  for (std::size_t s = 0; s < attachments_.size(); ++s) attachments_[s].begin(tables[s], lun_);
  const Seconds interval = context.spec->interval;
  const auto time_of = [&](std::size_t sample) { return static_cast<Seconds>(sample) * interval; };
  select_effects(context, time_of(first), time_of(first + rows));
  const Conditions healthy;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t sample = first + row;
    if (sample == 0) continue;  // It shows the counters before the recording began.
    if (effects_.empty()) {
      show_presence(healthy.absent, row);
      one_interval(context, healthy, sample, row);
    } else {
      const Conditions now = conditions_at(time_of(sample));
      show_presence(now.absent, row);
      one_interval(context, now, sample, row);
    }
  }
  for (AttachmentRows& attachment : attachments_) attachment.finish(rows);
}

}  // namespace laggard::lab::scale
