#include "lab/bench/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "lab/bench/catalogue_text.h"
#include "lab/bench/ceph.h"
#include "lab/bench/event_recorders.h"
#include "lab/bench/fault.h"
#include "lab/bench/folders.h"
#include "lab/bench/machine.h"
#include "lab/bench/processes.h"
#include "lab/bench/site.h"
#include "lab/bench/storage.h"
#include "lab/bench/truth.h"

namespace laggard::lab::bench {

namespace {

using namespace std::chrono_literals;

/// Recorded before the workload starts and after it ends.
constexpr Duration kMargin = 3s;
/// Until caches and congestion windows have settled; what was moved before is not compared.
constexpr Duration kSettling = 10s;

/// One run while it lasts.
class Experiment {
 public:
  Experiment(Bench& bench, const RunSpec& run, const Session& session)
      : bench_(bench), run_(run), session_(session) {}

  [[nodiscard]] Result<Truth> conduct(const std::filesystem::path& out);
  /// Starts the recorders of the witnesses beside metrics that the session asks for.
  [[nodiscard]] Result<std::vector<EventRecorders>> record_others(const RunningWorkload& workload,
                                                                  const std::filesystem::path& out);

 private:
  Clock& clock() { return bench_.site().machine().clock(); }
  struct Part {
    Duration time{};
    std::string_view doing;
    Throughput* throughput = nullptr;  ///< Filled in, when there is one.
  };
  /// Waits, and checks with `well` every now and then that all programs are running.
  [[nodiscard]] Status wait(const Part& part, const std::function<Status()>& well);
  [[nodiscard]] Status measure(Throughput& throughput);
  [[nodiscard]] Status with_fault(const std::function<Status()>& well, Truth& truth);
  [[nodiscard]] std::vector<FaultPlan> plans();
  [[nodiscard]] Status prepare();
  [[nodiscard]] Result<std::vector<InjectedFault>> inject();
  [[nodiscard]] std::optional<CpuTimes> cpu();

