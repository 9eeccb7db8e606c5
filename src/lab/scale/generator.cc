#include "lab/scale/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "lab/scale/lun_model.h"

namespace laggard::lab::scale {

namespace {

/// Rows [begin, end) of a table.
SampleTable rows_of(const SampleTable& table, std::size_t begin, std::size_t end) {
  const auto& times = table.times();
  const auto from = static_cast<std::ptrdiff_t>(begin);
  const auto to = static_cast<std::ptrdiff_t>(end);
  SampleTable part(table.host(), table.kind(), table.counters(), table.devices(),
                   std::vector<WallTime>(times.begin() + from, times.begin() + to));
  for (std::size_t c = 0; c < table.counters().size(); ++c) {
    for (std::size_t d = 0; d < table.devices().size(); ++d) {
      part.copy(table.view(c, d), {.begin = begin, .end = end, .at = 0}, c, d);
    }
  }
  return part;
}

}  // namespace

ServerRecorder::ServerRecorder(const ScaleSpec& spec, const Plan& plan, std::size_t array, std::size_t server)
    : spec_(spec), host_(spec.site.server_name(array, server)) {
  for (std::size_t lun = 0; lun < spec.site.luns_per_array(); ++lun) {
    devices_.push_back(spec.site.lun_name(array, lun));
  }
  for (const ScaleIncident& incident : plan.incidents) {
    for (const Outage& outage : incident.outages) {
      if (outage.array == array && outage.server == server) outages_.push_back(outage);
    }
  }
  for (const ClockStep& step : plan.clock_steps) {
    if (step.array == array && step.server == server) steps_.push_back(step);
  }
  Random random = Random(spec.seed).fork("phase", array * kMostServers + server);
  phase_ = std::chrono::milliseconds(random.below(200));
}

WallTime ServerRecorder::clock(Seconds t) const {
  Seconds shown = t;
  for (const ClockStep& step : steps_) {
    if (t < step.at) shown -= step.by;
  }
  return spec_.start + std::chrono::seconds(shown) + phase_;
}

std::optional<std::size_t> ServerRecorder::boot_at(Seconds t) const {
  std::size_t boot = 1;
  for (const Outage& outage : outages_) {
    if (outage.from < t && t <= outage.to) return std::nullopt;
    if (outage.to < t) ++boot;
  }
  return boot;
}

SampleTable ServerRecorder::table(std::size_t first, std::size_t rows) const {
  std::vector<WallTime> times;
  times.reserve(rows);
  for (std::size_t i = first; i < first + rows; ++i) {
    times.push_back(clock(static_cast<Seconds>(i) * spec_.interval));
  }
  return {host_, DeviceKind::kDisk, AttachmentRows::counters(), devices_, std::move(times)};
}

Status ServerRecorder::write(const SampleTable& table, std::size_t first, TableSink& sink) const {
  const std::size_t rows = table.times().size();
  const auto boot_of = [&](std::size_t row) {
    return boot_at(static_cast<Seconds>(first + row) * spec_.interval);
  };
  for (std::size_t begin = 0, end = 0; begin < rows; begin = end) {
    const std::optional<std::size_t> boot = boot_of(begin);
    for (end = begin + 1; end < rows && boot_of(end) == boot;) ++end;
    if (!boot) continue;
    const bool whole = begin == 0 && end == rows;
    SampleTable part = whole ? table : rows_of(table, begin, end);
    part.set_boot(fmt::format("{}-boot-{}", host_, *boot));
    if (Status written = sink.append(part); !written) return written;
  }
  return {};
}

Status ServerRecorder::describe(TableSink& sink) const {
  for (const std::string& device : devices_) {
    DeviceInfo info;
    info.host = host_;
    info.device = device;
    info.first = info.last = spec_.start;
    info.facts = {{"rotational", "1"}};
    if (Status told = sink.describe(info); !told) return told;
  }
  return {};
}

Generator::Generator(ScaleSpec spec) : Generator(spec, make_plan(spec)) {}

Generator::Generator(ScaleSpec spec, Plan plan) : spec_(std::move(spec)), plan_(std::move(plan)) {
  std::size_t pools = 0;
  for (const LunSet& set : spec_.site.sets) pools = std::max(pools, set.pool + 1);
  for (std::size_t pool = 0; pool < pools; ++pool) loads_.emplace_back(spec_, pool);
}

std::vector<Effect> Generator::effects_on(std::size_t array) const {
  std::vector<Effect> effects;
  const auto take = [&](const Effect& effect) {
    if (effect.array == array) effects.push_back(effect);
  };
  for (const ScaleIncident& incident : plan_.incidents) {
    std::ranges::for_each(incident.effects, take);
    for (const Outage& outage : incident.outages) {
      Effect down;
      down.from = outage.from;
      down.to = outage.to;
      down.array = outage.array;
      down.servers.set(outage.server);
      down.lost = Lost::kAbsent;
      down.luns = spec_.site.all_luns();
      take(down);
    }
  }
  for (const Transient& transient : plan_.transients) take(transient.effect);
  return effects;
}

Status Generator::write_array(std::size_t array, TableSink& sink,
                              const std::function<void(std::size_t)>& progress) const {
  const std::vector<Effect> effects = effects_on(array);
  const ArrayContext context{&spec_, &loads_, array, effects, plan_.server_work};
  std::vector<ServerRecorder> recorders;
  for (std::size_t s = 0; s < spec_.site.servers_per_array; ++s) {
    recorders.emplace_back(spec_, plan_, array, s);
    if (Status described = recorders.back().describe(sink); !described) return described;
  }
  std::vector<LunModel> luns;
  for (std::size_t lun = 0; lun < spec_.site.luns_per_array(); ++lun) luns.emplace_back(context, lun);
  for (std::size_t first = 0; first < spec_.samples(); first += kStretch) {
    const std::size_t rows = std::min(kStretch, spec_.samples() - first);
    std::vector<SampleTable> tables;
    tables.reserve(recorders.size());
    for (const ServerRecorder& recorder : recorders) tables.push_back(recorder.table(first, rows));
    for (LunModel& lun : luns) lun.make_rows(context, tables, first, rows);
    for (std::size_t s = 0; s < recorders.size(); ++s) {
      if (Status written = recorders[s].write(tables[s], first, sink); !written) return written;
    }
    if (progress) progress(rows);
  }
  return {};
}

}  // namespace laggard::lab::scale
