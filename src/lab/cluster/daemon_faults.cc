#include <array>

#include "lab/cluster/fault.h"

namespace laggard::lab {

namespace {

/// The daemon stops in bursts.
class StoppingDaemon final : public Recurring {
 public:
  explicit StoppingDaemon(const FaultPlace& place)
      : Recurring(place.queue, {}, from_seconds(place.value("every"))),
        daemon_(place.server.daemon()),
        stopped_(from_seconds(place.value("stopped"))) {}

 private:
  void strike() override { daemon_.stop_until(queue_.now() + stopped_); }

  Daemon& daemon_;
  SimTime stopped_;
};

/// Another job of the faulty client: so many programs that make and remove small files.
class SmallFiles final : public Fault {
 public:
  explicit SmallFiles(const FaultPlace& place) {
    const auto programs = static_cast<std::size_t>(place.value("programs"));
    for (std::size_t i = 0; i < programs; ++i) programs_.push_back(place.small_files(i));
  }
  void begin() override {
    for (const auto& program : programs_) program->begin();
  }
  void end() override {
    for (const auto& program : programs_) program->stop();
  }

 private:
  std::vector<std::unique_ptr<Program>> programs_;
};

std::unique_ptr<Fault> kept(const FaultPlace& place, Daemon::Kept by, double share) {
  return std::make_unique<Setting>([&daemon = place.server.daemon(), by, share](bool sick) {
    daemon.keep(sick ? by : Daemon::Kept::kByNobody, sick ? share : 1);
  });
}

std::unique_ptr<Fault> quota(const FaultPlace& place) {
  return kept(place, Daemon::Kept::kByQuota, 1e-2 * place.value("quota"));
}

/// The core is shared out in equal parts.
std::unique_ptr<Fault> neighbour(const FaultPlace& place) {
  return kept(place, Daemon::Kept::kByNeighbours, 1 / (1 + place.value("programs")));
}

std::unique_ptr<Fault> stops(const FaultPlace& place) { return std::make_unique<StoppingDaemon>(place); }

std::unique_ptr<Fault> small_files(const FaultPlace& place) { return std::make_unique<SmallFiles>(place); }

constexpr std::array kDaemonFaults{
    FaultMaker{"cpu-quota", quota},
    FaultMaker{"cpu-neighbour", neighbour},
    FaultMaker{"daemon-stop", stops},
    FaultMaker{"metadata-neighbour", small_files},
};

}  // namespace

std::span<const FaultMaker> daemon_faults() { return kDaemonFaults; }

}  // namespace laggard::lab
