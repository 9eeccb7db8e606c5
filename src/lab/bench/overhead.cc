#include "lab/bench/overhead.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/text.h"
#include "lab/bench/folders.h"
#include "lab/bench/machine.h"
#include "lab/bench/processes.h"
#include "lab/bench/site.h"
#include "lab/bench/storage.h"
#include "lab/bench/switched_recording.h"

namespace laggard::lab::bench {

namespace {

using namespace std::chrono_literals;

/// The time until caches and congestion windows have settled.
constexpr Duration kWarmUp = 20s;
/// The blocks of one workload while it runs.
class Meter {
 public:
  Meter(Bench& bench, const OverheadSpec& spec, const Session& session)
      : bench_(bench), spec_(spec), session_(session) {}

  [[nodiscard]] Result<Overhead> measure(const std::filesystem::path& out);

 private:
  [[nodiscard]] Status wait(Duration time);
  [[nodiscard]] Result<std::uint64_t> bytes();
  /// Nothing when /proc/stat is unreadable; then no block is invalid.
  [[nodiscard]] CpuTimes processors();
  /// Ticks that the recorders have used so far.
  [[nodiscard]] std::uint64_t ticks(const SwitchedRecording& recording);
  [[nodiscard]] Result<Block> block(bool recorded, SwitchedRecording& recording);

