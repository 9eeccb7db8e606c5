#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "lab/scale/plan.h"
#include "model/series_source.h"

namespace laggard::lab::scale {

/// A file server's recorder: stamps samples with the server's own clock, records nothing while the server is
/// down, and names another boot afterwards.
class ServerRecorder {
 public:
  ServerRecorder(const ScaleSpec& spec, const Plan& plan, std::size_t array, std::size_t server);

  /// An empty table of samples first .. first+rows-1: all LUNs of the array, this server's times.
  [[nodiscard]] SampleTable table(std::size_t first, std::size_t rows) const;

  /// Writes the rows of `table` that were recorded.
  [[nodiscard]] Status write(const SampleTable& table, std::size_t first, TableSink& sink) const;

  /// Facts of the devices.
  [[nodiscard]] Status describe(TableSink& sink) const;

 private:
  [[nodiscard]] WallTime clock(Seconds t) const;
  /// How often the server was booted before `t`; nothing while it is down.
  [[nodiscard]] std::optional<std::size_t> boot_at(Seconds t) const;

  const ScaleSpec& spec_;
  std::string host_;
  std::vector<std::string> devices_;
  std::vector<Outage> outages_;
  std::vector<ClockStep> steps_;
  Duration phase_;  ///< When it samples within a second.
};

}  // namespace laggard::lab::scale
