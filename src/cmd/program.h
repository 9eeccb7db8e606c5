#pragma once

#include <CLI/CLI.hpp>

#include "base/error.h"

namespace laggard::cmd {

/// Exit statuses that scripts rely on.
inline constexpr int kClean = 0;
inline constexpr int kFinding = 1;  ///< With --check, and `info --verify` of a damaged recording.
inline constexpr int kBadUse = 2;   ///< Bad use or bad input.
inline constexpr int kInternal = 3;
inline constexpr int kNotJudged =
    4;  ///< Only with --check: nothing was found, and not all could be looked at.
inline constexpr int kNobodyReads =
    141;  ///< Standard output is a pipe whose reader has gone: as SIGPIPE ends a program.

/// What a subcommand has of its program: it declares its options on an `app` and, when chosen, leaves its
/// exit status in `status`. The function that adds one lives in a file of the command's name and is listed in
/// commands.cc.
struct Context {
  const char* program = "laggard";  ///< As messages begin.
  int status = kClean;
};

/// Subcommands under one name: the operator's laggard, and laggard-lab (lab/cmd).
struct Program {
  const char* name;
  const char* description;  ///< First line of its help.
  const char* version;      ///< What --version prints.
  void (*add_commands)(CLI::App& app, Context& context);
};

/// Prints `PROGRAM: WHERE: WHAT` and returns the status that belongs to the error. Of a broken pipe nothing
/// is said.
int report_error(const Error& error, const char* program = "laggard");

/// \return exit status. No exception leaves: lack of memory and of threads is the system's and told as such.
int run(const Program& program, int argc, char** argv) noexcept;

/// All of `main`: `run` between the preparation and the close of the standard streams.
int run_program(const Program& program, int argc, char** argv);

}  // namespace laggard::cmd
