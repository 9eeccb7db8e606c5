#include "lab/scale/recorded_array.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "lab/scale/attachment_rows.h"

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

RecordedArray::RecordedArray(const ScaleSpec& spec, const Plan& plan, std::size_t array,
                             std::vector<Effect> effects)
    : effects_(std::move(effects)), model_(spec, array, effects_) {
  for (std::size_t s = 0; s < spec.site.servers_per_array; ++s) recorders_.emplace_back(spec, plan, array, s);
}

Status RecordedArray::describe(TableSink& sink) const {
  for (const ServerRecorder& recorder : recorders_) {
    if (Status described = recorder.describe(sink); !described) return described;
  }
  return {};
}

void RecordedArray::begin(std::size_t first, std::size_t rows) {
  first_ = first;
  tables_.clear();
  tables_.reserve(recorders_.size());
  for (const ServerRecorder& recorder : recorders_) tables_.push_back(recorder.table(first, rows));
  model_.begin_rows(tables_);
}

Status RecordedArray::write(std::size_t rows, TableSink& sink) {
  model_.finish_rows(rows);
  for (std::size_t s = 0; s < recorders_.size(); ++s) {
    if (Status written = recorders_[s].write(tables_[s], first_, sink); !written) return written;
  }
  return {};
}

}  // namespace laggard::lab::scale
