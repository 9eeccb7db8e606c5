#pragma once

#include <string>

#include "base/error.h"
#include "cmd/line_writer.h"
#include "model/observation_source.h"

namespace laggard::cmd {

/// Writes events as CSV, a line each: `time,host,kind,subject,what,duration_s,attributes`, the attributes as
/// `key=value` with blanks between. A kind or host that is asked for and was not recorded is an error with
/// what there is. \param subjects  a pattern; events of a host itself have an empty subject.
[[nodiscard]] Status export_events(ObservationSource& source, const ObservationRequest& request,
                                   const std::string& subjects, LineWriter& out);

}  // namespace laggard::cmd
