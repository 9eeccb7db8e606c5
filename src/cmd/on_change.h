#pragma once

#include <functional>
#include <string>

#include "base/error.h"
#include "base/time.h"
#include "model/incident.h"

namespace laggard::cmd {

/// `--on-change COMMAND`: what the shell does about each change of an incident.
struct OnChange {
  std::string command;                        ///< For `/bin/sh -c`.
  Duration limit = std::chrono::seconds(60);  ///< It is killed after that, with whatever it started.
  Duration grace = std::chrono::seconds(5);   ///< Of `limit`, once we were asked to stop.
  int tries = 3;                              ///< Until it ends well.
  Duration pause = std::chrono::seconds(1);   ///< Before the second try; five times as long before the next.
  std::function<bool()> stopped = nullptr;    ///< Whether we were.
};

/// Runs the command to its end, again when it does not end well. It reads the change as one line of JSON
/// (report::to_json_line) from standard input, and the most needed of it from LAGGARD_CHANGE, LAGGARD_NUMBER,
/// LAGGARD_INCIDENT, LAGGARD_KIND, LAGGARD_PART, LAGGARD_CAUSE and LAGGARD_STATE. Those hold names from
/// recordings, so a script quotes them. What it prints goes to standard error: standard output belongs to the
/// changes.
///
/// \return  why its last try did not end well: its exit status, its signal, or that it was killed for its
/// time.
[[nodiscard]] Status run_on_change(const OnChange& how, const Change& change);

}  // namespace laggard::cmd
