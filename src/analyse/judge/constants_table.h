#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyse/judge/constants.h"
#include "base/error.h"
#include "base/named_number.h"

namespace laggard::analyse {

/// One of the Constants by name, so that a command line can change it.
using NamedConstant = NamedNumber<Constants>;

/// All but the noise floors, which are named `noise.METRIC`.
[[nodiscard]] std::span<const NamedConstant> named_constants();

/// Changes one as `NAME=VALUE` says.
[[nodiscard]] Status set_constant(Constants& constants, std::string_view text);

/// Whether they agree with each other, once all are set.
[[nodiscard]] Status check_constants(const Constants& constants);

/// What there is to set, a line each: name, value in force, meaning.
[[nodiscard]] std::string describe_constants(const Constants& constants);

}  // namespace laggard::analyse
