#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "base/workers.h"
#include "model/series_source.h"

namespace laggard::cmd {

// What of a recording a request covers in time, and reading it. Presets are chosen by how long was recorded,
// progress is shown by where in the span the reader stands, and gaps are listed where they were looked at.

/// From the first sample to the last that is asked for; from >= to when there is nothing between them.
[[nodiscard]] TimeSpan recorded_span(const Inventory& inventory, const ReadRequest& request);

/// For how long any host was recorded in that span: the union over hosts of the time between their first and
/// last samples without their gaps. Six recordings of five minutes are half an hour, whatever lies between.
[[nodiscard]] Duration recorded_time(const Inventory& inventory, const ReadRequest& request);

/// The steps by which a clock was set back over time that the request covers: it was recorded twice.
[[nodiscard]] std::vector<ClockStep> steps_back_within(const Inventory& inventory,
                                                       const ReadRequest& request);

/// The gaps that the request touches, cut to it.
[[nodiscard]] std::vector<Gap> gaps_within(const Inventory& inventory, const ReadRequest& request);

/// What is read, and with what help.
struct TableReading {
  SeriesSource& source;
  const ReadRequest& request;
  TimeSpan span;               ///< The recorded_span of the request, between whose ends progress is shown.
  Workers* workers = nullptr;  ///< To unpack tables side by side; without, one after the other.
  std::function<bool()> enough = nullptr;  ///< Asked between tables: whether to stop there.
};

/// Hands all tables that have samples to `consume`, a few at a time and in order, with a progress bar on a
/// terminal that says what is being done with them.
[[nodiscard]] Status read_tables(const TableReading& reading, std::string_view doing,
                                 const std::function<void(std::span<const SampleTable>)>& consume);

}  // namespace laggard::cmd
