#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/time.h"
#include "lab/production/incident.h"
#include "lab/production/queues.h"
#include "lab/production/site.h"
#include "lab/sim/random.h"
#include "model/event.h"
#include "model/parts.h"

namespace laggard::lab::production {

/// A stretch of a site's life.
struct Stretch {
  WallTime begin;
  Seconds length = 3600;
  std::vector<Part> clients;  ///< The monitors, see `choose_clients`.
  std::vector<ProductionIncident> incidents;
};

/// All login nodes, and one service node and one import/export node chosen at random (K §IV-A).
[[nodiscard]] std::vector<Part> choose_clients(Random random);

/// Simulates a stretch and hands out the pings of each minute, a table per client, as `laggard record pings`
/// would record them. Each minute every client writes to every target twice, and makes and removes a file on
/// each metadata server and on six targets (K §IV-A: 5,184 WrEx and 72 CrWr and 72 RmEx).
///
/// A probe takes what waits at each thing that it passes at the moment: its rack's switch, the router whose
/// turn it is, the server that serves the target now, the target, and where files are made the metadata
/// server that the file's name belongs to; and besides a log-normal time, or seconds where it is one of the
/// few that are slow for nobody's sake (Pareto). What takes longer than a second has timed out.
class Probes {
 public:
  Probes(const Site& site, const Stretch& stretch, Random random);

  using Sink = std::function<void(std::vector<EventTable>)>;
  void run(const Sink& sink);

  /// Of the things of a stage that has queues, those before kRack, over the minute that was handed out last.
  [[nodiscard]] StageQueues::Minute minute_of(Stage stage, std::size_t thing) const {
    return queues_[static_cast<std::size_t>(stage)].minute(thing);
  }
  /// What incidents do to it at the end of that minute.
  [[nodiscard]] std::span<const Effect* const> effects_on(Stage stage, std::size_t thing) const {
    return now_[static_cast<std::size_t>(stage)][thing];
  }
  /// The server that serves a target now.
  [[nodiscard]] std::size_t serving(std::size_t target) const;

  /// Of all probes so far.
  [[nodiscard]] std::uint64_t sent() const { return sent_; }
  [[nodiscard]] std::uint64_t failed() const { return failed_; }
  /// Rounds of clients that began within 3 s of the minute, of all.
  [[nodiscard]] double prompt_share() const;

 private:
  enum class Operation : std::uint8_t { kWriteExisting, kCreate, kRemove };
  struct Probe {
    double at = 0;  ///< Seconds since the minute.
    std::size_t client = 0;
    std::size_t target = 0;  ///< Or the metadata server, where `is_metadata`.
    Operation operation = Operation::kWriteExisting;
    bool is_metadata = false;
  };

  [[nodiscard]] std::vector<Probe> round();
  void apply(Seconds now);
  void strain_servers();
  void step();
  /// In seconds; infinite: never.
  [[nodiscard]] double takes(const Probe& probe);
  [[nodiscard]] double passes(Stage stage, std::size_t index);
  [[nodiscard]] double over_routers(std::size_t group, std::size_t client);
  void record(const Probe& probe, Seconds minute, std::vector<EventTable>& tables);

  const Site& site_;
  const Stretch& stretch_;
  Random random_;
  std::vector<StageQueues> queues_;                           ///< By Stage, those before kRack.
  std::vector<std::vector<std::vector<const Effect*>>> now_;  ///< Effects by stage and thing.
  std::vector<const Effect*> active_;
  std::vector<std::size_t> turn_;  ///< Of the routers of a group.
  std::vector<bool> failed_over_;  ///< Servers.
  std::uint64_t sent_ = 0;
  std::uint64_t failed_ = 0;
  std::uint64_t rounds_ = 0;
  std::uint64_t prompt_rounds_ = 0;
};

}  // namespace laggard::lab::production
