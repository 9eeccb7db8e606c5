#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "lab/scale/array_model.h"
#include "lab/scale/load.h"
#include "lab/scale/plan.h"

namespace laggard::lab::scale {

/// Sends an array what jobs, servers and everybody else ask it for, in an open loop: nobody waits for an
/// answer before the next request (clients that do are CopyingClients).
class OpenLoad {
 public:
  /// `spec`, `loads` (per pool) and `plan` must outlive this.
  OpenLoad(const ScaleSpec& spec, const std::vector<FileSystemLoad>& loads, const Plan& plan,
           std::size_t array);

  /// Sends the requests of (from, to] in the order of their times.
  void send(Seconds from, Seconds to, ArrayModel& model);

 private:
  void draw_server_work(std::size_t lun, Seconds to);

  const ScaleSpec& spec_;
  const Plan& plan_;
  std::size_t array_;
  ArrayLoad load_;
  std::vector<std::pair<SimTime, std::size_t>> order_;  ///< Of what is drawn, by time.
};

}  // namespace laggard::lab::scale