  Bench& bench_;
  const RunSpec& run_;
  const Session& session_;
  Duration done_{};
};

std::optional<CpuTimes> Experiment::cpu() {
  const Result<std::string> stat = bench_.site().machine().read("/proc/stat");
  return stat ? parse_cpu_times(*stat) : std::nullopt;
}

Status Experiment::measure(Throughput& throughput) {
  const Result<Output> ports = bench_.site().machine().run(
      inside(bench_.site().layout().network(kBridge), {{"cat", "/proc/net/dev"}, {}}));
  if (!ports) return tl::unexpected<Error>(ports.error());
  throughput.add(clock().mono(), port_bytes(ports->text, "p-c"));
  return {};
}

Status Experiment::wait(const Part& part, const std::function<Status()>& well) {
  const Duration time = part.time;
  const MonoTime start = clock().mono();
  const double whole = to_seconds(run_.total + 2 * kMargin);
  for (;;) {
    const Duration spent = clock().mono() - start;
    session_.observer.progress(to_seconds(done_ + std::min(spent, time)) / whole, part.doing);
    if (session_.observer.stopped())
      return fail(ErrorCode::kUnavailable, name_of(run_, bench_.site().layout()), "was interrupted");
    if (Status fine = well(); !fine) return fine;
    if (part.throughput != nullptr && part.throughput->due(clock().mono())) {
      if (Status measured = measure(*part.throughput); !measured) return measured;
    }
    if (spent >= time) break;
    clock().sleep_until(start + std::min<Duration>(time, spent + Observer::kLook));
  }
  done_ += time;
  return {};
}

Status Experiment::with_fault(const std::function<Status()>& well, Truth& truth) {
  Throughput before;
  const MonoTime start = clock().mono();
  const Duration healthy = run_.faults.empty() ? run_.total : run_.fault_after;
  if (Status waited = wait({healthy, "fault-free", &before}, well); !waited) return waited;
  if (healthy >= 2 * kSettling) before.settle(start + kSettling);
  truth.paces.before = before.pace();
  if (run_.faults.empty()) return {};
  truth.fault_start = clock().wall();
  Result<std::vector<InjectedFault>> faults = inject();
  if (!faults) return forward(faults);
  const auto still_sick = [&]() -> Status {
    for (InjectedFault& fault : *faults) {
      if (Status fine = fault.check(); !fine) return fine;
    }
    return well();
  };
  Throughput during;
  if (Status waited = wait({run_.fault_for, "with the fault", &during}, still_sick); !waited) return waited;
  truth.paces.during = during.pace();
  for (InjectedFault& fault : *faults) {
    if (Status cleared = fault.clear(); !cleared) return cleared;
  }
  truth.fault_stop = clock().wall();
  Throughput after;
  const Duration left = run_.total - run_.fault_after - run_.fault_for;
  if (Status waited = wait({left, "fault-free again", &after}, well); !waited) return waited;
  truth.paces.after = after.pace();
  return {};
}

std::vector<FaultPlan> Experiment::plans() {
  Site& site = bench_.site();
  const FaultSite at{site.machine(), site.layout(), bench_.loops(), bench_.programs().modelled_cable};
  std::vector<FaultPlan> plans;
  for (const FaultPlace& place : run_.faults) plans.push_back(plan_fault(at, place));
  return plans;
}

/// Files, what the faults will need, and disks and links as they are to be.
Status Experiment::prepare() {
  Site& site = bench_.site();
  if (Status ready = prepare_files(site, run_.workload); !ready) return ready;
  for (const FaultPlan& plan : plans()) {
    if (Status ready = run_steps(site, plan.provide); !ready) return ready;
  }
  if (Status ready = drop_caches(site); !ready) return ready;
  if (Status ready = limit_network(site); !ready) return ready;
  return set_disks(site, false);
}

Result<std::vector<InjectedFault>> Experiment::inject() {
  std::vector<InjectedFault> faults;
  for (FaultPlan& plan : plans()) {
    Result<InjectedFault> fault = InjectedFault::inject(bench_.site(), std::move(plan));
    if (!fault) return forward(fault);
    faults.push_back(std::move(*fault));
  }
  return faults;
}

Result<std::vector<EventRecorders>> Experiment::record_others(const RunningWorkload& workload,
                                                              const std::filesystem::path& out) {
  std::vector<EventRecorders> others;
  for (const Witness witness : session_.witnesses) {
    Result<EventRecorders> started = EventRecorders::start(witness, bench_, workload, out);
    if (!started) return forward(started);
    others.push_back(std::move(*started));
  }
  return others;
}

Result<Truth> Experiment::conduct(const std::filesystem::path& out) {
  Site& site = bench_.site();
  session_.observer.progress(0, "preparing files");
  if (Status ready = prepare(); !ready) return forward(ready);

  Result<Recorders> recorders =
      Recorders::start(site, {bench_.programs().laggard, out, bench_.loops(), true});
  if (!recorders) return forward(recorders);
  const auto recording = [&] { return recorders->check(); };
  if (Status waited = wait({kMargin, "recording"}, recording); !waited) return forward(waited);
  Truth truth;
  truth.workload = run_.workload;
  truth.faults = run_.faults;
  truth.loops = bench_.loops();
  const std::optional<CpuTimes> cpu_before = cpu();
  truth.workload_start = clock().wall();
  Result<RunningWorkload> workload = RunningWorkload::start(site, run_.workload);
  if (!workload) return forward(workload);
  Result<std::vector<EventRecorders>> others = record_others(*workload, out);
  if (!others) return forward(others);
  Result<StartedPrograms> ceph = record_ceph(site, out);
  if (!ceph) return forward(ceph);
  const auto well = [&]() -> Status {
    if (Status fine = ceph->check("recorders of what Ceph says"); !fine) return fine;
    if (Status fine = workload->check(); !fine) return fine;
    for (const EventRecorders& other : *others) {
      if (Status fine = other.check(); !fine) return fine;
    }
    return recorders->check();
  };
  if (Status done = with_fault(well, truth); !done) return forward(done);
  truth.workload_stop = clock().wall();
  others->clear();
  ceph->stop();
  workload->stop();
  const std::optional<CpuTimes> cpu_after = cpu();
  if (cpu_before && cpu_after) truth.cpu_busy = busy_share(*cpu_before, *cpu_after);
  if (Status waited = wait({kMargin, "recording"}, recording); !waited) return forward(waited);
  recorders->stop();
  const Result<std::string> kernel = site.machine().read("/proc/sys/kernel/osrelease");
  if (kernel) truth.kernel = trim(*kernel);
  return truth;
}

Status make_out_folder(Machine& machine, const std::filesystem::path& out) {
  const bool there = machine.exists(out);
  if (Status made = machine.make_folder(out); !made) return made;
  if (Status safe = check_out_folder(out); !safe || there) return safe;
  return machine.write(out / kUnfinished, "");
}

}  // namespace

Status run_once(const Session& session, const RunSpec& run, const std::filesystem::path& out) {
  Machine& machine = session.machine;
  const Layout& layout = session.layout;
  if (Status possible = check(run, layout); !possible) return possible;
  if (Status possible = check_needs(machine, run.faults); !possible) return possible;
  if (machine.exists(out / "truth.json") || machine.exists(out / "metrics")) {
    return fail(ErrorCode::kBadUse, out.string(), "holds a recording already; choose another folder");
  }
  if (Status made = make_out_folder(machine, out); !made) return made;
  session.observer.progress(0, "building the bench");
  Result<std::unique_ptr<Bench>> bench = Bench::build(machine, layout, session.programs, session.say);
  if (!bench) return forward(bench);
  Experiment experiment(**bench, run, session);
  const Result<Truth> truth = experiment.conduct(out);
  session.observer.progress(1, "taking the bench down");
  Status down = (*bench)->take_down();
  if (!truth) return tl::unexpected<Error>(truth.error());
  if (!down) return down;
  Status written = write_file(out / "system.toml", system_toml(layout, truth->loops));
  if (!written) return written;
  written = write_file(out / "truth.json", truth_json(layout, *truth));
  if (!written) return written;
  std::error_code error;
  std::filesystem::remove(out / kUnfinished, error);  // Beside a truth.json it means nothing.
  return {};
}

}  // namespace laggard::lab::bench
