#pragma once

#include <functional>
#include <memory>
#include <span>

#include "lab/cluster/program.h"
#include "lab/cluster/rpc.h"
#include "lab/cluster/scenario.h"
#include "lab/sim/event_queue.h"
#include "lab/sim/random.h"

namespace laggard::lab {

/// Something that makes a server, a switch or a client sick for a while (F §9).
class Fault {
 public:
  virtual ~Fault() = default;
  virtual void begin() = 0;
  virtual void end() = 0;
};

/// What a fault acts on.
struct FaultPlace {
  EventQueue& queue;
  Fabric& fabric;
  FileServer& server;
  std::size_t server_index = 0;
  std::int64_t spare_partition = 0;  ///< First byte of the unused partition.
  const RunSpec& run;
  const ClusterSpec& cluster;
  Random random;
  /// Another job of small files at the faulty client; each number another program.
  std::function<std::unique_ptr<Program>(std::size_t number)> small_files;

  /// A number of the run's fault at the run's strength.
  [[nodiscard]] double value(std::string_view parameter) const {
    return value_of(run.fault, strength_of(run), parameter);
  }
};

/// The fault of a run; null for none. Those of the catalogue that are simulated (MadeBy::kBoth) are in the
/// three tables below. What they do is said in the catalogue; how, beside each of them.
[[nodiscard]] std::unique_ptr<Fault> make_fault(const FaultPlace& place);

struct FaultMaker {
  std::string_view fault;
  std::unique_ptr<Fault> (*make)(const FaultPlace& place);
};
[[nodiscard]] std::span<const FaultMaker> disk_faults();
[[nodiscard]] std::span<const FaultMaker> network_faults();
[[nodiscard]] std::span<const FaultMaker> daemon_faults();  ///< And those of other jobs.

/// Something that is done again and again while a fault lasts.
class Recurring : public Fault, public EventHandler {
 public:
  void begin() override {
    active_ = true;
    queue_.schedule_in(first_, {this, 0, 0});
  }
  void end() override { active_ = false; }
  void on_event(std::uint32_t /*kind*/, std::uint64_t /*about*/) override {
    if (!active_) return;
    strike();
    queue_.schedule_in(every_, {this, 0, 0});
  }

 protected:
  Recurring(EventQueue& queue, SimTime first, SimTime every) : queue_(queue), first_(first), every_(every) {}
  virtual void strike() = 0;
  EventQueue& queue_;

 private:
  SimTime first_;
  SimTime every_;
  bool active_ = false;
};

/// Something that is set at the beginning and taken back at the end.
class Setting final : public Fault {
 public:
  explicit Setting(std::function<void(bool sick)> set) : set_(std::move(set)) {}
  void begin() override { set_(true); }
  void end() override { set_(false); }

 private:
  std::function<void(bool)> set_;
};

}  // namespace laggard::lab
