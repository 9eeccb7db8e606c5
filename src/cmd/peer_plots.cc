#include "cmd/peer_plots.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "cmd/observation_feed.h"
#include "cmd/read_recording.h"
#include "engine/columns.h"
#include "engine/plot_collector.h"

namespace laggard::cmd {

namespace {

/// A page with more pictures than this is not looked at.
constexpr std::size_t kMostPlotted = 12;
constexpr std::size_t kMostPlotsPerIncident = 4;

engine::PipelineOptions options_of(const AnalysisSetup& setup) {
  engine::PipelineOptions options = setup.pipeline;
  options.windows = setup.preset.windows;
  return options;
}

TimeSpan span_of(const AnalysisSetup& setup) { return recorded_span(setup.inventory, setup.request); }

std::optional<std::size_t> group_of(const Grouping& grouping, const std::string& component) {
  for (std::size_t g = 0; g < grouping.groups.size(); ++g) {
    if (grouping.groups[g].second_only) continue;
    for (const ComponentId id : grouping.groups[g].members) {
      if (grouping[id].name == component) return g;
    }
  }
  return std::nullopt;
}

std::vector<TimeSpan> merge_windows(const std::vector<WallTime>& starts, Duration length) {
  std::vector<TimeSpan> spans;
  for (const WallTime start : starts) {
    if (!spans.empty() && start <= spans.back().to) {
      spans.back().to = start + length;
    } else {
      spans.push_back({start, start + length});
    }
  }
  return spans;
}

struct Wanted {
  std::vector<engine::PlotRequest> requests;
  std::vector<std::string> incidents;  ///< Per request, whose it is.
};

/// Of the windows that the evidence is of.
Duration window_length(const AnalysisSetup& setup, const Evidence& evidence) {
  if (evidence.window_s)
    return std::chrono::round<Duration>(std::chrono::duration<double>(*evidence.window_s));
  return setup.preset.windows.interval * static_cast<std::int64_t>(setup.preset.windows.size);
}

Wanted wanted_plots(const AnalysisSetup& setup, const Diagnosis& diagnosis) {
  Wanted wanted;
  for (std::size_t i = 0; i < std::min(kMostPlotted, diagnosis.incidents.size()); ++i) {
    const Incident& incident = diagnosis.incidents[i];
    std::vector<std::pair<std::string, std::string>> done;
    for (const Evidence& evidence : incident.evidence) {
      if (evidence.metric.empty()) continue;
      const std::pair<std::string, std::string> key{evidence.metric, evidence.component};
      if (done.size() == kMostPlotsPerIncident || std::find(done.begin(), done.end(), key) != done.end())
        continue;
      const auto group = group_of(setup.grouping, evidence.component);
      if (!group) continue;
      done.push_back(key);
      engine::PlotRequest request;
      request.group = *group;
      request.metric = find_metric(evidence.metric);
      request.sick = evidence.component;
      const Duration length = window_length(setup, evidence);
      request.flagged = merge_windows(evidence.windows, length);
      if (evidence.worst_window)
        request.distribution = TimeSpan{*evidence.worst_window, *evidence.worst_window + length};
      wanted.requests.push_back(std::move(request));
      wanted.incidents.push_back(incident.id);
    }
  }
  return wanted;
}

Result<std::vector<engine::CollectedPlot>> collect(AnalysisSetup& setup,
                                                   std::vector<engine::PlotRequest> requests) {
  engine::PlotCollector collector(setup.grouping, options_of(setup), span_of(setup), std::move(requests));
  const ObservationConsumer events{.events = [&](const EventTable& table) { collector.add(table); },
                                   .complete = [&](WallTime until) { collector.advance(until); }};
  Status read = read_all_derived(setup, "plotting", events, [&](std::span<const SampleTable> tables) {
    for (const SampleTable& table : tables) collector.add(table);
  });
  if (!read) return forward(read);
  return collector.finish();
}

}  // namespace

Result<Plots> incident_plots(AnalysisSetup& setup, const Diagnosis& diagnosis) {
  Wanted wanted = wanted_plots(setup, diagnosis);
  auto collected = collect(setup, std::move(wanted.requests));
  if (!collected) return forward(collected);
  Plots plots;
  for (std::size_t i = 0; i < collected->size(); ++i) {
    if (plots.incidents.empty() || plots.incidents.back().incident != wanted.incidents[i]) {
      plots.incidents.push_back({wanted.incidents[i], {}, {}});
    }
    IncidentPlots& incident = plots.incidents.back();
    incident.peers.push_back(std::move((*collected)[i].plot));
    if ((*collected)[i].distribution)
      incident.distributions.push_back(std::move(*(*collected)[i].distribution));
  }
  return plots;
}

Result<report::TrainingDay> training_plots(AnalysisSetup& setup) {
  std::vector<engine::PlotRequest> requests;
  for (std::size_t g = 0; g < setup.grouping.groups.size(); ++g) {
    const auto columns = engine::columns_for(setup.grouping.groups[g].kind, setup.pipeline);
    for (const auto& column : columns) {
      if (column.judged) requests.push_back({g, column.metric, {}, {}, {}});
    }
  }
  auto collected = collect(setup, std::move(requests));
  if (!collected) return forward(collected);
  report::TrainingDay day;
  const TimeSpan span = span_of(setup);
  day.from = span.from;
  day.to = span.to;
  day.preset = setup.preset.name;
  for (const detect::Distance distance : setup.pipeline.distances) {
    day.distance += (day.distance.empty() ? "" : "+") + std::string(to_name(distance));
  }
  for (engine::CollectedPlot& plot : *collected) day.plots.push_back(std::move(plot.plot));
  day.notes = setup.grouping.not_comparable;
  return day;
}

}  // namespace laggard::cmd
