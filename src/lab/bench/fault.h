#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "lab/bench/layout.h"
#include "lab/bench/site.h"
#include "lab/cluster/scenario.h"

namespace laggard::lab::bench {

/// A program or rule, and the host that it runs on.
struct OnHost {
  std::string host;
  Command command;
};

/// What a fault consists of (F §9): programs that run as long as it lasts, in the order in which they are
/// started, and commands that begin and end it.
struct FaultPlan {
  std::vector<OnHost> programs;
  std::vector<OnHost> begin;
  std::vector<OnHost> end;
};

/// \param server  the faulty one, from 1
/// \param loop    its block device
[[nodiscard]] FaultPlan plan_fault(const Layout& layout, FaultKind fault, std::size_t server,
                                   const std::string& loop);

/// A fault that lasts until `clear` or destruction.
class InjectedFault {
 public:
  [[nodiscard]] static Result<InjectedFault> inject(Site& site, FaultPlan plan);
  InjectedFault(InjectedFault&& other) noexcept
      : site_(other.site_),
        plan_(std::move(other.plan_)),
        processes_(std::exchange(other.processes_, {})),
        begun_(std::exchange(other.begun_, false)) {}
  InjectedFault& operator=(InjectedFault&&) = delete;
  InjectedFault(const InjectedFault&) = delete;
  InjectedFault& operator=(const InjectedFault&) = delete;
  ~InjectedFault() { (void)clear(); }
  [[nodiscard]] Status clear();
  /// An error when a program of the fault has ended early.
  [[nodiscard]] Status check();

 private:
  InjectedFault(Site& site, FaultPlan plan) : site_(&site), plan_(std::move(plan)) {}
  Site* site_;
  FaultPlan plan_;
  std::vector<int> processes_;
  bool begun_ = false;
};

/// What was done to the servers, and when.
struct Truth {
  Workload workload = Workload::kDdWrite;
  FaultKind fault = FaultKind::kNone;
  std::size_t server = 0;  ///< From 1; meaningless without a fault.
  WallTime workload_start;
  WallTime workload_stop;
  std::optional<WallTime> fault_start;
  std::optional<WallTime> fault_stop;
  std::vector<std::string> loops;  ///< By server.
  /// Load of all the machine's processors from everything on it, 0 to 1; nothing when /proc/stat is
  /// unreadable.
  std::optional<double> cpu_busy;
  std::string kernel;
};

/// truth.json, the form that `laggard-lab score` reads.
[[nodiscard]] std::string truth_json(const Layout& layout, const Truth& truth);

/// system.toml: servers with their disks, clients, addresses.
[[nodiscard]] std::string system_toml(const Layout& layout, const std::vector<std::string>& loops);

}  // namespace laggard::lab::bench
