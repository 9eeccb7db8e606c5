#pragma once

#include <cstddef>
#include <string>

#include "model/incident.h"

namespace laggard::report {

struct TextOptions {
  std::size_t width = 80;    ///< Columns of the terminal; below 40 counts as 40.
  bool colour = false;       ///< ANSI colours.
  std::size_t ranking = 10;  ///< How many components the ranking names at most.
};

/// The diagnosis for a person on a terminal: the verdict in one sentence first, then every incident with its
/// evidence, the ranking, and what could not be looked at. Ends with a line feed. Names are made harmless
/// (`printable`), so a device cannot write escape sequences to the operator's terminal.
[[nodiscard]] std::string to_text(const Diagnosis& diagnosis, const TextOptions& options = {});

}  // namespace laggard::report
