#include "cmd/judge_recording.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "cmd/checkpoint.h"
#include "cmd/fingerprint.h"
#include "cmd/judge_shard.h"
#include "cmd/observation_feed.h"
#include "cmd/progress.h"

namespace laggard::cmd {

namespace {

void say_where_it_goes_on(const Checkpoint& checkpoint, const AnalysisSetup& setup, const std::string& path) {
  if (!checkpoint.last_cell()) return;
  const Grid grid{setup.preset.windows.interval};
  const std::string until = to_iso8601(grid.end(*checkpoint.last_cell()));
  const std::string cut = checkpoint.cut_off() > 0 ? "; its last record was cut off and is judged again" : "";
  std::fputs(fmt::format("laggard: note: {}: {} up to {}{}\n", path,
                         checkpoint.ended() ? "judged before" : "going on, judged before", until, cut)
                 .c_str(),
             stderr);
}

/// Runs as they come, with the events and profiles that belong before them; kept in the checkpoint first:
/// what the diagnoser has heard is never judged again. Events and profiles are neither sharded nor kept: they
/// are read here.
class Listener {
 public:
  Listener(AnalysisSetup& setup, Coordinator& coordinator, engine::Diagnoser& diagnoser,
           ObservationFeed& feed)
      : setup_(setup), coordinator_(coordinator), diagnoser_(diagnoser), feed_(feed) {}

  Status replay(Checkpoint& checkpoint) {
    SystemClock clock;
    Progress progress("reading the checkpoint", clock);
    Status fed;
    Status replayed = checkpoint.replay(
        run_shape(setup_),
        [&](detect::JudgedRun& run) {
          if (fed) fed = pass_on(run);
        },
        [&](double fraction) { progress.update(fraction); });
    return fed ? replayed : fed;
  }

  Status take(detect::JudgedRun& run, Checkpoint* checkpoint) {
    if (checkpoint != nullptr) {
      if (Status kept = keep_damage(*checkpoint); !kept) return kept;
      if (Status kept = checkpoint->add(run); !kept) return kept;
    }
    return pass_on(run);
  }

  [[nodiscard]] Status keep_damage(Checkpoint& checkpoint) const {
    if (Status kept = checkpoint.add_notices(notices()); !kept) return kept;
    return checkpoint.add_damaged(damaged());
  }

  [[nodiscard]] std::vector<std::string> damaged() const {
    std::vector<std::string> all = setup_.source->damaged();
    all.insert(all.end(), coordinator_.damaged().begin(), coordinator_.damaged().end());
    return all;
  }

  [[nodiscard]] std::vector<std::string> notices() const {
    std::vector<std::string> all = setup_.source->notices();
    all.insert(all.end(), coordinator_.notices().begin(), coordinator_.notices().end());
    return all;
  }

 private:
  Status pass_on(detect::JudgedRun& run) {
    const Grid grid{setup_.preset.windows.interval};
    if (Status fed = feed_.read_until(grid.end(run.run.end), detectors_of(diagnoser_)); !fed) return fed;
    diagnoser_.take(run);
    return {};
  }

  AnalysisSetup& setup_;
  Coordinator& coordinator_;
  engine::Diagnoser& diagnoser_;
  ObservationFeed& feed_;
};

/// What devices have is known when it has been decided what to read; in a large system it takes memory.
void forget_counters(Inventory& inventory) {
  for (DeviceInfo& device : inventory.devices) {
    device.counters = std::vector<TableCounter>();
    device.facts = std::vector<std::pair<std::string, std::string>>();
  }
}

/// All samples by this process.
Status judge_alone(AnalysisSetup& setup, const Judging& judging, engine::Diagnoser& diagnoser,
                   ObservationFeed& feed) {
  forget_counters(setup.inventory);
  const auto read = [&](const AddSamples& consume) { return read_all(setup, judging.doing, consume); };
  return feed.read_along(read, all_of(diagnoser),
                         [&](std::span<const SampleTable> tables) { diagnoser.add(tables); });
}

Status judge_with_checkpoint(const DiagnoseOptions& options, AnalysisSetup& setup, Coordinator& coordinator,
                             Listener& listener, const Fingerprint& own) {
  auto checkpoint = Checkpoint::open(options.resume, own);
  if (!checkpoint) return forward(checkpoint);
  if (Status replayed = listener.replay(*checkpoint); !replayed) return replayed;
  say_where_it_goes_on(*checkpoint, setup, options.resume);
  if (!checkpoint->ended()) {
    const std::int64_t after = checkpoint->last_cell().value_or(engine::Shard{}.after);
    Status judged = coordinator.judge(
        setup, after, [&](detect::JudgedRun& run) { return listener.take(run, &*checkpoint); });
    if (!judged) return judged;
    if (Status kept = listener.keep_damage(*checkpoint); !kept) return kept;
    if (Status ended = checkpoint->end(); !ended) return ended;
  }
  add_notices(setup, checkpoint->notices());
  add_damaged(setup, checkpoint->damaged());
  return {};
}

/// Whether the diagnoser judges the samples itself, and does not take what was judged elsewhere.
bool judges_alone(const DiagnoseOptions& options, const AnalysisSetup& setup, const Judging& judging) {
  return judging.coordinator == nullptr || setup.inventory.devices.empty() ||
         (judging.coordinator->alone() && options.resume.empty());
}

/// By this process, by all ranks, from a checkpoint as far as it goes.
Status judge_samples(const DiagnoseOptions& options, AnalysisSetup& setup, const Judging& judging,
                     engine::Diagnoser& diagnoser, ObservationFeed& feed) {
  if (setup.inventory.devices.empty()) return {};
  if (judges_alone(options, setup, judging)) return judge_alone(setup, judging, diagnoser, feed);
  Coordinator* const coordinator = judging.coordinator;
  auto own = fingerprint(options.analysis, setup);
  if (!own) return forward(own);
  if (Status complete = coordinator->start(*own); !complete) return complete;
  Listener listener(setup, *coordinator, diagnoser, feed);
  if (!options.resume.empty()) return judge_with_checkpoint(options, setup, *coordinator, listener, *own);
  Status judged = coordinator->judge(setup, engine::Shard{}.after,
                                     [&](detect::JudgedRun& run) { return listener.take(run, nullptr); });
  if (!judged) return judged;
  add_notices(setup, listener.notices());
  add_damaged(setup, listener.damaged());
  return {};
}

}  // namespace

Status judge_recording(const DiagnoseOptions& options, AnalysisSetup& setup, const Judging& judging,
                       engine::Diagnoser& diagnoser) {
  const AnalysisOptions& analysis = options.analysis;
  auto feed =
      ObservationFeed::open(setup.observations, setup.request, {analysis.detectors, analysis.derivations});
  if (!feed) return forward(feed);
  if (const auto work = work_request(setup.request, setup.inventory)) {
    if (Status opened = feed->open_work(*setup.source, *work); !opened) return opened;
  }
  if (Status judged = judge_samples(options, setup, judging, diagnoser, *feed); !judged) return judged;
  const bool alone = judges_alone(options, setup, judging);
  if (Status read = feed->read_rest(alone ? all_of(diagnoser) : detectors_of(diagnoser)); !read) return read;
  add_notices(setup, setup.source->notices());
  add_damaged(setup, setup.source->damaged());
  return {};
}

}  // namespace laggard::cmd
