#include "cmd/analysis_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "archive/reader.h"
#include "base/text.h"
#include "cmd/analysis_peers.h"
#include "cmd/analysis_windows.h"
#include "cmd/observation_feed.h"
#include "cmd/read_recording.h"
#include "cmd/uncompared.h"
#include "detect/peer/judge/parameters.h"
#include "engine/columns.h"
#include "engine/derivations.h"

namespace laggard::cmd {

namespace {

/// The distance of samples that most devices have, as a person would say it: whole seconds, or tenths below.
Duration common_interval(const Inventory& inventory) {
  std::map<Duration, std::size_t> votes;
  for (const DeviceInfo& device : inventory.devices) {
    if (!device.interval) continue;
    const double seconds = to_seconds(*device.interval);
    const double rounded =
        seconds >= 0.95 ? std::round(seconds) : std::max(0.1, std::round(seconds * 10) / 10);
    ++votes[Duration{static_cast<std::int64_t>(std::llround(rounded * 1e9))}];
  }
  const auto most = std::max_element(votes.begin(), votes.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == votes.end() ? std::chrono::seconds(1) : most->first;
}

Result<ReadRequest> parse_request(const AnalysisOptions& options) {
  ReadRequest request;
  if (!options.from.empty()) {
    auto from = parse_time(options.from);
    if (!from) return fail(ErrorCode::kBadUse, "--from", from.error().what);
    request.from = *from;
  }
  if (!options.to.empty()) {
    auto to = parse_time(options.to);
    if (!to) return fail(ErrorCode::kBadUse, "--to", to.error().what);
    request.to = *to;
  }
  if (request.from && request.to && *request.from >= *request.to) {
    return fail(ErrorCode::kBadUse, "--from", "must be before --to");
  }
  return request;
}

Status choose_comparison(const AnalysisOptions& options, AnalysisSetup& setup) {
  const auto algorithm = engine::find_algorithm(options.algorithm);
  if (!algorithm) {
    return fail(ErrorCode::kBadUse, "--algorithm",
                fmt::format("'{}' is neither laggard nor paper", options.algorithm));
  }
  setup.algorithm = *algorithm;
  setup.pipeline.parameters = algorithm->parameters(setup.preset);
  setup.pipeline.parameters.policies.one_client = options.one_client;
  for (const std::string& constant : options.parameters) {
    if (Status set = detect::set_parameter(setup.pipeline.parameters, constant); !set) return set;
    setup.remarks.push_back(fmt::format("set: {}", constant));
  }
  if (Status agree = check_parameters(setup.pipeline.parameters); !agree) return agree;
  if (Status chosen = choose_beside(options, setup); !chosen) return chosen;
  setup.pipeline.distances.clear();
  for (const std::string_view name : split(options.distances, ',')) {
    const auto distance = detect::distance(trim(name));
    if (!distance) {
      return fail(ErrorCode::kBadUse, "--distance",
                  fmt::format("'{}' is none of cdf, wasserstein, kl, median and thresh", name));
    }
    auto& chosen = setup.pipeline.distances;
    if (std::find(chosen.begin(), chosen.end(), *distance) == chosen.end()) chosen.push_back(*distance);
  }
  if (!options.metrics.empty()) {
    for (const std::string_view name : split(options.metrics, ',')) {
      const MetricSpec* metric = find_metric(trim(name));
      if (metric == nullptr) {
        return fail(ErrorCode::kBadUse, "--metric",
                    fmt::format("'{}' is no metric; docs/methods/metrics.md lists them", name));
      }
      setup.pipeline.metrics.push_back(metric);
    }
  }
  setup.pipeline.counters = engine::counters_of(setup.inventory);
  setup.pipeline.sample_interval = setup.sample_interval;
  setup.pipeline.busy_times = engine::wants_busy_times(setup.preset.windows, setup.pipeline.parameters);
  return {};
}

/// Events are gone through once, to find the devices that they tell of, before peers are grouped. Where there
/// are none yet a watch still learns of those that come.
Status survey_events(const AnalysisOptions& options, AnalysisSetup& setup) {
  const auto tells = [&](const derive::Derivation& row) {
    return std::ranges::any_of(setup.streams, [&](const ObservationStream& stream) {
      return stream.shape == ObservationShape::kEvents && stream.kind == row.recorded();
    });
  };
  const TransferRules transfers = setup.system ? setup.system->transfers : TransferRules();
  setup.pipeline.derived = {options.derivations,
                            std::vector<std::vector<SeriesKey>>(options.derivations.size()), transfers};
  if (std::ranges::none_of(options.derivations, tells)) return {};
  if (setup.inventory.devices.empty()) {
    setup.sample_interval = Duration::zero();
    for (const derive::Derivation& row : options.derivations) {
      if (tells(row)) setup.sample_interval = std::max(setup.sample_interval, row.cadence);
    }
  }
  auto feed = ObservationFeed::open(setup.observations, setup.request, {{}, options.derivations});
  if (!feed) return forward(feed);
  engine::DerivationSurvey survey(options.derivations, setup.sample_interval, transfers);
  Status read = feed->read_rest({.events = [&](const EventTable& table) { survey.add(table); }});
  if (read) setup.pipeline.derived = survey.finish(setup.inventory);
  return read;
}

/// What was asked for and cannot be computed is said, and refused when nothing is left.
Status check_metrics(const AnalysisOptions& options, AnalysisSetup& setup) {
  const std::vector<const MetricSpec*>& wanted = setup.pipeline.metrics;
  std::vector<std::string_view> missing;
  for (const MetricSpec* metric : wanted) {
    const auto& groups = setup.grouping.groups;
    engine::PipelineOptions alone = setup.pipeline;
    alone.metrics = {metric};
    const bool any = std::any_of(groups.begin(), groups.end(), [&](const PeerGroup& peers) {
      return !engine::columns_for(peers.kind, alone).empty();
    });
    if (!any) missing.push_back(metric->name);
  }
  if (missing.empty()) return {};
  const std::string names = fmt::format("{}", fmt::join(missing, ", "));
  if (missing.size() == wanted.size() && !setup.grouping.groups.empty()) {
    return fail(ErrorCode::kBadUse, "--metric",
                fmt::format("{} cannot be computed from what {} holds; `laggard info` says what is there",
                            names, options.recordings.front().string()));
  }
  setup.remarks.push_back(fmt::format("not recorded: {}", names));
  return {};
}

/// Samples of a host wait for those of all others as far as its tables reach. Of very large systems they are
/// read in parts, so that about so many numbers wait, ...
constexpr double kMostWaiting = 12e6;
/// ... but not in smaller ones, since with each part its whole block is unpacked.
constexpr double kLeastTimes = 192;

/// How many sample times to read at once (ReadRequest::most_times). Zeros need not wait in memory.
std::size_t times_at_once(const AnalysisSetup& setup) {
  double numbers = 0;  // Per sample time.
  for (const DeviceInfo& device : setup.inventory.devices) {
    if (device.kind != DeviceKind::kDisk || device.samples == 0) continue;
    numbers += static_cast<double>(device.active_samples) / static_cast<double>(device.samples);
  }
  std::size_t columns = 0;
  for (const PeerGroup& group : setup.grouping.groups) {
    columns = std::max(columns, engine::columns_for(group.kind, setup.pipeline).size());
  }
  // Of a disk that two hosts record, the later table counts.
  const bool shared = std::ranges::any_of(setup.grouping.components, [](const Component& component) {
    return component.kind == DeviceKind::kDisk && component.series.size() > 1;
  });
  if (shared || numbers == 0 || columns == 0) return 0;
  return static_cast<std::size_t>(
      std::max(kLeastTimes, kMostWaiting / (numbers * static_cast<double>(columns))));
}

}  // namespace

Result<AnalysisSetup> prepare(const AnalysisOptions& options) {
  AnalysisSetup setup;
  auto request = parse_request(options);
  if (!request) return forward(request);
  setup.request = std::move(*request);
  auto reader = archive::Reader::open(options.recordings, {.cache = options.cache});
  if (!reader) return forward(reader);
  auto inventory = (*reader)->inventory();
  if (!inventory) return forward(inventory);
  setup.inventory = std::move(*inventory);
  setup.disorder = (*reader)->disorder();
  setup.uncompared = uncompared(setup.inventory);
  auto streams = wanted_streams(**reader, {options.detectors, options.derivations});
  if (!streams) return forward(streams);
  setup.streams = std::move(*streams);
  setup.observations = reader->get();
  setup.source = std::move(*reader);
  setup.sample_interval = common_interval(setup.inventory);
  if (Status read = read_system(options, setup); !read) return forward(read);
  if (Status derived = survey_events(options, setup); !derived) return forward(derived);
  if (Status chosen = choose_preset(options, setup); !chosen) return forward(chosen);
  // Which metrics are compared depends on how far samples are apart.
  setup.pipeline.windows = setup.preset.windows;
  if (Status chosen = choose_comparison(options, setup); !chosen) return forward(chosen);
  if (Status decided = read_decisions(options, setup); !decided) return forward(decided);
  if (Status grouped = group_peers(options, setup); !grouped) return forward(grouped);
  if (Status known = check_metrics(options, setup); !known) return forward(known);
  setup.request.counters = engine::counters_to_read(setup.grouping, setup.pipeline, setup.inventory);
  setup.request.most_times = times_at_once(setup);
  const std::size_t threads = options.threads > 0 ? options.threads : all_threads();
  setup.workers = std::make_unique<Workers>(threads);
  setup.pipeline.workers = setup.workers.get();
  return setup;
}

void add_notices(AnalysisSetup& setup, std::vector<std::string> notices) {
  std::ranges::sort(notices);
  std::vector<std::string>& known = setup.inventory.notices;
  for (std::string& notice : notices) {
    if (std::ranges::find(known, notice) == known.end()) known.push_back(std::move(notice));
  }
}

void add_damaged(AnalysisSetup& setup, const std::vector<std::string>& files) {
  std::vector<std::string>& known = setup.inventory.damaged;
  known.insert(known.end(), files.begin(), files.end());
  std::ranges::sort(known);
  known.erase(std::unique(known.begin(), known.end()), known.end());
}

Status read_all(AnalysisSetup& setup, std::string_view doing,
                const std::function<void(std::span<const SampleTable>)>& consume) {
  const TableReading reading{*setup.source, setup.request, recorded_span(setup.inventory, setup.request),
                             setup.workers.get()};
  if (Status read = read_tables(reading, doing, consume); !read) return read;
  // Damage shows when values are read.
  add_notices(setup, setup.source->notices());
  add_damaged(setup, setup.source->damaged());
  return {};
}

}  // namespace laggard::cmd
