#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "cmd/profile_forms.h"
#include "model/observation_source.h"

namespace laggard::cmd {

/// The form that `--format` names for profiles of these kinds.
[[nodiscard]] Result<const ProfileForm*> profile_form(const std::string& format,
                                                      const std::vector<std::string>& kinds);

/// Writes profiles in a form. A kind or host that is asked for and was not recorded is an error with what
/// there is. Of a form that is about code, samples of a host whose stacks were recorded are written as these.
/// \param subjects  a pattern; profiles of a host itself have an empty subject. \param writer  of
/// that form
[[nodiscard]] Status export_profiles(ObservationSource& source, ObservationRequest request,
                                     const std::string& subjects, const ProfileForm& form,
                                     ProfileWriter& writer);

}  // namespace laggard::cmd
