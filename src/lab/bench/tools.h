#pragma once

#include <span>
#include <string_view>

#include "base/error.h"
#include "lab/bench/machine.h"

namespace laggard::lab::bench {

/// A program that the bench runs, and the Debian package that has it.
struct Tool {
  std::string_view program;
  std::string_view package;
};

[[nodiscard]] std::span<const Tool> tools();

/// One sentence that names all that are missing and how to get them.
/// \param path  where programs are looked for, folders with colons between
[[nodiscard]] Status check_tools(Machine& machine, std::string_view path);

/// sysstat's collector; not in PATH.
inline constexpr const char* kSadc = "/usr/lib/sysstat/sadc";

}  // namespace laggard::lab::bench
