#include "lab/bench/overhead.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/text.h"
#include "lab/bench/cpu_share.h"
#include "lab/bench/disks.h"
#include "lab/bench/network.h"
#include "lab/bench/recorders.h"
#include "lab/bench/workload.h"

namespace laggard::lab::bench {

namespace {

using namespace std::chrono_literals;

/// Until caches and congestion windows are where they stay.
constexpr Duration kWarmUp = 20s;

/// The blocks of one workload while it runs.
class Meter {
 public:
  Meter(Bench& bench, const OverheadSpec& spec, const Observer& observer)
      : bench_(bench), spec_(spec), observer_(observer) {}

  [[nodiscard]] Result<Overhead> measure(const Recorders::Options& recording);

 private:
  [[nodiscard]] Status wait(Duration time);
  [[nodiscard]] Result<std::uint64_t> bytes();
  [[nodiscard]] Status block(bool recorded, const Recorders::Options& recording);
  /// Adds up what the recorders have used so far.
  void add_recorders(const Recorders& recorders);

  Bench& bench_;
  const OverheadSpec& spec_;
  const Observer& observer_;
  Overhead result_;
  Duration done_{};
  std::uint64_t ticks_ = 0;
  Duration recorded_{};
  std::size_t recorders_ = 0;
};

Status Meter::wait(Duration time) {
  Clock& clock = bench_.site().machine().clock();
  const MonoTime start = clock.mono();
  const double whole = to_seconds(kWarmUp + spec_.block * static_cast<std::int64_t>(2 * spec_.pairs));
  for (;;) {
    const Duration spent = clock.mono() - start;
    observer_.progress(to_seconds(done_ + std::min(spent, time)) / whole, to_name(spec_.workload));
    if (observer_.stopped()) return fail(ErrorCode::kUnavailable, "overhead", "was interrupted");
    if (spent >= time) break;
    clock.sleep_until(start + std::min<Duration>(time, spent + Observer::kLook));
  }
  done_ += time;
  return {};
}

Result<std::uint64_t> Meter::bytes() {
  Site& site = bench_.site();
  const Result<Output> ports =
      site.machine().run(inside(site.layout().network("bridge"), {{"cat", "/proc/net/dev"}, {}}));
  if (!ports) return tl::unexpected<Error>(ports.error());
  return port_bytes(ports->text);
}

void Meter::add_recorders(const Recorders& recorders) {
  for (const int process : recorders.metrics()) {
    const Result<std::string> stat = bench_.site().machine().read(fmt::format("/proc/{}/stat", process));
    if (stat) ticks_ += parse_process_ticks(*stat).value_or(0);
  }
  recorders_ = recorders.metrics().size();
}

Status Meter::block(bool recorded, const Recorders::Options& recording) {
  Clock& clock = bench_.site().machine().clock();
  const Result<std::uint64_t> before = bytes();
  if (!before) return tl::unexpected<Error>(before.error());
  const MonoTime start = clock.mono();
  std::unique_ptr<Recorders> recorders;
  if (recorded) {
    Result<Recorders> started = Recorders::start(bench_.site(), recording);
    if (!started) return forward(started);
    recorders = std::make_unique<Recorders>(std::move(*started));
  }
  if (Status waited = wait(spec_.block); !waited) return waited;
  if (recorders) add_recorders(*recorders);
  // Their start and their last writing are part of what they cost.
  recorders.reset();
  const Duration took = clock.mono() - start;
  if (recorded) recorded_ += took;
  const Result<std::uint64_t> after = bytes();
  if (!after) return tl::unexpected<Error>(after.error());
  const double moved = *after >= *before ? static_cast<double>(*after - *before) : 0.0;
  result_.blocks.push_back({recorded, moved / to_seconds(took)});
  return {};
}

Result<Overhead> Meter::measure(const Recorders::Options& recording) {
  result_.workload = spec_.workload;
  Site& site = bench_.site();
  Status ready = prepare_files(site, spec_.workload);
  if (ready) ready = drop_caches(site);
  if (ready) ready = limit_network(site);
  if (ready) ready = set_disks(site, false);
  if (!ready) return forward(ready);
  Result<RunningWorkload> workload = RunningWorkload::start(site, spec_.workload);
  if (!workload) return forward(workload);
  if (Status waited = wait(kWarmUp); !waited) return forward(waited);
  for (std::size_t pair = 0; pair < spec_.pairs; ++pair) {
    const bool recorded_first = pair % 2 == 1;
    Status both = block(recorded_first, recording);
    if (both) both = block(!recorded_first, recording);
    if (both) both = workload->check();
    if (!both) return forward(both);
  }
  const double ms_per_tick = 1000.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  const double host_seconds = to_seconds(recorded_) * static_cast<double>(recorders_);
  if (host_seconds > 0) {
    result_.recorder_ms_per_second = ms_per_tick * static_cast<double>(ticks_) / host_seconds;
  }
  return std::move(result_);
}

}  // namespace

Increase increase(std::span<const Block> blocks) {
  LAGGARD_CHECK(blocks.size() % 2 == 0);
  std::vector<double> percents;
  for (std::size_t i = 0; i < blocks.size(); i += 2) {
    LAGGARD_CHECK(blocks[i].recorded != blocks[i + 1].recorded);
    const double on = blocks[i].recorded ? blocks[i].bytes_per_second : blocks[i + 1].bytes_per_second;
    const double off = blocks[i].recorded ? blocks[i + 1].bytes_per_second : blocks[i].bytes_per_second;
    if (on > 0) percents.push_back(100 * (off / on - 1));
  }
  Increase result;
  if (percents.empty()) return result;
  const auto n = static_cast<double>(percents.size());
  for (const double percent : percents) result.percent += percent / n;
  if (percents.size() < 2) return result;
  double squares = 0;
  for (const double percent : percents) squares += (percent - result.percent) * (percent - result.percent);
  result.standard_error = std::sqrt(squares / (n - 1) / n);
  return result;
}

std::uint64_t port_bytes(std::string_view net_dev) {
  constexpr int kBetweenReceivedAndSent = 7;
  std::uint64_t sum = 0;
  for (std::string_view line : split(net_dev, '\n')) {
    line = trim(line);
    const std::size_t colon = line.find(':');
    if (line.substr(0, 3) != "p-s" || colon == std::string_view::npos) continue;
    line.remove_prefix(colon + 1);
    sum += to_number<std::uint64_t>(take_word(line)).value_or(0);
    for (int i = 0; i < kBetweenReceivedAndSent; ++i) (void)take_word(line);
    sum += to_number<std::uint64_t>(take_word(line)).value_or(0);
  }
  return sum;
}

Result<Overhead> measure_overhead(const Session& session, const OverheadSpec& spec,
                                  const std::filesystem::path& out) {
  const std::filesystem::path folder = out / to_name(spec.workload);
  if (session.machine.exists(folder)) {
    return fail(ErrorCode::kBadUse, folder.string(), "is there already; choose another folder");
  }
  if (Status made = session.machine.make_folder(folder); !made) return forward(made);
  session.observer.progress(0, "building the bench");
  Result<std::unique_ptr<Bench>> bench =
      Bench::build(session.machine, session.layout, session.programs, session.say);
  if (!bench) return forward(bench);
  Meter meter(**bench, spec, session.observer);
  Result<Overhead> overhead = meter.measure({session.programs.laggard, folder, (*bench)->loops(), false});
  Status down = (*bench)->take_down();
  if (overhead && !down) return forward(down);
  return overhead;
}

std::string to_json(const Overhead& overhead) {
  std::string blocks;
  for (const Block& block : overhead.blocks) {
    blocks += fmt::format("{}\n  {{\"recorded\": {}, \"bytes_per_second\": {:.0f}}}",
                          blocks.empty() ? "" : ",", block.recorded, block.bytes_per_second);
  }
  const Increase more = increase(overhead.blocks);
  return fmt::format(
      "{{\n \"workload\": \"{}\",\n \"increase_percent\": {:.3f},\n \"standard_error\": {:.3f},\n"
      " \"recorder_ms_per_second\": {:.3f},\n \"blocks\": [{}\n ]\n}}\n",
      to_name(overhead.workload), more.percent, more.standard_error, overhead.recorder_ms_per_second, blocks);
}

}  // namespace laggard::lab::bench
