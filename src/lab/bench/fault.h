#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lab/bench/layout.h"
#include "lab/bench/machine.h"
#include "lab/bench/site.h"
#include "lab/bench/started_programs.h"
#include "lab/cluster/fault_catalogue.h"

namespace laggard::lab::bench {

/// A program or rule, and the host that it runs on.
struct OnHost {
  std::string host;
  Command command;
};

/// What a fault consists of, in this order.
struct FaultPlan {
  std::vector<OnHost> provide;   ///< Commands before the workload, when nobody notices what they do to disks.
  std::vector<OnHost> prepare;   ///< Commands that come first when the fault begins, ...
  std::vector<OnHost> programs;  ///< ... programs that run as long as it lasts, ...
  std::vector<OnHost> begin;     ///< ... commands that begin it, ...
  std::vector<OnHost> end;       ///< ... and commands that end it.
};

/// A fault and where it strikes.
struct FaultPlace {
  SizedFault fault;
  /// Servers or clients, from 1, by what the fault strikes; a switch has no numbers.
  std::vector<std::size_t> numbers;
};

/// What a plan is made from.
struct FaultSite {
  Machine& machine;
  const Layout& layout;
  const std::vector<std::string>& loops;  ///< Block devices of the servers (`loop7`).
  std::filesystem::path modelled_cable;   ///< Our program of that name.
};

/// The plan of a fault, of all servers or clients that it strikes.
[[nodiscard]] FaultPlan plan_fault(const FaultSite& site, const FaultPlace& place);

/// Runs commands of a plan on their hosts, one after the other, up to the first that fails.
[[nodiscard]] Status run_steps(Site& site, const std::vector<OnHost>& steps);

/// Faults that last until `clear` or destruction.
class InjectedFault {
 public:
  /// The plan's `provide` has run already.
  [[nodiscard]] static Result<InjectedFault> inject(Site& site, FaultPlan plan);
  InjectedFault(InjectedFault&& other) noexcept
      : site_(other.site_),
        plan_(std::move(other.plan_)),
        programs_(std::move(other.programs_)),
        begun_(std::exchange(other.begun_, false)) {}
  InjectedFault& operator=(InjectedFault&&) = delete;
  InjectedFault(const InjectedFault&) = delete;
  InjectedFault& operator=(const InjectedFault&) = delete;
  ~InjectedFault() { (void)clear(); }
  [[nodiscard]] Status clear();
  /// An error when a program of the fault has ended early.
  [[nodiscard]] Status check() const { return programs_.check("programs of the fault"); }

 private:
  InjectedFault(Site& site, FaultPlan plan);
  Site* site_;
  FaultPlan plan_;
  StartedPrograms programs_;
  bool begun_ = false;
};

}  // namespace laggard::lab::bench
