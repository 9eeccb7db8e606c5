#include "cmd/judge_recording.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <utility>

#include "base/time.h"
#include "cmd/checkpoint.h"
#include "cmd/fingerprint.h"
#include "cmd/judge_shard.h"
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

Status replay(Checkpoint& checkpoint, const AnalysisSetup& setup, engine::Diagnoser& diagnoser) {
  SystemClock clock;
  Progress progress("reading the checkpoint", clock);
  return checkpoint.replay(
      run_shape(setup), [&](detect::JudgedRun& run) { diagnoser.take(run); },
      [&](double fraction) { progress.update(fraction); });
}

/// Runs as they come, kept in the checkpoint first: what the diagnoser has heard is never judged again.
class Listener {
 public:
  Listener(AnalysisSetup& setup, Coordinator& coordinator, engine::Diagnoser& diagnoser)
      : setup_(setup), coordinator_(coordinator), diagnoser_(diagnoser) {}

  Status take(detect::JudgedRun& run, Checkpoint* checkpoint) {
    if (checkpoint != nullptr) {
      if (Status kept = keep_damage(*checkpoint); !kept) return kept;
      if (Status kept = checkpoint->add(run); !kept) return kept;
    }
    diagnoser_.take(run);
    return {};
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
  AnalysisSetup& setup_;
  Coordinator& coordinator_;
  engine::Diagnoser& diagnoser_;
};

Status judge_with_checkpoint(const DiagnoseOptions& options, AnalysisSetup& setup, Coordinator& coordinator,
                             engine::Diagnoser& diagnoser, const Fingerprint& own) {
  auto checkpoint = Checkpoint::open(options.resume, own);
  if (!checkpoint) return forward(checkpoint);
  if (Status replayed = replay(*checkpoint, setup, diagnoser); !replayed) return replayed;
  say_where_it_goes_on(*checkpoint, setup, options.resume);
  Listener listener(setup, coordinator, diagnoser);
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

}  // namespace

Status judge_recording(const DiagnoseOptions& options, AnalysisSetup& setup, const Judging& judging,
                       engine::Diagnoser& diagnoser) {
  Coordinator* const coordinator = judging.coordinator;
  if (coordinator == nullptr || (coordinator->alone() && options.resume.empty())) {
    return read_all(setup, judging.doing,
                    [&](std::span<const SampleTable> tables) { diagnoser.add(tables); });
  }
  auto own = fingerprint(options.analysis, setup);
  if (!own) return forward(own);
  if (Status complete = coordinator->start(*own); !complete) return complete;
  if (!options.resume.empty()) return judge_with_checkpoint(options, setup, *coordinator, diagnoser, *own);
  Listener listener(setup, *coordinator, diagnoser);
  Status judged = coordinator->judge(setup, engine::Shard{}.after,
                                     [&](detect::JudgedRun& run) { return listener.take(run, nullptr); });
  if (!judged) return judged;
  add_notices(setup, listener.notices());
  add_damaged(setup, listener.damaged());
  return {};
}

}  // namespace laggard::cmd
