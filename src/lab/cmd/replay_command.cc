// laggard-lab replay: writes a finished recording once more, as if it were being recorded now.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "archive/reader.h"
#include "archive/writer.h"
#include "base/text.h"
#include "base/time.h"
#include "cmd/output.h"
#include "cmd/shared_options.h"
#include "lab/cmd/commands.h"

namespace laggard::lab {

namespace {

struct ReplayOptions {
  std::string recording;
  std::string out;
  double speed = 60;
  std::string flush = "2s";
  std::string lag = "0s";
  std::uint64_t seed = 1;
};

/// The recording that is read, and how far each of its hosts has been replayed.
class Replay {
 public:
  [[nodiscard]] static Result<Replay> open(const ReplayOptions& options, Clock& clock) {
    const std::vector<std::filesystem::path> paths{options.recording};
    auto reader = archive::Reader::open(paths);
    if (!reader) return forward(reader);
    auto inventory = (*reader)->inventory();
    if (!inventory) return forward(inventory);
    auto writer = archive::Writer::open(options.out, {.flush_interval = std::chrono::hours(1)}, clock);
    if (!writer) return forward(writer);
    return Replay(std::move(*reader), std::move(*inventory), std::move(*writer));
  }

  [[nodiscard]] WallTime first() const { return first_; }
  [[nodiscard]] WallTime last() const { return last_; }

  /// Replays each host up to a different time, at most `lag` before `until`.
  [[nodiscard]] Status record(WallTime until, Duration lag, std::mt19937_64& random) {
    for (auto& [host, from] : written_) {
      const Duration late = lag * static_cast<std::int64_t>(random() % 1001) / 1000;
      if (Status done = record_host(host, from, until - late); !done) return done;
    }
    // Facts of devices and gaps need files, which the first samples make.
    for (const DeviceInfo& device : std::exchange(inventory_.devices, {})) {
      if (Status described = writer_->describe(device); !described) return described;
    }
    for (const Gap& gap : std::exchange(inventory_.gaps, {})) {
      if (gap.reason.empty()) continue;
      if (Status noted = writer_->note_gap(gap); !noted) return noted;
    }
    return writer_->flush();
  }
  [[nodiscard]] Status close() { return writer_->close(); }

 private:
  Replay(std::unique_ptr<archive::Reader> reader, Inventory inventory,
         std::unique_ptr<archive::Writer> writer)
      : reader_(std::move(reader)), inventory_(std::move(inventory)), writer_(std::move(writer)) {
    for (const DeviceInfo& device : inventory_.devices) {
      const auto [host, added] = written_.try_emplace(device.host, device.first);
      host->second = std::min(host->second, device.first);
      first_ = std::min(first_, device.first);
      last_ = std::max(last_, device.last);
    }
  }

  [[nodiscard]] Status record_host(const std::string& host, WallTime& from, WallTime until) {
    if (until <= from) return {};
    ReadRequest request;
    request.from = std::exchange(from, until);
    request.to = until;
    request.hosts = {host};
    auto tables = reader_->read(request);
    if (!tables) return forward(tables);
    for (;;) {
      auto table = (*tables)->next();
      if (!table) return forward(table);
      if (!*table) return {};
      if (Status appended = writer_->append(**table); !appended) return appended;
    }
  }

  std::unique_ptr<archive::Reader> reader_;
  Inventory inventory_;
  std::unique_ptr<archive::Writer> writer_;
  std::map<std::string, WallTime> written_;  ///< By host: samples before this have been replayed.
  WallTime first_ = WallTime::max();
  WallTime last_ = WallTime::min();
};

Status replay(const ReplayOptions& options) {
  using std::chrono::hours;
  auto flush = cmd::duration_option("--flush", options.flush, std::chrono::milliseconds(100), hours(24));
  if (!flush) return forward(flush);
  auto lag = cmd::duration_option("--lag", options.lag, Duration::zero(), hours(24));
  if (!lag) return forward(lag);
  SystemClock clock;
  auto replay = Replay::open(options, clock);
  if (!replay) return forward(replay);
  std::mt19937_64 random(options.seed);
  const Duration pause(static_cast<std::int64_t>(static_cast<double>(flush->count()) / options.speed));
  MonoTime next = clock.mono();
  for (WallTime now = replay->first() + *flush; now <= replay->last(); now += *flush) {
    if (Status recorded = replay->record(now, *lag, random); !recorded) return recorded;
    next += pause;
    clock.sleep_until(next);
  }
  if (Status recorded = replay->record(replay->last() + Duration{1}, Duration::zero(), random); !recorded) {
    return recorded;
  }
  if (Status closed = replay->close(); !closed) return closed;
  return cmd::print(fmt::format("replayed {} of {}: {}\n", to_text(replay->last() - replay->first()),
                                options.recording, options.out));
}

}  // namespace

void add_replay_command(CLI::App& app, cmd::Context& context) {
  auto options = std::make_shared<ReplayOptions>();
  CLI::App* command =
      app.add_subcommand("replay", "Record a finished recording once more, as if it happened now");
  command->add_option("recording", options->recording, "What to replay")->required()->type_name("REC");
  command->add_option("-o,--out", options->out, "The recording that grows")->required()->type_name("REC");
  command->add_option("--speed", options->speed, "So many times as fast as it was recorded")
      ->check(CLI::Range(0.001, 1e9))
      ->capture_default_str();
  command->add_option("--flush", options->flush, "Write so often, in the time of the samples")
      ->type_name("TIME")
      ->capture_default_str();
  command
      ->add_option("--lag", options->lag,
                   "Hosts are late, each by a time of its own up to this, in the time of the samples")
      ->type_name("TIME")
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Of that lateness")->type_name("N")->capture_default_str();
  command->footer(
      "Example:\n  laggard-lab replay examples/ddr-disk-busy-s2 --speed 10 -o growing &\n"
      "  laggard watch growing --until-idle 5s");
  command->callback([options, &context] {
    if (Status done = replay(*options); !done)
      context.status = cmd::report_error(done.error(), context.program);
  });
}

}  // namespace laggard::lab
