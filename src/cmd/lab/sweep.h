#pragma once

#include <vector>

#include "cmd/lab/method.h"

namespace laggard::cmd {

/// F §11.2's sensitivity study: the paper's method with one constant at a time moved through the range that F
/// tries; the first is F's own setting.
[[nodiscard]] std::vector<MethodSpec> sensitivity_sweep();

}  // namespace laggard::cmd
