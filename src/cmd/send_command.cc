#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <system_error>

#include "archive/reader.h"
#include "base/file.h"
#include "base/lock_file.h"
#include "base/terminal_text.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/progress.h"
#include "cmd/shared_options.h"
#include "collect/record/clocks.h"
#include "send/sender.h"

namespace laggard::cmd {

namespace {

using Json = nlohmann::ordered_json;
using namespace std::chrono_literals;

struct SendCommand {
  std::vector<std::filesystem::path> recordings;
  ServerOptions server{.url = {}, .password_file = {}, .token_file = {}, .timeout = "30s"};
  std::string position;
  std::string from;
  std::string give_up;
  std::string poll = "5s";
  std::vector<std::string> labels;
  std::size_t batch = 10'000;
  bool follow = false;
  bool json = false;
};

/// The line on a terminal; into a log only what is worth one.
class SendDisplay final : public send::SendObserver {
 public:
  explicit SendDisplay(Clock& clock) : line_("sending", clock) {}

  void progress(const send::SendState& state) override {
    if (away_) notice("the server is back");
    away_ = false;
    line_.update(state.done, state.samples, state.at ? to_iso8601(*state.at) : "");
  }
  void away(const std::string& sentence) override {
    if (!away_) notice(sentence);
    away_ = true;
  }
  void notice(const std::string& sentence) override { line_.notice(sentence); }
  void clear() { line_.clear(); }

 private:
  SampleProgress line_;
  bool away_ = false;
};

Result<Duration> duration_of(const std::string& option, const std::string& text, Duration least) {
  const Result<Duration> duration = parse_duration(text);
  if (!duration || *duration < least) {
    return fail(ErrorCode::kBadUse, option,
                fmt::format("`{}` is no duration such as 5m, or below {}", text, to_text(least)));
  }
  return *duration;
}

bool is_label_name(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9') || name.starts_with("__")) return false;
  return name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
         std::string_view::npos;
}

Result<send::Labels> labels_of(const std::vector<std::string>& texts) {
  send::Labels labels{{"job", "laggard"}};
  for (const std::string& text : texts) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string name = text.substr(0, equals);
    if (equals == text.size() || !is_label_name(name)) {
      return fail(ErrorCode::kBadUse, "--label", fmt::format("`{}` is no label such as cluster=a", text));
    }
    if (name == "instance" || name == "device" || name == "counter") {
      return fail(ErrorCode::kBadUse, "--label", fmt::format("`{}` says which host or device it is", name));
    }
    const auto before =
        std::find_if(labels.begin(), labels.end(), [&](const auto& one) { return one.first == name; });
    if (before == labels.end()) {
      labels.emplace_back(name, text.substr(equals + 1));
    } else {
      before->second = text.substr(equals + 1);
    }
  }
  return labels;
}

Result<send::SendOptions> options_of(const SendCommand& command, const net::ServerUrl& url) {
  send::SendOptions options;
  options.server = url.shown();
  // Who names a place in the API means it: Mimir and Thanos have theirs elsewhere.
  options.path = url.prefix.find("/api/v1/") == std::string::npos ? "/api/v1/write" : "";
  options.batch = command.batch;
  options.follow = command.follow;
  auto labels = labels_of(command.labels);
  if (!labels) return forward(labels);
  options.labels = std::move(*labels);
  if (!command.from.empty()) {
    const Result<WallTime> from = parse_time(command.from);
    if (!from) return fail(ErrorCode::kBadUse, "--from", from.error().what);
    options.from = *from;
  }
  auto poll = duration_of("--poll", command.poll, 100ms);
  if (!poll) return forward(poll);
  options.poll = *poll;
  options.needs_server_at_start = !command.follow && command.give_up.empty();
  if (!command.follow) options.give_up = 5min;
  if (!command.give_up.empty()) {
    auto give_up = duration_of("--give-up", command.give_up, 0s);
    if (!give_up) return forward(give_up);
    options.give_up = *give_up;
  }
  return options;
}

std::string result_text(const SendCommand& command, const send::SendResult& result,
                        const std::string& server) {
  if (command.json) {
    Json json;
    json["schema"] = "laggard.send/1";
    json["server"] = server;
    json["sent"] = result.samples;
    json["already_there"] = result.known;
    json["too_old"] = result.too_old;
    json["requests"] = result.requests;
    json["from"] = result.first ? Json(to_iso8601(*result.first)) : Json();
    json["to"] = result.last ? Json(to_iso8601(*result.last)) : Json();
    return with_escapes(json.dump(-1, ' ', false, Json::error_handler_t::replace)) + "\n";
  }
  std::string text = fmt::format("{}: {} {} sent", server, with_separators(result.samples),
                                 result.samples == 1 ? "sample" : "samples");
  if (result.known > 0) text += fmt::format(" ({} already there)", with_separators(result.known));
  if (result.first) text += fmt::format(", {} to {}", to_iso8601(*result.first), to_iso8601(*result.last));
  return text + "\n";
}

/// What the result says that a user has to know.
Status verdict(const SendCommand& command, const send::SendResult& result, const std::string& server,
               SendDisplay& display) {
  if (result.rounded > 0) {
    display.notice(fmt::format("{} values of 2^53 and more lost their last digits", result.rounded));
  }
  if (result.too_old > 0) {
    return fail(ErrorCode::kUnavailable, server,
                fmt::format("refused {} samples as too old; Prometheus takes them with "
                            "storage.tsdb.out_of_order_time_window in its configuration",
                            with_separators(result.too_old)));
  }
  if (result.stopped && !command.follow) {
    return fail(ErrorCode::kUnavailable, server, "stopped before everything was sent; send again to go on");
  }
  if (result.stopped) display.notice("stopped before everything was sent; send again to go on");
  return {};
}

/// Of two senders of one position each would take back what the other has written.
Result<std::optional<LockFile>> lock_position(const std::filesystem::path& position) {
  std::error_code error;
  const std::filesystem::file_status there = std::filesystem::status(position, error);
  // A device such as /dev/null remembers nothing that could be taken back.
  if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there)) return std::nullopt;
  Result<LockFile> lock =
      LockFile::acquire(position.string() + ".lock", position.string(),
                        "is sending with these positions; stop it or name another file with --position");
  // Without a folder no position can be kept either; whoever saves one says so.
  if (!lock && lock.error().code == ErrorCode::kNotFound) return std::nullopt;
  if (!lock) return forward(lock);
  return std::move(*lock);
}