  Bench& bench_;
  const OverheadSpec& spec_;
  const Session& session_;
  Duration done_{};
  std::uint64_t ticks_ = 0;
  Duration recorded_{};
  std::size_t most_processes_ = 0;
};

Status Meter::wait(Duration time) {
  Clock& clock = bench_.site().machine().clock();
  const MonoTime start = clock.mono();
  const double whole = to_seconds(kWarmUp + spec_.block * static_cast<std::int64_t>(2 * spec_.pairs));
  for (;;) {
    const Duration spent = clock.mono() - start;
    const double done = to_seconds(done_ + std::min(spent, time)) / whole;
    session_.observer.progress(std::min(done, 1.0), to_name(spec_.workload));
    if (session_.observer.stopped()) return fail(ErrorCode::kUnavailable, "overhead", "was interrupted");
    if (spent >= time) break;
    clock.sleep_until(start + std::min<Duration>(time, spent + Observer::kLook));
  }
  done_ += time;
  return {};
}

Result<std::uint64_t> Meter::bytes() {
  Site& site = bench_.site();
  const Result<Output> ports =
      site.machine().run(inside(site.layout().network(kBridge), {{"cat", "/proc/net/dev"}, {}}));
  if (!ports) return tl::unexpected<Error>(ports.error());
  return port_bytes(ports->text, "p-s");
}

CpuTimes Meter::processors() {
  const Result<std::string> stat = bench_.site().machine().read("/proc/stat");
  return stat ? parse_cpu_times(*stat).value_or(CpuTimes{}) : CpuTimes{};
}

std::uint64_t Meter::ticks(const SwitchedRecording& recording) {
  std::uint64_t sum = 0;
  for (const HostProcess& one : recording.processes()) {
    const Result<std::string> stat = bench_.site().machine().read(fmt::format("/proc/{}/stat", one.process));
    if (stat) sum += parse_process_ticks(*stat).value_or(0);
  }
  return sum;
}

Result<Block> Meter::block(bool recorded, SwitchedRecording& recording) {
  Clock& clock = bench_.site().machine().clock();
  if (Status turned = recording.turn(recorded); !turned) return forward(turned);
  if (Status settled = wait(recording.settling()); !settled) return forward(settled);
  most_processes_ = std::max(most_processes_, recording.processes().size());
  const CpuTimes cpu_before = processors();
  const std::uint64_t ticks_before = ticks(recording);
  const Result<std::uint64_t> before = bytes();
  if (!before) return tl::unexpected<Error>(before.error());
  const MonoTime start = clock.mono();
  if (Status waited = wait(spec_.block); !waited) return forward(waited);
  const Result<std::uint64_t> after = bytes();
  if (!after) return tl::unexpected<Error>(after.error());
  const Duration took = clock.mono() - start;
  if (recorded) {
    ticks_ += ticks(recording) - ticks_before;
    recorded_ += took;
  }
  const double moved = *after >= *before ? static_cast<double>(*after - *before) : 0.0;
  const double stolen = stolen_share(cpu_before, processors()).value_or(0);
  return Block{recorded, moved / to_seconds(took), stolen};
}

Result<Overhead> Meter::measure(const std::filesystem::path& out) {
  Overhead result;
  result.workload = spec_.workload;
  result.witnesses = session_.witnesses;
  Site& site = bench_.site();
  Status ready = prepare_files(site, spec_.workload);
  if (ready) ready = drop_caches(site);
  if (ready) ready = limit_network(site);
  if (ready) ready = set_disks(site, false);
  if (!ready) return forward(ready);
  Result<RunningWorkload> workload = RunningWorkload::start(site, spec_.workload);
  if (!workload) return forward(workload);
  auto recording = session_.witnesses.empty() ? record_metrics_in_turn(bench_, out, spec_.interval)
                                              : record_in_turn(bench_, *workload, session_.witnesses, out);
  if (!recording) return forward(recording);
  if (Status waited = wait(kWarmUp); !waited) return forward(waited);
  result.measured = take_pairs(spec_.pairs, [&](bool recorded) -> Result<Block> {
    Result<Block> measured = block(recorded, **recording);
    if (!measured) return measured;  // After a Ctrl-C programs end too, but they are not the cause.
    Status running = workload->check();
    if (running) running = (*recording)->check();
    if (!running) return forward(running);
    return measured;
  });
  if (result.measured.blocks.empty() && result.measured.ended_by) {
    return tl::unexpected<Error>(*result.measured.ended_by);
  }
  const double ms_per_tick = 1000.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  const double host_seconds = to_seconds(recorded_) * static_cast<double>(most_processes_);
  if (host_seconds > 0) {
    result.recorder_ms_per_second = ms_per_tick * static_cast<double>(ticks_) / host_seconds;
  }
  return result;
}

}  // namespace

Pairs take_pairs(std::size_t wanted, const std::function<Result<Block>(bool recorded)>& block) {
  constexpr std::size_t kTries = 2;
  Pairs pairs;
  for (std::size_t pair = 0; pair < kTries * wanted && increase(pairs.blocks).pairs < wanted; ++pair) {
    const bool recorded_first = pair % 2 == 1;
    const Result<Block> first = block(recorded_first);
    const Result<Block> second = first ? block(!recorded_first) : first;
    if (!second) {
      pairs.ended_by = second.error();
      break;
    }
    pairs.blocks.push_back(*first);
    pairs.blocks.push_back(*second);
  }
  return pairs;
}

Increase increase(std::span<const Block> blocks) {
  LAGGARD_CHECK(blocks.size() % 2 == 0);
  struct Pair {
    double off, on;
  };
  std::vector<Pair> pairs;
  Pair sums{};
  for (std::size_t i = 0; i < blocks.size(); i += 2) {
    LAGGARD_CHECK(blocks[i].recorded != blocks[i + 1].recorded);
    if (std::max(blocks[i].stolen, blocks[i + 1].stolen) > kMostStolen) continue;
    const Block& on = blocks[blocks[i].recorded ? i : i + 1];
    const Block& off = blocks[blocks[i].recorded ? i + 1 : i];
    pairs.push_back({off.bytes_per_second, on.bytes_per_second});
    sums = {sums.off + off.bytes_per_second, sums.on + on.bytes_per_second};
  }
  Increase result;
  if (sums.on <= 0) return result;
  const double ratio = sums.off / sums.on;
  const auto n = static_cast<double>(pairs.size());
  result.percent = 100 * (ratio - 1);
  result.pairs = pairs.size();
  if (pairs.size() < 2) return result;
  double squares = 0;
  for (const Pair& pair : pairs) squares += (pair.off - ratio * pair.on) * (pair.off - ratio * pair.on);
  result.standard_error = 100 * std::sqrt(squares / (n * (n - 1))) / (sums.on / n);
  return result;
}

Result<Overhead> measure_overhead(const Session& session, const OverheadSpec& spec,
                                  const std::filesystem::path& out) {
  const std::filesystem::path folder = out / to_name(spec.workload);
  if (session.machine.exists(folder)) {
    return fail(ErrorCode::kBadUse, folder.string(), "is there already; choose another folder");
  }
  if (Status made = session.machine.make_folder(folder); !made) return forward(made);
  if (Status safe = check_out_folder(folder); !safe) return forward(safe);
  session.observer.progress(0, "building the bench");
  Result<std::unique_ptr<Bench>> bench =
      Bench::build(session.machine, session.layout, session.programs, session.say);
  if (!bench) return forward(bench);
  Meter meter(**bench, spec, session);
  Result<Overhead> overhead = meter.measure(folder);
  Status down = (*bench)->take_down();
  if (overhead && !down) return forward(down);
  return overhead;
}

namespace {

/// `syscalls+samples`
std::string recorded_in(const Overhead& overhead) {
  std::string names;
  for (const Witness witness : overhead.witnesses)
    names += (names.empty() ? "" : "+") + std::string(to_name(witness));
  return names.empty() ? "metrics" : names;
}

}  // namespace

std::string to_json(const Overhead& overhead) {
  std::string blocks;
  for (const Block& block : overhead.measured.blocks) {
    blocks += fmt::format("{}\n  {{\"recorded\": {}, \"bytes_per_second\": {:.0f}, \"stolen\": {:.3f}}}",
                          blocks.empty() ? "" : ",", block.recorded, block.bytes_per_second, block.stolen);
  }
  const Increase more = increase(overhead.measured.blocks);
  return fmt::format(
      "{{\n \"workload\": \"{}\",\n \"recorded\": \"{}\",\n \"increase_percent\": {:.3f},\n "
      "\"standard_error\": {:.3f},\n \"pairs\": "
      "{},\n"
      " \"recorder_ms_per_second\": {:.3f},\n \"blocks\": [{}\n ]\n}}\n",
      to_name(overhead.workload), recorded_in(overhead), more.percent, more.standard_error, more.pairs,
      overhead.recorder_ms_per_second, blocks);
}

}  // namespace laggard::lab::bench
