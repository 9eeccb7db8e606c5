#include "cmd/analysis_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "archive/ledger.h"
#include "archive/reader.h"
#include "archive/recordings_in.h"
#include "base/text.h"
#include "cmd/observation_feed.h"
#include "cmd/read_recording.h"
#include "cmd/uncompared.h"
#include "detect/peer/judge/parameters.h"
#include "engine/columns.h"
#include "engine/derivations.h"
#include "engine/one_client.h"
#include "topology/groups.h"
#include "topology/system_file.h"

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

Status check_parameters(const detect::Preset& preset) {
  constexpr std::size_t kMostSamples = 100'000;
  const detect::WindowSpec& windows = preset.windows;
  if (windows.size < 4 || windows.size > kMostSamples || windows.shift < 1 || windows.shift > windows.size ||
      windows.smoothing < 1 || windows.smoothing > kMostSamples || windows.k < 1 || windows.k > 32) {
    return fail(
        ErrorCode::kBadUse, "--window",
        fmt::format("windows need 4 to {0} samples, a shift from 1 to the window, smoothing from 1 to "
                    "{0}, and k from 1 to 32",
                    kMostSamples));
  }
  if (!(preset.factor > 0) || std::isinf(preset.factor)) {
    return fail(ErrorCode::kBadUse, "--factor", "must be a number above 0");
  }
  return {};
}

std::string damage_in_words(const Inventory& inventory) {
  const std::size_t files = inventory.damaged.size();
  return fmt::format("{} file{} damaged, first {}", files, files == 1 ? " is" : "s are",
                     inventory.damaged.front());
}

/// Of events and profiles; from >= to when there are none.
TimeSpan observed_span(const AnalysisSetup& setup) {
  TimeSpan span{WallTime::max(), WallTime::min()};
  for (const ObservationStream& stream : setup.streams) {
    span = {std::min(span.from, stream.first), std::max(span.to, stream.last)};
  }
  if (setup.request.from) span.from = std::max(span.from, *setup.request.from);
  if (setup.request.to) span.to = std::min(span.to, *setup.request.to);
  return span;
}

/// What `auto` takes for a recording of that length.
detect::Preset automatic_preset(const AnalysisOptions& options, Duration length, Duration interval) {
  const detect::Preset& wanted =
      options.live ? *detect::find_preset(engine::is_fine({.interval = interval}) ? "lab" : "production")
                   : detect::preset_for_length(length, interval);
  const bool may =
      options.trained.empty() || std::ranges::find(options.trained, wanted.name) != options.trained.end();
  return may ? wanted : *detect::find_preset(options.trained.front());
}

/// `preset lab for a recording of 4m33s, and the windows of quick beside it`
std::string chosen_preset(const AnalysisSetup& setup, const AnalysisOptions& options, Duration length) {
  const auto& beside = setup.pipeline.beside;
  const std::string what =
      options.live ? fmt::format("samples every {}", to_text(setup.sample_interval))
                   : fmt::format("a recording of {}",
                                 to_text(std::chrono::duration_cast<std::chrono::seconds>(length)));
  return fmt::format("preset {} for {}{}", setup.preset.name, what,
                     beside ? fmt::format(", and the windows of {} beside it", beside->preset.name) : "");
}

/// Of what is judged: of samples where there are any.
Duration recorded_length(const AnalysisSetup& setup) {
  const TimeSpan span = recorded_span(setup.inventory, setup.request);
  const TimeSpan observed = observed_span(setup);
  return span.from < span.to ? recorded_time(setup.inventory, setup.request) : observed.to - observed.from;
}

/// Windows of the other length, with `auto` or where both were asked for, unless windows were described one
/// by one.
Status choose_beside(const AnalysisOptions& options, AnalysisSetup& setup) {
  const detect::Preset* const other = detect::preset_beside(setup.preset.name);
  const bool described = options.window_size || options.window_shift || options.smoothing || options.k;
  const bool both = options.preset == "auto" || options.preset.find(',') != std::string::npos;
  if (!both || other == nullptr || described || !setup.pipeline.parameters.policies.side_by_side ||
      !engine::is_fine(setup.preset.windows)) {
    return {};
  }
  if (!options.trained.empty() && std::ranges::find(options.trained, other->name) == options.trained.end())
    return {};
  engine::BesideOptions& beside = setup.pipeline.beside.emplace();
  beside.preset = *other;
  beside.preset.windows.interval = setup.preset.windows.interval;
  beside.preset.factor = options.factor.value_or(other->factor);
  beside.preset.deviation_factor = options.factor.value_or(other->deviation_factor);
  beside.preset.confirm_persistence = options.confirm_persistence.value_or(other->confirm_persistence);
  beside.parameters =
      detect::parameters_beside(setup.algorithm.parameters(beside.preset), beside.preset, setup.preset);
  for (const std::string& constant : options.parameters) {
    if (Status set = detect::set_parameter(beside.parameters, constant); !set) return set;
  }
  return {};
}

