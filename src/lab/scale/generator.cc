#include "lab/scale/generator.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "base/error.h"
#include "lab/scale/copying_clients.h"
#include "lab/scale/recorded_array.h"

namespace laggard::lab::scale {

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

/// Sends an array what jobs, servers and everybody else ask it for, in an open loop: nobody waits for an
/// answer before the next request (clients that do are CopyingClients).
class OpenLoad {
 public:
  /// `spec`, `loads` (per pool) and `plan` must outlive this.
  OpenLoad(const ScaleSpec& spec, const std::vector<FileSystemLoad>& loads, const Plan& plan,
           std::size_t array);

  /// Sends the requests of (from, to] in the order of their times.
  void send(Seconds from, Seconds to, ArrayModel& model);

 private:
  void draw_server_work(std::size_t lun, Seconds to);

  const ScaleSpec& spec_;
  const Plan& plan_;
  std::size_t array_;
  ArrayLoad load_;
  std::vector<std::pair<SimTime, std::size_t>> order_;  ///< Of what is drawn, by time.
};

OpenLoad::OpenLoad(const ScaleSpec& spec, const std::vector<FileSystemLoad>& loads, const Plan& plan,
                   std::size_t array)
    : spec_(spec), plan_(plan), array_(array), load_(spec, loads, array) {}

void OpenLoad::send(Seconds from, Seconds to, ArrayModel& model) {
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

void OpenLoad::draw_server_work(std::size_t lun, Seconds to) {
  for (const ServerWork& own : plan_.server_work) {
    if (to <= own.from || to > own.to) continue;
    if (own.pool && *own.pool != spec_.site.sets[spec_.site.set_of(lun)].pool) continue;
    const std::optional<std::size_t> server = own.array == array_ ? std::optional(own.server) : std::nullopt;
    load_.draw(own.requests, lun, server);
  }
}

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
