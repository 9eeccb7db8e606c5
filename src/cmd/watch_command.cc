// laggard watch: the verdict of recordings that are still being written, as it changes.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/prometheus.h"
#include "cmd/shared_options.h"
#include "cmd/watch.h"
#include "cmd/watch_outputs.h"
#include "cmd/watch_state.h"
#include "collect/record/clocks.h"

namespace laggard::cmd {

namespace {

struct WatchOptions {
  DiagnoseOptions diagnose;
  WatchOutputOptions outputs;
  std::string poll = "2s";
  std::string silence = "30s";
  std::string until_idle;
  std::string alarm_after = "0s";
  std::string overload_alarm_after = "0s";
  PrometheusServerOptions prometheus;
  std::string reach_back = "1h";
  std::string lag = "30s";
  std::string keep;
};

/// The options that are times, read.
struct WatchTimes {
  Duration poll{};
  Duration silence{};
  std::optional<Duration> until_idle;
  Duration alarm_after{};
  Duration overload_alarm_after{};
};

Result<WatchTimes> read_times(const WatchOptions& options) {
  using std::chrono::hours;
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  auto poll = duration_option("--poll", options.poll, milliseconds(100), hours(1));
  if (!poll) return forward(poll);
  auto silence = duration_option("--silence", options.silence, seconds(1), hours(24));
  if (!silence) return forward(silence);
  auto alarm = duration_option("--alarm-after", options.alarm_after, Duration::zero(), hours(24));
  if (!alarm) return forward(alarm);
  auto overload =
      duration_option("--overload-alarm-after", options.overload_alarm_after, Duration::zero(), hours(24));
  if (!overload) return forward(overload);
  WatchTimes times{.poll = *poll,
                   .silence = *silence,
                   .until_idle = {},
                   .alarm_after = *alarm,
                   .overload_alarm_after = *overload};
  if (options.until_idle.empty()) return times;
  auto idle = duration_option("--until-idle", options.until_idle, milliseconds(100), hours(24));
  if (!idle) return forward(idle);
  times.until_idle = *idle;
  return times;
}

/// Of this process alone: what commands do meanwhile is not ours.
Duration cpu_time() {
  return std::chrono::microseconds(static_cast<std::int64_t>(std::clock()) * 1'000'000 / CLOCKS_PER_SEC);
}

/// Sleeps, and posts what is due meanwhile.
void sleep_until(MonoTime deadline, WatchOutputs& outputs, collect::SignalClock& clock) {
  for (MonoTime now = clock.mono(); now < deadline && !clock.asked_to_stop(); now = clock.mono()) {
    outputs.post(clock);
    clock.sleep_until(deadline - now > outputs.patience() ? now + outputs.patience() : deadline);
  }
}

Status finish(Watch& watch, WatchOutputs& outputs, Clock& clock) {
  if (Status finished = watch.finish(); !finished) return finished;
  Status kept = outputs.keep(watch);
  outputs.post(clock);
  return kept;
}

/// Watch::patience is this part of the distance of two windows.
constexpr int kPatienceInWindows = 16;

/// \param feed  brings what is to be watched; null: somebody else does.
Status follow(Watch& watch, WatchOutputs& outputs, PrometheusFeed* feed, const WatchTimes& times,
              collect::SignalClock& clock) {
  MonoTime last_news = clock.mono();
  for (bool first = true; !clock.asked_to_stop(); first = false) {
    const Duration before = cpu_time();
    if (Status fetched = feed == nullptr ? Status{} : feed->fetch(); !fetched) return fetched;
    auto news = watch.poll();
    if (!news) return forward(news);
    if (Status kept = outputs.keep(watch); !kept) return kept;
    outputs.post(clock);
    const MonoTime now = clock.mono();
    if (*news) last_news = now;
    if (times.until_idle && now - last_news >= *times.until_idle) return finish(watch, outputs, clock);
    // Looking costs the more the longer was recorded: a tenth of a core at most. But a look that judged a
    // long time, as the first one does and one after hosts have come, says nothing of the next: the distance
    // of two windows is long enough to rest.
    const Duration cost = first ? Duration::zero() : cpu_time() - before;
    const Duration rest = std::min(9 * cost, kPatienceInWindows * watch.patience());
    const Duration pause = std::max(rest, times.until_idle ? times.poll : watch.patience());
    sleep_until(now + std::max(times.poll, pause), outputs, clock);
  }
  return {};
}

/// What brings a server's samples into the one recording; null without a server.
Result<std::unique_ptr<PrometheusFeed>> open_feed(const WatchOptions& options, collect::SignalClock& clock,
                                                  const PrometheusFeed::Note& note) {
  const std::vector<std::filesystem::path>& recordings = options.diagnose.analysis.recordings;
  if (options.prometheus.server.url.empty()) return std::unique_ptr<PrometheusFeed>{};
  if (recordings.size() != 1) {
    return fail(ErrorCode::kBadUse, "--prometheus",
                "goes with one recording, the folder in which the server's samples are kept");
  }
  auto reach_back = duration_option("--reach-back", options.reach_back, std::chrono::minutes(1),
                                    std::chrono::hours(24 * 366));
  if (!reach_back) return forward(reach_back);
  auto lag = duration_option("--lag", options.lag, Duration::zero(), std::chrono::hours(1));
  if (!lag) return forward(lag);
  PrometheusFeed::Options feed{.server = options.prometheus,
                               .recording = recordings.front(),
                               .lag = *lag,
                               .reach_back = *reach_back,
                               .keep = {}};
  if (!options.keep.empty()) {
    auto keep =
        duration_option("--keep", options.keep, std::chrono::hours(1), std::chrono::hours(24 * 36600));
    if (!keep) return forward(keep);
    feed.keep = *keep;
  }
  return PrometheusFeed::open(std::move(feed), clock, note);
}

Status watch_recordings(WatchOptions& options) {
  options.outputs.learn = options.diagnose.learn;
  const WatchOutputOptions& to = options.outputs;
  const NamedOutput outputs[] = {{"--state", to.state, false},
                                 {"--textfile", to.textfile, false},
                                 {"--learn", options.diagnose.learn, false}};
  const std::filesystem::path inputs[] = {options.diagnose.analysis.system, options.diagnose.thresholds,
                                          options.diagnose.rules,           options.diagnose.log_patterns,
                                          to.alertmanager.password_file,    to.alertmanager.token_file};
  if (Status safe = check_outputs(outputs, inputs); !safe) return safe;
  auto times = read_times(options);
  if (!times) return forward(times);
  auto clock = collect::SignalClock::make();
  if (!clock) return forward(clock);
  const auto note = [](const std::string& sentence) {
    std::fputs(fmt::format("laggard: note: {}\n", sentence).c_str(), stderr);
  };
  auto feed = open_feed(options, *clock, note);
  if (!feed) return forward(feed);
  auto delivery = WatchOutputs::open(
      to, [&] { return clock->asked_to_stop(); }, note);
  if (!delivery) return forward(delivery);
  std::optional<Watch> watch;
  watch.emplace(Watch::Options{.diagnose = options.diagnose,
                               .silence = times->silence,
                               .alarm_after = times->alarm_after,
                               .overload_alarm_after = times->overload_alarm_after},
                WatchListener{.change = [&](const Change& change) { return delivery->deliver(change); },
                              .note = note,
                              .decided = [&] { return delivery->keep_decided(*watch); }});
  if (!to.state.empty()) {
    auto state = read_watch_state(to.state);
    if (!state) return forward(state);
    if (*state) {
      delivery->hold((*state)->changes);
      watch->restore(std::move(**state));
    }
  }
  if (Status followed = follow(*watch, *delivery, feed->get(), *times, *clock); !followed) return followed;
  return *feed ? (*feed)->close() : Status{};
}

void add_feed(CLI::App& command, WatchOptions& options) {
  command
      .add_option("--prometheus", options.prometheus.server.url,
                  "Fetch what this server scrapes into REC, and watch that")
      ->type_name("URL");
  add_series_options(command, options.prometheus);
  add_server_options(command, options.prometheus.server, "prometheus-");
  command
      .add_option("--reach-back", options.reach_back,
                  "With --prometheus: how far a new recording reaches back")
      ->type_name("TIME")
      ->capture_default_str();
  command.add_option("--lag", options.lag, "With --prometheus: fetch samples when they are so old")
      ->type_name("TIME")
      ->capture_default_str();
  command
      .add_option("--keep", options.keep, "With --prometheus: delete days that ended longer ago, such as 30d")
      ->type_name("TIME");
}

void add_outputs(CLI::App& command, WatchOutputOptions& outputs) {
  command.add_flag("--json", outputs.json, "A line of JSON per change instead of text");
  command
      .add_option("--state", outputs.state,
                  "Where to keep what was told, so that a restart goes on from there")
      ->type_name("FILE");
  command
      .add_option("--on-change", outputs.on_change,
                  "Run by /bin/sh for each change, which it reads as JSON from standard input")
      ->type_name("COMMAND");
  command
      .add_option("--textfile", outputs.textfile,
                  "Open incidents for node_exporter's textfile collector, NAME.prom in its folder")
      ->type_name("FILE");
  command.add_option("--alertmanager", outputs.alertmanager.url, "Open incidents as alerts, at its URL")
      ->type_name("URL");
  add_server_options(command, outputs.alertmanager);
}

}  // namespace

void add_watch_command(CLI::App& app, Context& context) {
  auto options = std::make_shared<WatchOptions>();
  CLI::App* command =
      app.add_subcommand("watch", "Follow recordings while they grow and say what becomes of incidents");
  add_verdict_options(*command, options->diagnose);
  add_outputs(*command, options->outputs);
  add_feed(*command, *options);
  const auto time = [&](const char* name, std::string& value, const char* help) {
    command->add_option(name, value, help)->type_name("TIME")->capture_default_str();
  };
  time("--poll", options->poll, "How often to look for what was recorded");
  time("--silence", options->silence, "Go on without a host that has recorded nothing for so long");
  time("--until-idle", options->until_idle,
       "End when nothing has been recorded for so long; else at SIGTERM or Ctrl-C");
  time("--alarm-after", options->alarm_after,
       "Tell of an incident when it has lasted for so long; what heals before is never told of");
  time("--overload-alarm-after", options->overload_alarm_after,
       "The same, of parts that are overloaded and not broken, such as 30m");
  command->footer(
      "Example: laggard record metrics --out REC &\n"
      "         laggard watch REC --state /var/lib/laggard/watch.state --alertmanager http://alerts:9093");
  command->callback([options, &context] {
    if (Status watched = watch_recordings(*options); !watched) context.status = report_error(watched.error());
  });
}

}  // namespace laggard::cmd
