#pragma once

#include <string>

#include "base/error.h"
#include "collect/record/clocks.h"
#include "collect/record/event_sources.h"

namespace CLI {
class App;
}

namespace laggard::cmd {

struct Context;

/// As the command line has it.
struct RecordEventsOptions {
  std::string out;
  std::string from;
  std::string root = "/";
  std::string host;
  std::string duration;
  std::string flush = "2s";
  std::string keep;
  std::string max_size;
};

/// Records one source until the clock is asked to stop or the duration is over.
[[nodiscard]] Status record_events(const collect::EventSourceSpec& source, const RecordEventsOptions& options,
                                   collect::SignalClock& clock);

/// `laggard record NAME` for each row of the table of event sources.
void add_record_events(CLI::App& record, Context& context);

}  // namespace laggard::cmd
