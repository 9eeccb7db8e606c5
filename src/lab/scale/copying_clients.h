#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "lab/scale/array_model.h"
#include "lab/scale/plan.h"

namespace laggard::lab::scale {

/// Four clients that read or write one large file each, block by block over all LUNs (dd on GPFS, T §6.3):
/// each has sixteen blocks of 256 KB under way, which pass its port of 1 Gbit/s one after the other, and asks
/// for the next one when one is done. So all wait for the slowest LUN.
class CopyingClients {
 public:
  /// `spec` must outlive this.
  explicit CopyingClients(const ScaleSpec& spec);

  /// Arrays in their order, before anything runs; each must outlive this.
  void reach(ArrayModel& array) { arrays_.push_back(&array); }

  void run_until(SimTime end);

 private:
  /// A block is wanted, or, when it is to be written, has passed the client's port.
  struct Event {
    SimTime at{};
    std::size_t client = 0;
    bool at_array = false;
    friend bool operator>(const Event& a, const Event& b) { return a.at > b.at; }
  };
  struct Client {
    std::uint64_t next_block = 0;
    SimTime port_free{};
  };

  void handle(const Event& event);
  /// The client's next block, on the LUN whose turn it is.
  [[nodiscard]] SimTime send_block(SimTime at, std::size_t client);
  [[nodiscard]] SimTime pass_port(Client& client, SimTime now) const;

  const ScaleSpec& spec_;
  std::vector<ArrayModel*> arrays_;
  std::vector<Client> clients_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace laggard::lab::scale
