#pragma once

#include <atomic>
#include <bit>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cmd/analysis_setup.h"
#include "cmd/judge_shard.h"
#include "cmd/ranks.h"
#include "detect/peer/judge/judged_run.h"
#include "detect/peer/ratio/latency_ratio.h"
#include "detect/peer/skew/host_circles.h"
#include "engine/judged_run_codec.h"
#include "testing/script/script.h"

/// What the tests of shards share: a simulated recording to judge in pieces, and ranks that are threads.
namespace laggard::cmd::testing_support {

/// The setup that `prepare` would return for a simulated recording.
inline AnalysisSetup setup_of(const script::System& system, std::string_view preset) {
  auto recording = script::record(system, preset);
  AnalysisSetup setup;
  setup.source = std::make_unique<MemorySource>(std::move(recording->source));
  setup.inventory = *setup.source->inventory();
  setup.grouping = std::move(recording->grouping);
  setup.preset = recording->preset;
  setup.pipeline = std::move(recording->pipeline);
  setup.pipeline.windows = setup.preset.windows;
  setup.sample_interval = setup.pipeline.sample_interval;
  return setup;
}

/// Records every bit of every window with its position, one line each.
class Protocol {
 public:
  explicit Protocol(const AnalysisSetup& setup)
      : grid_{setup.preset.windows.interval}, clock_(setup.preset.windows.size) {}

  void take(detect::JudgedRun& run) {
    for (const double load : run.loads) loads_.push_back(std::bit_cast<std::uint64_t>(load));
    for (const detect::SlowMember& slow : run.slow) {
      slow_.push_back(engine::encode_run({{slow.cell, slow.cell + 1}, {}, {}, {slow}}));
    }
    std::vector<std::int64_t> cells;
    for (const detect::JudgedWindow& one : run.windows) cells.push_back(one.cell);
    std::size_t next = 0;
    clock_.take(run, grid_, [&](std::size_t group, const detect::WindowJudgement& window) {
      detect::JudgedRun alone{{cells[next], cells[next] + 1}, {}, {}, {}};
      alone.windows.push_back({group, cells[next++], window});
      lines_.push_back(std::to_string(window.position) + " " + engine::encode_run(alone));
    });
  }
  /// The loads of all cells come last, because runs may be cut anywhere.
  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> all = lines_;
    std::string loads;
    for (const std::uint64_t bits : loads_) loads += std::to_string(bits) + " ";
    all.push_back(loads);
    all.insert(all.end(), slow_.begin(), slow_.end());
    return all;
  }

  /// Whether this is of a beginning of what `whole` is of.
  [[nodiscard]] bool begins(const Protocol& whole) const {
    const auto is_prefix = [](const auto& some, const auto& all) {
      return some.size() <= all.size() && std::equal(some.begin(), some.end(), all.begin());
    };
    return is_prefix(lines_, whole.lines_) && is_prefix(loads_, whole.loads_) &&
           is_prefix(slow_, whole.slow_);
  }

 private:
  Grid grid_;
  detect::GapClock clock_;
  std::vector<std::string> lines_;
  std::vector<std::uint64_t> loads_;
  std::vector<std::string> slow_;
};

/// The protocol of the whole recording, judged by one pipeline.
inline std::vector<std::string> judged_as_a_whole(AnalysisSetup& setup) {
  Protocol protocol(setup);
  engine::PipelineOptions options = judging_options(setup);
  detect::RunLoads loads(setup.grouping, options.parameters.clocks);
  detect::LatencyRatios ratios(setup.grouping, options.parameters, Grid{setup.preset.windows.interval},
                               nullptr);
  options.observers = {&ratios};
  if (loads.observer() != nullptr) options.observers.push_back(loads.observer());
  const engine::Pipeline::RunSink sink = [&](detect::JudgedRun& run) {
    loads.attach(run);
    ratios.attach(run);
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

/// Carries messages between ranks that are threads of a test.
struct PostOffice {
  std::mutex mutex;
  std::condition_variable arrived;
  std::map<std::pair<std::size_t, std::size_t>, std::deque<std::string>> boxes;  ///< By from and to.
  std::atomic<bool> called_off{false};
  std::atomic<std::size_t> bytes{0};
  std::atomic<std::size_t> left{0};
};

class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(PostOffice& post, std::size_t rank, std::size_t count)
      : post_(post), rank_(rank), count_(count) {}

  [[nodiscard]] std::size_t rank() const override { return rank_; }
  [[nodiscard]] std::size_t count() const override { return count_; }
  void send(std::size_t to, std::string_view message) override {
    const std::lock_guard lock(post_.mutex);
    post_.boxes[{rank_, to}].emplace_back(message);
    post_.bytes += message.size();
    post_.arrived.notify_all();
  }
  [[nodiscard]] std::string receive(std::size_t from) override {
    std::unique_lock lock(post_.mutex);
    std::deque<std::string>& box = post_.boxes[{from, rank_}];
    post_.arrived.wait(lock, [&] { return !box.empty(); });
    std::string message = std::move(box.front());
    box.pop_front();
    return message;
  }
  void call_off() override { post_.called_off = true; }
  [[nodiscard]] bool called_off() override { return post_.called_off; }
  void leave() override { ++post_.left; }

 private:
  PostOffice& post_;
  std::size_t rank_;
  std::size_t count_;
};

}  // namespace laggard::cmd::testing_support
