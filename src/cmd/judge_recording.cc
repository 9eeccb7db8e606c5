#include "cmd/judge_recording.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "cmd/fingerprint.h"
#include "cmd/judge_part.h"
#include "cmd/judged_journal.h"
#include "cmd/progress.h"

namespace laggard::cmd {

namespace {

void say_where_it_goes_on(const JudgedJournal& journal, const AnalysisSetup& setup, const std::string& path) {
  if (!journal.last_cell()) return;
  const analyse::Grid grid{setup.preset.windows.interval};
  const std::string until = to_iso8601(grid.end(*journal.last_cell()));
  const std::string cut = journal.cut_off() > 0 ? "; its last record was cut off and is judged again" : "";
  std::fputs(fmt::format("laggard: note: {}: {} up to {}{}\n", path,
                         journal.ended() ? "judged before" : "going on, judged before", until, cut)
                 .c_str(),
             stderr);
}

Status replay(JudgedJournal& journal, const AnalysisSetup& setup, analyse::Diagnoser& diagnoser) {
  SystemClock clock;
  Progress progress("reading the journal", clock);
  return journal.replay(
      tape_shape(setup), [&](analyse::JudgedRun& run) { diagnoser.take(run); },
      [&](double fraction) { progress.update(fraction); });
}

/// Runs as they come, kept in the journal first: what the diagnoser has heard is never judged again.
class Listener {
 public:
  Listener(AnalysisSetup& setup, Crew& crew, analyse::Diagnoser& diagnoser)
      : setup_(setup), crew_(crew), diagnoser_(diagnoser) {}

  Status take(analyse::JudgedRun& run, JudgedJournal* journal) {
    if (journal != nullptr) {
      if (Status kept = journal->add_notices(notices()); !kept) return kept;
      if (Status kept = journal->add(run); !kept) return kept;
    }
    diagnoser_.take(run);
    return {};
  }

  [[nodiscard]] std::vector<std::string> notices() const {
    std::vector<std::string> all = setup_.source->notices();
    all.insert(all.end(), crew_.notices().begin(), crew_.notices().end());
    return all;
  }

 private:
  AnalysisSetup& setup_;
  Crew& crew_;
  analyse::Diagnoser& diagnoser_;
};

Status judge_with_journal(const DiagnoseOptions& options, AnalysisSetup& setup, Crew& crew,
                          analyse::Diagnoser& diagnoser, const Fingerprint& own) {
  auto journal = JudgedJournal::open(options.resume, own);
  if (!journal) return forward(journal);
  if (Status replayed = replay(*journal, setup, diagnoser); !replayed) return replayed;
  say_where_it_goes_on(*journal, setup, options.resume);
  Listener listener(setup, crew, diagnoser);
  if (!journal->ended()) {
    const std::int64_t after = journal->last_cell().value_or(analyse::Part{}.after);
    Status judged =
        crew.judge(setup, after, [&](analyse::JudgedRun& run) { return listener.take(run, &*journal); });
    if (!judged) return judged;
    if (Status kept = journal->add_notices(listener.notices()); !kept) return kept;
    if (Status ended = journal->end(); !ended) return ended;
  }
  add_notices(setup, journal->notices());
  return {};
}

}  // namespace

Status judge_recording(const DiagnoseOptions& options, AnalysisSetup& setup, const Judging& judging,
                       analyse::Diagnoser& diagnoser) {
  Crew* const crew = judging.crew;
  if (crew == nullptr || (crew->alone() && options.resume.empty())) {
    return read_all(setup, judging.doing,
                    [&](std::span<const SampleTable> tables) { diagnoser.add(tables); });
  }
  auto own = fingerprint(options.analysis, setup);
  if (!own) return forward(own);
  if (Status complete = crew->muster(*own); !complete) return complete;
  if (!options.resume.empty()) return judge_with_journal(options, setup, *crew, diagnoser, *own);
  Listener listener(setup, *crew, diagnoser);
  Status judged = crew->judge(setup, analyse::Part{}.after,
                              [&](analyse::JudgedRun& run) { return listener.take(run, nullptr); });
  if (!judged) return judged;
  add_notices(setup, listener.notices());
  return {};
}

}  // namespace laggard::cmd