/// Chooses and fits the preset.
Status choose_preset(const AnalysisOptions& options, AnalysisSetup& setup) {
  const TimeSpan span = recorded_span(setup.inventory, setup.request);
  const TimeSpan observed = observed_span(setup);
  if (span.from >= span.to && observed.from >= observed.to) {
    const std::string where = options.recordings.front().string();
    if (!setup.inventory.damaged.empty()) {
      return fail(
          ErrorCode::kDamaged, where,
          fmt::format("nothing that can be read is in that span of time, and {}; `laggard info --recover` "
                      "saves what is reachable",
                      damage_in_words(setup.inventory)));
    }
    return fail(ErrorCode::kBadInput, where,
                "there is nothing recorded in that span of time; `laggard info` says what is there");
  }
  setup.preset =
      options.preset == "auto"
          ? automatic_preset(options, recorded_length(setup), setup.sample_interval)
          : *detect::find_preset(std::string_view(options.preset).substr(0, options.preset.find(',')));
  Duration step = std::max(setup.sample_interval, setup.preset.down_sample.value_or(Duration{}));
  if (!options.step.empty()) {
    auto parsed = parse_duration(options.step);
    if (!parsed || parsed->count() <= 0) {
      return fail(ErrorCode::kBadUse, "--step", fmt::format("'{}' is no duration such as 15s", options.step));
    }
    step = *parsed;
    if (step < setup.sample_interval) {
      return fail(ErrorCode::kBadUse, "--step",
                  fmt::format("{} is finer than the recording's {}; samples cannot be made up", options.step,
                              to_text(setup.sample_interval)));
    }
  }
  detect::WindowSpec& windows = setup.preset.windows;
  windows.interval = step;
  windows.size = options.window_size.value_or(windows.size);
  windows.shift = options.window_shift.value_or(windows.shift);
  windows.smoothing = options.smoothing.value_or(windows.smoothing);
  windows.k = options.k.value_or(windows.k);
  setup.preset.factor = options.factor.value_or(setup.preset.factor);
  setup.preset.deviation_factor = options.factor.value_or(setup.preset.deviation_factor);
  setup.preset.confirm_persistence = options.confirm_persistence.value_or(setup.preset.confirm_persistence);
  return check_parameters(setup.preset);
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
  if (options.preset == "auto")
    setup.remarks.insert(setup.remarks.begin(), chosen_preset(setup, options, recorded_length(setup)));
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

/// A description that lies in a recording but is not asked for: whoever forgets it gets another verdict.
void point_at_systems(const AnalysisOptions& options, AnalysisSetup& setup) {
  for (const std::filesystem::path& recording : options.recordings) {
    const std::filesystem::path file = recording / "system.toml";
    std::error_code none;
    if (!std::filesystem::is_regular_file(file, none)) continue;
    setup.remarks.push_back(
        fmt::format("{0} describes the system and is not used; --system {0} uses it", file.string()));
  }
}

Status read_system(const AnalysisOptions& options, AnalysisSetup& setup) {
  if (options.system.empty()) return {};
  auto model = topology::load_system(options.system);
  if (!model) return forward(model);
  setup.system = std::move(*model);
  return {};
}

Status group(const AnalysisOptions& options, AnalysisSetup& setup) {
  if (options.system.empty()) point_at_systems(options, setup);
  if (setup.inventory.devices.empty()) {  // Of events alone nobody is compared.
    if (setup.system) setup.grouping = topology::parts_alone(*setup.system);
    return {};
  }
  topology::GroupingOptions grouping;
  if (options.peers == "rank") grouping.peers = DiskPeers::kRank;
  if (options.peers == "host") grouping.peers = DiskPeers::kHost;
  if (options.peers == "all") grouping.peers = DiskPeers::kAll;
  const TimeSpan span = recorded_span(setup.inventory, setup.request);
  std::vector<Decision> heeded;
  if (options.heed_decisions) heeded = standing(setup.decisions);
  if (!heeded.empty() || !options.left_out.empty()) {
    // Whom operators exclude only for a time the pipeline leaves out for that time.
    grouping.left_out = [&heeded, &options, span](const Grouping& groups, const Component& component) {
      const bool named = std::ranges::any_of(options.left_out, [&](const std::string& name) {
        return name == component.host || name == component.name;
      });
      return named || excluded_throughout(groups, component, heeded, span);
    };
  }
  auto groups = topology::make_groups(setup.inventory, setup.system ? &*setup.system : nullptr, grouping);
  if (!groups) return forward(groups);
  setup.grouping = std::move(*groups);
  if (options.one_client) {
    const std::string client = engine::OneClient(setup.grouping).client();
    setup.remarks.push_back("connections: " + (client.empty() ? "all, since no client is known"
                                                              : "only the windows of " + client));
  }
  // Who is connected with whom stands in the grouping now.
  if (setup.system) setup.system->topology = {};
  setup.pipeline.interventions = Interventions(setup.grouping, heeded);
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

/// What operators said of the components, in the order in which they said it.
Status read_decisions(const AnalysisOptions& options, AnalysisSetup& setup) {
  std::vector<std::filesystem::path> ledgers;
  if (!options.ledger.empty()) {
    ledgers.emplace_back(options.ledger);
  } else {
    for (const std::filesystem::path& path : options.recordings) {
      std::ranges::transform(archive::recordings_in(path), std::back_inserter(ledgers), archive::ledger_of);
    }
  }
  for (const std::filesystem::path& ledger : ledgers) {
    auto decisions = archive::read_ledger(ledger);
    if (!decisions) return forward(decisions);
    setup.decisions.insert(setup.decisions.end(), decisions->begin(), decisions->end());
  }
  std::ranges::stable_sort(setup.decisions, {}, &Decision::made);
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

std::filesystem::path ledger_for(const AnalysisOptions& options) {
  if (!options.ledger.empty()) return options.ledger;
  return archive::ledger_of(options.recordings.front());
}

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
  if (Status grouped = group(options, setup); !grouped) return forward(grouped);
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
