// laggard watch: the verdict of recordings that are still being written, as it changes.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cmd/commands.h"
#include "cmd/duration_option.h"
#include "cmd/output_check.h"
#include "cmd/standard_streams.h"
#include "cmd/watch.h"
#include "cmd/watch_state.h"
#include "collect/record/signal_clock.h"
#include "report/change_text.h"
#include "report/json.h"

namespace laggard::cmd {

namespace {

struct WatchOptions {
  DiagnoseOptions diagnose;
  bool json = false;
  std::string state;
  std::string poll = "2s";
  std::string silence = "30s";
  std::string until_idle;
};

/// The options that are times, read.
struct WatchTimes {
  Duration poll{};
  Duration silence{};
  std::optional<Duration> until_idle;
};

Result<WatchTimes> read_times(const WatchOptions& options) {
  using std::chrono::hours;
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  auto poll = duration_option("--poll", options.poll, milliseconds(100), hours(1));
  if (!poll) return forward(poll);
  auto silence = duration_option("--silence", options.silence, seconds(1), hours(24));
  if (!silence) return forward(silence);
  WatchTimes times{.poll = *poll, .silence = *silence, .until_idle = {}};
  if (options.until_idle.empty()) return times;
  auto idle = duration_option("--until-idle", options.until_idle, milliseconds(100), hours(24));
  if (!idle) return forward(idle);
  times.until_idle = *idle;
  return times;
}

/// Where changes go, and what is kept of that.
class Delivery {
 public:
  explicit Delivery(const WatchOptions& options) : options_(options) {}

  [[nodiscard]] Status deliver(const Change& change) {
    delivered_ = true;
    if (options_.json) return print_document(report::to_json_line(change));
    return print(report::change_line(change) + "\n");
  }

  /// After changes were delivered, so that none is ever lost.
  [[nodiscard]] Status keep(const Watch& watch) {
    if (!std::exchange(delivered_, false) || options_.state.empty()) return {};
    return write_watch_state(options_.state, watch.state());
  }

 private:
  const WatchOptions& options_;
  bool delivered_ = false;
};

Status follow(Watch& watch, Delivery& delivery, const WatchTimes& times, collect::SignalClock& clock) {
  MonoTime last_news = clock.mono();
  while (!clock.asked_to_stop()) {
    const MonoTime begun = clock.mono();
    auto news = watch.poll();
    if (!news) return forward(news);
    if (Status kept = delivery.keep(watch); !kept) return kept;
    const MonoTime now = clock.mono();
    if (*news) last_news = now;
    if (times.until_idle && now - last_news >= *times.until_idle) {
      if (Status finished = watch.finish(); !finished) return finished;
      return delivery.keep(watch);
    }
    // Looking costs the more the longer was recorded: a tenth of the time at most.
    clock.sleep_until(now + std::max(times.poll, 9 * (now - begun)));
  }
  return {};
}

Status watch_recordings(WatchOptions& options) {
  const NamedOutput outputs[] = {{"--state", options.state, false}};
  const std::filesystem::path inputs[] = {options.diagnose.analysis.system, options.diagnose.thresholds,
                                          options.diagnose.rules};
  if (Status safe = check_outputs(outputs, inputs); !safe) return safe;
  auto times = read_times(options);
  if (!times) return forward(times);
  auto clock = collect::SignalClock::make();
  if (!clock) return forward(clock);
  Delivery delivery(options);
  const auto note = [](const std::string& sentence) {
    std::fputs(fmt::format("laggard: note: {}\n", sentence).c_str(), stderr);
  };
  Watch watch({.diagnose = options.diagnose, .silence = times->silence},
              {.change = [&](const Change& change) { return delivery.deliver(change); }, .note = note});
  if (!options.state.empty()) {
    auto state = read_watch_state(options.state);
    if (!state) return forward(state);
    if (*state) watch.restore(std::move(**state));
  }
  return follow(watch, delivery, *times, *clock);
}

}  // namespace

void add_watch_command(CLI::App& app, Context& context) {
  auto options = std::make_shared<WatchOptions>();
  CLI::App* command =
      app.add_subcommand("watch", "Follow recordings while they grow and say what becomes of incidents");
  add_verdict_options(*command, options->diagnose);
  command->add_flag("--json", options->json, "A line of JSON per change instead of text");
  command
      ->add_option("--state", options->state,
                   "Where to keep what was told, so that a restart goes on from there")
      ->type_name("FILE");
  const auto time = [&](const char* name, std::string& value, const char* help) {
    command->add_option(name, value, help)->type_name("TIME")->capture_default_str();
  };
  time("--poll", options->poll, "How often to look for what was recorded");
  time("--silence", options->silence, "Go on without a host that has recorded nothing for so long");
  time("--until-idle", options->until_idle,
       "End when nothing has been recorded for so long; else at SIGTERM or Ctrl-C");
  command->footer(
      "Example: laggard record metrics --out REC &\n"
      "         laggard watch REC --state /var/lib/laggard/watch.json");
  command->callback([options, &context] {
    if (Status watched = watch_recordings(*options); !watched) context.status = report_error(watched.error());
  });
}

}  // namespace laggard::cmd
