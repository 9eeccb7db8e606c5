#include "engine/checkpoint.h"

#include "base/bytes.h"
#include "base/state_codec.h"
#include "detect/peer/judge/parameters.h"
#include "engine/diagnoser.h"

namespace laggard::engine {

namespace {

void put_groups(StateWriter& out, const Grouping& grouping) {
  out(grouping.groups.size());
  for (const PeerGroup& group : grouping.groups) {
    out(group.name, to_name(group.kind), group.second_only, group.members.size(), group.double_with.size());
    for (const ComponentId id : group.members) {
      const Component& member = grouping[id];
      out(member.name, member.host, member.priority, member.rotational);
    }
    for (const std::optional<GroupId>& second : group.double_with) out(second ? second->index() + 1 : 0);
  }
}

void put_parameters(StateWriter& out, const detect::Parameters& parameters) {
  for (const detect::NamedParameter& one : detect::named_parameters()) out(one.name, one.get(parameters));
  for (const MetricSpec& metric : metric_catalogue()) {
    out(metric.name);
    for (const bool flash : {false, true}) out(detect::noise_floor(parameters, metric, flash));
  }
  const detect::Policies& use = parameters.policies;
  out(use.our_metrics, use.regimes, use.idleness, use.directions, use.absence, use.bias,
      use.pooled_thresholds, use.bounded_kl, use.joint_confirmation, use.failovers, use.companions,
      use.deviations, use.halting, use.one_client);
  out(static_cast<std::uint64_t>(use.floor_use), static_cast<std::uint64_t>(use.congestion));
}

void put_thresholds(StateWriter& out, const detect::Thresholds& thresholds) {
  for (const detect::GroupThresholds& group : thresholds.groups) {
    out(group.distance, group.metric, group.group, group.others, group.windows, group.components.size());
    for (const auto& [component, threshold] : group.components) out(component, threshold);
    out(group.saturated.size());
    for (const std::string& component : group.saturated) out(component);
  }
}

void put_interventions(StateWriter& out, const Grouping& grouping, const Interventions& interventions) {
  for (std::size_t c = 0; c < interventions.events().size(); ++c) {
    for (const Intervention& event : interventions.events()[c]) {
      out(grouping.components[c].name, to_name(event.kind), event.from);
    }
  }
}

}  // namespace

std::uint64_t state_fingerprint(const Grouping& grouping, const DiagnoserOptions& options) {
  StateWriter out;
  const detect::WindowSpec& windows = options.preset.windows;
  const PipelineOptions& pipeline = options.pipeline;
  out(windows.interval.count(), windows.size, windows.shift, windows.smoothing, windows.k);
  out(options.preset.confirm_persistence, options.bias, options.learn, pipeline.busy_times,
      pipeline.sample_interval.count());
  for (const DetectorSpec& detector : options.detectors) out(detector.source);
  out(options.normal_errors.size());
  for (const std::string& error : options.normal_errors) out(error);
  out(options.code_measure);
  for (const auto& [kind, hosts] : options.trained_behaviour) {
    for (const auto& [host, distance] : hosts) out(kind, host, distance);
  }
  for (const derive::Derivation& row : pipeline.derived.table) {
    out(row.events, to_name(row.kind), row.device, row.mark, row.counters.size());
    for (const derive::DerivedCounter& counter : row.counters)
      out(counter.name, static_cast<std::uint64_t>(counter.counted), counter.what, counter.attribute,
          counter.unit.count(), counter.at_most.value_or(Duration::zero()).count());
  }
  for (const detect::Distance distance : pipeline.distances) out(to_name(distance));
  for (const MetricSpec* metric : pipeline.metrics) out(metric->name);
  for (const std::string& counter : pipeline.counters) out(counter);
  put_groups(out, grouping);
  put_parameters(out, pipeline.parameters);
  put_thresholds(out, options.thresholds.thresholds());
  put_interventions(out, grouping, pipeline.interventions);
  out(pipeline.beside.has_value());
  if (pipeline.beside) {
    const detect::Preset& beside = pipeline.beside->preset;
    out(beside.windows.size, beside.windows.shift, beside.windows.smoothing, beside.windows.k,
        beside.confirm_persistence);
    put_parameters(out, pipeline.beside->parameters);
    put_thresholds(out, options.beside_thresholds.thresholds());
  }
  return checksum(out.take());
}

}  // namespace laggard::engine
