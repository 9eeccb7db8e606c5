#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "base/error.h"
#include "base/time.h"
#include "base/workers.h"
#include "model/series_source.h"

namespace laggard::cmd {

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
