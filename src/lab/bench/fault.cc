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

InjectedFault::InjectedFault(Site& site, FaultPlan plan)
    : site_(&site), plan_(std::move(plan)), programs_(site, {.signal = SIGKILL, .patience = {}}) {}

Result<InjectedFault> InjectedFault::inject(Site& site, FaultPlan plan) {
  InjectedFault fault(site, std::move(plan));
  Clock& clock = site.machine().clock();
  fault.begun_ = true;
  if (Status ready = run_steps(site, fault.plan_.prepare); !ready) return forward(ready);
  for (const OnHost& program : fault.plan_.programs) {
    if (!fault.programs_.processes().empty()) clock.sleep_until(clock.mono() + kBeforeConnecting);
    Status started = fault.programs_.start(program.host, urgent(program.command), "fault-" + program.host);
    if (!started) return forward(started);
  }
  if (Status begun = run_steps(site, fault.plan_.begin); !begun) return forward(begun);
  return fault;
}

Status InjectedFault::clear() {
  programs_.stop();
  if (!std::exchange(begun_, false)) return {};
  Status all;
  for (const OnHost& step : plan_.end) {
    const Status done = site_->must(inside(site_->layout().network(step.host), step.command));
    if (!done) all = done;
  }
  return all;
}

}  // namespace laggard::lab::bench
