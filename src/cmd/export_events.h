#pragma once

#include <string>

#include "base/error.h"
#include "cmd/event_forms.h"
#include "cmd/line_writer.h"
#include "model/observation_source.h"

namespace laggard::cmd {

/// Fails when a kind or host that is asked for was not recorded in that shape, with what there is.
[[nodiscard]] Status check_recorded(ObservationSource& source, ObservationShape shape,
                                    const ObservationRequest& request);

/// Writes events in a form. A kind or host that is asked for and was not recorded is an error with what there
/// is. \param subjects  a pattern; events of a host itself have an empty subject.
[[nodiscard]] Status export_events(ObservationSource& source, const ObservationRequest& request,
                                   const std::string& subjects, const EventForm& form, LineWriter& out);

}  // namespace laggard::cmd
