#pragma once

#include <optional>
#include <string_view>

#include "model/code_profile.h"
#include "model/metric.h"

namespace laggard::detect {

/// The resource that a function works for, where its name tells: processing of packets, of requests to
/// storage, of memory that runs short. A table of patterns; B §5 reads the same from its top ten by eye.
[[nodiscard]] std::optional<Resource> resource_of(const FunctionName& name);

}  // namespace laggard::detect
