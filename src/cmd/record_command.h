#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "collect/record/clocks.h"
#include "collect/record/event_sources.h"

namespace laggard::cmd {

/// What every recorder is told on the command line, whatever it records.
struct RecordOptions {
  std::string out;
  std::string duration;
  std::string flush;  ///< Its default is the recorder's own.
  std::string keep;
  std::string max_size;
  std::string root = "/";
  std::string host;
};

/// What a recorder of events is told.
struct RecordEventsOptions : RecordOptions {
  RecordEventsOptions() { flush = "2s"; }
  std::string from;  ///< What to read; empty: the usual place.
  /// By collect::EventSourceOption::name.
  std::map<std::string, std::vector<std::string>, std::less<>> source;
  // Of sources whose events are counted (collect::EventSourceSpec):
  bool records = false;  ///< Every event is kept, too.
  std::string system;    ///< The system file; empty: none.
};

/// Records one source until the clock is asked to stop or the duration is over.
[[nodiscard]] Status record_events(const collect::EventSourceSpec& source, const RecordEventsOptions& options,
                                   collect::SignalClock& clock);

}  // namespace laggard::cmd
