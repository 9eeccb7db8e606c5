#pragma once

#include <string>

#include "base/error.h"
#include "cmd/record_options.h"
#include "collect/record/clocks.h"
#include "collect/record/event_sources.h"

namespace laggard::cmd {

struct Context;

/// As the command line has it.
struct RecordEventsOptions : RecordOptions {
  RecordEventsOptions() { flush = "2s"; }
  std::string from;  ///< What to read; empty: the usual place.
};

/// Records one source until the clock is asked to stop or the duration is over.
[[nodiscard]] Status record_events(const collect::EventSourceSpec& source, const RecordEventsOptions& options,
                                   collect::SignalClock& clock);

/// `laggard record NAME` for each row of the table of event sources.
void add_record_events(CLI::App& record, Context& context);

}  // namespace laggard::cmd
