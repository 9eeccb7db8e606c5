#include "lab/bench/fault.h"

#include <csignal>

namespace laggard::lab::bench {

namespace {
using namespace std::chrono_literals;
constexpr Duration kBeforeConnecting = 300ms;
}  // namespace

Status run_steps(Site& site, const std::vector<OnHost>& steps) {
  for (const OnHost& step : steps) {
    Status done = site.must(inside(site.layout().network(step.host), step.command));
    if (!done) return done;
  }
  return {};
}

Result<InjectedFault> InjectedFault::inject(Site& site, FaultPlan plan) {
  InjectedFault fault(site, std::move(plan));
  Clock& clock = site.machine().clock();
  fault.begun_ = true;
  if (Status ready = run_steps(site, fault.plan_.prepare); !ready) return forward(ready);
  for (const OnHost& program : fault.plan_.programs) {
    if (!fault.processes_.empty()) clock.sleep_until(clock.mono() + kBeforeConnecting);
    const Result<int> process = site.start(program.host, urgent(program.command), "fault-" + program.host);
    if (!process) return tl::unexpected<Error>(process.error());
    fault.processes_.push_back(*process);
  }
  if (Status begun = run_steps(site, fault.plan_.begin); !begun) return forward(begun);
  return fault;
}

Status InjectedFault::check() {
  for (const int process : processes_) {
    if (!site_->machine().running(process)) {
      return fail(ErrorCode::kUnavailable, site_->layout().logs().string(),
                  "a program of the fault ended by itself; its log is there");
    }
  }
  return {};
}

Status InjectedFault::clear() {
  for (const int process : processes_) site_->machine().stop(process, SIGKILL, 0s);
  processes_.clear();
  if (!std::exchange(begun_, false)) return {};
  Status all;
  for (const OnHost& step : plan_.end) {
    const Status done = site_->must(inside(site_->layout().network(step.host), step.command));
    if (!done) all = done;
  }
  return all;
}

}  // namespace laggard::lab::bench
