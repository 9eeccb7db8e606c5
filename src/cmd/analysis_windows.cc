#include "cmd/analysis_windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cmd/read_recording.h"
#include "detect/peer/judge/parameters.h"
#include "engine/columns.h"

namespace laggard::cmd {

namespace {

Status check_preset(const detect::Preset& preset) {
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

Status add_beside(const AnalysisOptions& options, AnalysisSetup& setup) {
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

}  // namespace

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
  return check_preset(setup.preset);
}

Status choose_beside(const AnalysisOptions& options, AnalysisSetup& setup) {
  if (Status added = add_beside(options, setup); !added) return added;
  if (options.preset == "auto") {
    setup.remarks.insert(setup.remarks.begin(), chosen_preset(setup, options, recorded_length(setup)));
  }
  return {};
}

}  // namespace laggard::cmd
