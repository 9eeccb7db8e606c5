#include "cmd/service_times.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cmd/observation_feed.h"
#include "detect/peer/judge/saturation_watch.h"
#include "detect/peer/judge/service_times.h"
#include "engine/columns.h"

namespace laggard::cmd {

namespace {

bool by_deviation(const AnalysisSetup& setup, const MetricSpec& metric) {
  return detect::is_judged_by_deviation(metric, setup.pipeline.parameters.policies);
}

/// A metric in which a group is compared.
struct ComparedMetric {
  const MetricSpec* metric = nullptr;
  std::string group;
};

std::vector<ComparedMetric> all_compared(const AnalysisSetup& setup) {
  std::vector<ComparedMetric> all;
  for (const PeerGroup& group : setup.grouping.groups) {
    for (const detect::GroupJudge::Column& column : engine::columns_for(group.kind, setup.pipeline)) {
      if (column.judged) all.push_back({column.metric, group.name});
    }
  }
  return all;
}

}  // namespace

Status find_saturated(AnalysisSetup& setup) {
  const std::vector<ComparedMetric> compared = all_compared(setup);
  if (std::ranges::none_of(compared,
                           [&](const ComparedMetric& one) { return by_deviation(setup, *one.metric); })) {
    return {};
  }
  detect::SaturationWatch watch(setup.grouping, setup.pipeline.parameters);
  engine::PipelineOptions options = setup.pipeline;
  options.windows = setup.preset.windows;
  options.beside.reset();
  options.observers = {&watch};
  engine::Pipeline pipeline(setup.grouping, std::move(options));
  const engine::Pipeline::Sink nobody = [](std::size_t, const detect::WindowJudgement&) {};
  const ObservationConsumer events{.events = [&](const EventTable& table) { pipeline.add(table); },
                                   .complete = [&](WallTime until) { pipeline.advance(until, nobody); }};
  Status read = read_all_derived(setup, "looking for saturated servers", events,
                                 [&](std::span<const SampleTable> tables) { pipeline.add(tables, nobody); });
  if (!read) return read;
  pipeline.finish(nobody);
  setup.pipeline.trained_times = watch.saturated();
  return {};
}

std::vector<std::string> saturated_sentences(const AnalysisSetup& setup) {
  std::vector<std::string> sentences;
  for (const auto& [where, taught] : setup.pipeline.trained_times) {
    sentences.push_back(fmt::format("saturated in {} of {}, and no part of its median: {}", where.first,
                                    where.second, fmt::join(taught.saturated, ", ")));
  }
  return sentences;
}

bool are_service_times_alone(const AnalysisSetup& setup) {
  const std::vector<ComparedMetric> compared = all_compared(setup);
  return !compared.empty() && std::ranges::all_of(compared, [&](const ComparedMetric& one) {
    return by_deviation(setup, *one.metric);
  });
}

Status heed_service_times(AnalysisSetup& setup) {
  if (setup.thresholds) setup.pipeline.trained_times = detect::trained_times(*setup.thresholds);
  std::set<const MetricSpec*> left;
  std::vector<ComparedMetric> untrained;
  for (const ComparedMetric& one : all_compared(setup)) {
    const bool trained = setup.pipeline.trained_times.contains({std::string(one.metric->name), one.group});
    if (trained || !by_deviation(setup, *one.metric)) {
      left.insert(one.metric);
    } else {
      untrained.push_back(one);
    }
  }
  if (untrained.empty()) return {};
  std::vector<std::string> names;
  names.reserve(untrained.size());
  for (const ComparedMetric& one : untrained)
    names.push_back(fmt::format("{} of {}", one.metric->name, one.group));
  const std::string sentence = fmt::format(
      "{}: what calls take is held against trained thresholds alone; `laggard train --algorithm "
      "paper` learns them, --thresholds uses them",
      fmt::join(names, ", "));
  if (left.empty()) return fail(ErrorCode::kBadUse, "--algorithm paper", sentence);
  setup.remarks.push_back("not judged: " + sentence);
  std::vector<const MetricSpec*>& metrics = setup.pipeline.metrics;
  metrics.clear();
  for (const MetricSpec& metric : metric_catalogue()) {
    if (left.contains(&metric)) metrics.push_back(&metric);
  }
  return {};
}

}  // namespace laggard::cmd
