#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/named_number.h"
#include "detect/peer/judge/parameters.h"

namespace laggard::detect {

/// One of the Parameters by name, so that a command line can change it.
using NamedParameter = NamedNumber<Parameters>;

/// All but the noise floors, which are named `noise.METRIC`.
[[nodiscard]] std::span<const NamedParameter> named_parameters();

/// Changes one as `NAME=VALUE` says.
[[nodiscard]] Status set_parameter(Parameters& parameters, std::string_view text);

/// Whether they agree with each other, once all are set.
[[nodiscard]] Status check_parameters(const Parameters& parameters);

/// What there is to set, a line each: name, value in force, meaning.
[[nodiscard]] std::string describe_parameters(const Parameters& parameters);

}  // namespace laggard::detect
