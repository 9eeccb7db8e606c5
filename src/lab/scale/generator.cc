#include "lab/scale/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lab/scale/lun_model.h"
#include "lab/scale/server_recorder.h"

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
