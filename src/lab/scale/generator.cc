#include "lab/scale/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "base/error.h"
#include "lab/scale/array_model.h"
#include "lab/scale/copying_clients.h"

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

namespace {

/// An array with its recorders, stretch by stretch.
class RecordedArray {
 public:
  RecordedArray(const ScaleSpec& spec, const Plan& plan, std::size_t array, std::vector<Effect> effects)
      : effects_(std::move(effects)), model_(spec, array, effects_) {
    for (std::size_t s = 0; s < spec.site.servers_per_array; ++s)
      recorders_.emplace_back(spec, plan, array, s);
  }
  RecordedArray(const RecordedArray&) = delete;
  RecordedArray& operator=(const RecordedArray&) = delete;

  [[nodiscard]] Status describe(TableSink& sink) const {
    for (const ServerRecorder& recorder : recorders_) {
      if (Status described = recorder.describe(sink); !described) return described;
    }
    return {};
  }

  void begin(std::size_t first, std::size_t rows) {
    first_ = first;
    tables_.clear();
    tables_.reserve(recorders_.size());
    for (const ServerRecorder& recorder : recorders_) tables_.push_back(recorder.table(first, rows));
    model_.begin_rows(tables_);
  }

  [[nodiscard]] Status write(std::size_t rows, TableSink& sink) {
    model_.finish_rows(rows);
    for (std::size_t s = 0; s < recorders_.size(); ++s) {
      if (Status written = recorders_[s].write(tables_[s], first_, sink); !written) return written;
    }
    return {};
  }

  [[nodiscard]] ArrayModel& model() { return model_; }

 private:
  std::vector<Effect> effects_;
  ArrayModel model_;
  std::vector<ServerRecorder> recorders_;
  std::vector<SampleTable> tables_;
  std::size_t first_ = 0;
};

/// Sends what jobs, servers and everybody else ask an array for.
class OpenLoad {
 public:
  OpenLoad(const ScaleSpec& spec, const std::vector<FileSystemLoad>& loads, const Plan& plan,
           std::size_t array)
      : spec_(spec), plan_(plan), array_(array), load_(spec, loads, array) {}

  /// In (from, to].
  void send(Seconds from, Seconds to, ArrayModel& model) {
    load_.begin(static_cast<double>(from), static_cast<double>(to));
    load_.draw_jobs();
    for (std::size_t lun = 0; lun < spec_.site.luns_per_array(); ++lun) {
      load_.draw(model.extra_load(lun), lun);
      const Effect* own = model.own_requests(lun);
      for (std::size_t s = 0; own != nullptr && s < spec_.site.servers_per_array; ++s) {
        if (own->servers.test(s)) load_.draw(*own->at_servers, lun, s);
      }
      draw_server_work(lun, to);
    }
    order_.clear();
    for (std::size_t i = 0; i < load_.drawn().size(); ++i) order_.emplace_back(load_.drawn()[i].at, i);
    std::ranges::sort(order_);
    for (const auto& [at, i] : order_) model.send(load_.drawn()[i]);
  }

 private:
  void draw_server_work(std::size_t lun, Seconds to) {
    for (const ServerWork& own : plan_.server_work) {
      if (to <= own.from || to > own.to) continue;
      if (own.pool && *own.pool != spec_.site.sets[spec_.site.set_of(lun)].pool) continue;
      const std::optional<std::size_t> server =
          own.array == array_ ? std::optional(own.server) : std::nullopt;
      load_.draw(own.requests, lun, server);
    }
  }

  const ScaleSpec& spec_;
  const Plan& plan_;
  std::size_t array_;
  ArrayLoad load_;
  std::vector<std::pair<SimTime, std::size_t>> order_;  ///< Of what is drawn, by time.
};

/// Sends the requests of (from, to] to the arrays.
using SendRequests = std::function<void(Seconds from, Seconds to)>;

void run_stretch(Seconds interval, std::size_t first, std::size_t rows, std::deque<RecordedArray>& arrays,
                 const SendRequests& send) {
  for (RecordedArray& array : arrays) array.begin(first, rows);
  // The first sample shows the counters before the recording began.
  for (std::size_t row = first == 0 ? 1 : 0; row < rows; ++row) {
    const Seconds to = static_cast<Seconds>(first + row) * interval;
    for (RecordedArray& array : arrays) array.model().enter(to - interval, to, row);
    send(to - interval, to);
    for (RecordedArray& array : arrays) array.model().close(to, row);
  }
}

Status record(const ScaleSpec& spec, std::deque<RecordedArray>& arrays, const SendRequests& send,
              TableSink& sink, const std::function<void(std::size_t)>& progress) {
  for (const RecordedArray& array : arrays) {
    if (Status described = array.describe(sink); !described) return described;
  }
  for (std::size_t first = 0; first < spec.samples(); first += Generator::kStretch) {
    const std::size_t rows = std::min(Generator::kStretch, spec.samples() - first);
    run_stretch(spec.interval, first, rows, arrays, send);
    for (RecordedArray& array : arrays) {
      if (Status written = array.write(rows, sink); !written) return written;
    }
    if (progress) progress(rows * arrays.size());
  }
  return {};
}

}  // namespace

Status Generator::write_array(std::size_t array, TableSink& sink,
                              const std::function<void(std::size_t)>& progress) const {
  LAGGARD_CHECK(spec_.workload == Workload::kJobs);
  std::deque<RecordedArray> recorded;
  ArrayModel& model = recorded.emplace_back(spec_, plan_, array, effects_on(array)).model();
  OpenLoad load(spec_, loads_, plan_, array);
  return record(
      spec_, recorded, [&](Seconds from, Seconds to) { load.send(from, to, model); }, sink, progress);
}

Status Generator::write_together(TableSink& sink, const std::function<void(std::size_t)>& progress) const {
  LAGGARD_CHECK(spec_.workload != Workload::kJobs);
  std::deque<RecordedArray> recorded;
  CopyingClients clients(spec_);
  for (std::size_t array = 0; array < spec_.site.arrays; ++array) {
    clients.reach(recorded.emplace_back(spec_, plan_, array, effects_on(array)).model());
  }
  const auto send = [&](Seconds, Seconds to) { clients.run_until(std::chrono::seconds(to)); };
  return record(spec_, recorded, send, sink, progress);
}

}  // namespace laggard::lab::scale
