#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyse/judge/gap_clock.h"
#include "analyse/judge/tape_codec.h"
#include "analyse/script/script.h"
#include "analyse/skew/run_loads.h"
#include "cmd/analysis_setup.h"
#include "cmd/judge_part.h"

namespace laggard::cmd::testing_support {

/// What `prepare` would find out about a simulated recording.
inline AnalysisSetup setup_of(const analyse::script::System& system, std::string_view preset) {
  auto recording = analyse::script::record(system, preset);
  AnalysisSetup setup;
  setup.source = std::make_unique<MemorySource>(std::move(recording->source));
  setup.inventory = *setup.source->inventory();
  setup.grouping = std::move(recording->grouping);
  setup.preset = recording->preset;
  setup.pipeline = std::move(recording->pipeline);
  setup.sample_interval = setup.pipeline.sample_interval;
  return setup;
}

/// Takes down every bit of every window, with its position, a line each.
class Protocol {
 public:
  explicit Protocol(const AnalysisSetup& setup)
      : grid_{setup.preset.windows.interval}, clock_(setup.preset.windows.size) {}

  void take(analyse::JudgedRun& run) {
    for (const double load : run.loads) loads_.push_back(std::bit_cast<std::uint64_t>(load));
    std::vector<std::int64_t> cells;
    for (const analyse::JudgedWindow& one : run.windows) cells.push_back(one.cell);
    std::size_t next = 0;
    clock_.take(run, grid_, [&](std::size_t group, const analyse::WindowJudgement& window) {
      analyse::JudgedRun alone{{cells[next], cells[next] + 1}, {}, {}};
      alone.windows.push_back({group, cells[next++], window});
      lines_.push_back(std::to_string(window.position) + " " + analyse::encode_run(alone));
    });
  }
  /// The loads of all cells come last: runs may be cut anywhere.
  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> all = lines_;
    std::string loads;
    for (const std::uint64_t bits : loads_) loads += std::to_string(bits) + " ";
    all.push_back(loads);
    return all;
  }

 private:
  analyse::Grid grid_;
  analyse::GapClock clock_;
  std::vector<std::string> lines_;
  std::vector<std::uint64_t> loads_;
};

/// Of the whole recording, by one pipeline that reads all of it.
inline std::vector<std::string> judged_as_a_whole(AnalysisSetup& setup) {
  Protocol protocol(setup);
  analyse::PipelineOptions options = judging_options(setup);
  analyse::RunLoads loads(setup.grouping, options.constants.clocks);
  options.observer = loads.observer();
  const analyse::Pipeline::RunSink sink = [&](analyse::JudgedRun& run) {
    loads.attach(run);
    protocol.take(run);
  };
  analyse::Pipeline pipeline(setup.grouping, options);
  auto reader = setup.source->read(setup.request);
  for (auto table = (*reader)->next(); table && *table; table = (*reader)->next()) {
    pipeline.add(std::span(&**table, 1), sink);
  }
  pipeline.finish(sink);
  return protocol.lines();
}

}  // namespace laggard::cmd::testing_support
