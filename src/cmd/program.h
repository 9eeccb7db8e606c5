#pragma once

#include <CLI/CLI.hpp>

#include "base/error.h"

namespace laggard::cmd {

/// Exit statuses that scripts rely on.
inline constexpr int kClean = 0;
inline constexpr int kFinding = 1;  ///< Only with --check.
inline constexpr int kBadUse = 2;   ///< Bad use or bad input.
inline constexpr int kInternal = 3;

/// A subcommand: declares its options on `app` and, when chosen, leaves its exit status in `status`.
/// The function that adds one lives in a file of the command's name and is listed in program.cc.
struct Context {
  int status = kClean;
};

/// Prints `laggard: WHERE: WHAT` and returns the status that belongs to the error.
int report_error(const Error& error);

int run(int argc, char** argv);

}  // namespace laggard::cmd
