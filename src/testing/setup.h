#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cmd/analysis_setup.h"
#include "cmd/judge_shard.h"
#include "detect/peer/judge/judged_run.h"
#include "detect/peer/skew/host_circles.h"
#include "engine/judged_run_codec.h"
#include "testing/script/script.h"

namespace laggard::cmd::testing_support {

/// What `prepare` would find out about a simulated recording.
inline AnalysisSetup setup_of(const script::System& system, std::string_view preset) {
  auto recording = script::record(system, preset);
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

  void take(detect::JudgedRun& run) {
    for (const double load : run.loads) loads_.push_back(std::bit_cast<std::uint64_t>(load));
    std::vector<std::int64_t> cells;
    for (const detect::JudgedWindow& one : run.windows) cells.push_back(one.cell);
    std::size_t next = 0;
    clock_.take(run, grid_, [&](std::size_t group, const detect::WindowJudgement& window) {
      detect::JudgedRun alone{{cells[next], cells[next] + 1}, {}, {}};
      alone.windows.push_back({group, cells[next++], window});
      lines_.push_back(std::to_string(window.position) + " " + engine::encode_run(alone));
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
  Grid grid_;
  detect::GapClock clock_;
  std::vector<std::string> lines_;
  std::vector<std::uint64_t> loads_;
};

/// Of the whole recording, by one pipeline that reads all of it.
inline std::vector<std::string> judged_as_a_whole(AnalysisSetup& setup) {
  Protocol protocol(setup);
  engine::PipelineOptions options = judging_options(setup);
  detect::RunLoads loads(setup.grouping, options.parameters.clocks);
  options.observer = loads.observer();
  const engine::Pipeline::RunSink sink = [&](detect::JudgedRun& run) {
    loads.attach(run);
    protocol.take(run);
  };
  engine::Pipeline pipeline(setup.grouping, options);
  auto reader = setup.source->read(setup.request);
  for (auto table = (*reader)->next(); table && *table; table = (*reader)->next()) {
    pipeline.add(std::span(&**table, 1), sink);
  }
  pipeline.finish(sink);
  return protocol.lines();
}

}  // namespace laggard::cmd::testing_support