Status send_metrics(const SendCommand& command) {
  Result<net::ServerUrl> url = server_url(command.server);
  if (!url) return forward(url);
  auto options = options_of(command, *url);
  if (!options) return forward(options);
  auto clock = collect::SignalClock::make();
  if (!clock) return forward(clock);
  const auto stopped = [&] { return clock->asked_to_stop(); };
  net::HttpOptions http;
  http.stopped = stopped;
  http.stop_grace = 500ms;  // What is under way may end, and with --follow what was appended may go.
  auto transport = connect_server(command.server, *url, std::move(http));
  if (!transport) return forward(transport);
  const std::filesystem::path position =
      command.position.empty() ? send::usual_position(command.recordings.front(), options->server)
                               : std::filesystem::path(command.position);
  auto alone = lock_position(position);
  if (!alone) return forward(alone);
  auto positions = send::Positions::open(position, options->server);
  if (!positions) return forward(positions);

  SendDisplay display(*clock);
  std::mt19937_64 random(std::random_device{}());
  const send::OpenSource open = [&]() -> Result<std::unique_ptr<SeriesSource>> {
    auto reader = archive::Reader::open(command.recordings);
    if (!reader) return forward(reader);
    return std::unique_ptr<SeriesSource>(std::move(*reader));
  };
  send::SendTools tools{.transport = **transport,
                        .positions = *positions,
                        .clock = *clock,
                        .random = random,
                        .observer = display,
                        .stopped = stopped};
  Result<send::SendResult> result = send::send_recording(open, *options, tools);
  display.clear();
  if (!result) return forward(result);
  Status printed = print(result_text(command, *result, options->server));
  Status delivered = verdict(command, *result, options->server, display);
  return delivered ? printed : delivered;
}

}  // namespace

void add_send_command(CLI::App& app, Context& context) {
  auto options = std::make_shared<SendCommand>();
  CLI::App* command =
      app.add_subcommand("send", "Ship a recording to Prometheus or VictoriaMetrics by remote write");
  command->add_option("recording", options->recordings, "Recordings to send")->required()->type_name("REC");
  command
      ->add_option("--to", options->server.url,
                   "http[s]://[user[:password]@]host[:port][/prefix]; /api/v1/write is added if need be")
      ->required()
      ->type_name("URL");
  command->add_flag("--follow", options->follow, "Go on with what is recorded, until SIGTERM or Ctrl-C");
  command->add_option("--poll", options->poll, "With --follow: look for more so often")
      ->type_name("TIME")
      ->capture_default_str();
  command
      ->add_option("--give-up", options->give_up,
                   "End when the server was away for so long (5m; never with --follow)")
      ->type_name("TIME");
  command->add_option("--from", options->from, "Of what was never sent: only from here on")
      ->type_name("TIME");
  command->add_option("--label", options->labels, "A label for every series, such as cluster=a")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command->add_option("--batch", options->batch, "Samples in a request")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}))
      ->capture_default_str();
  command
      ->add_option("--position", options->position,
                   "Where it is kept what the server has acknowledged (in REC, named after the server)")
      ->type_name("FILE");
  add_server_options(*command, options->server);
  command->add_flag("--json", options->json, "Say what was sent as JSON on standard output");
  command->footer(
      "Examples:\n"
      "  laggard send rec --to http://127.0.0.1:8428\n"
      "  laggard send rec --to http://prom:9090 --follow --label cluster=a\n"
      "laggard import prometheus brings it back.");
  command->callback([options, &context] {
    const Status done = send_metrics(*options);
    if (!done) context.status = report_error(done.error());
  });
}

}  // namespace laggard::cmd
