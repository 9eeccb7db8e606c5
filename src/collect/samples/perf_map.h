#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "collect/samples/symbol_table.h"

namespace laggard::collect {

/// The functions of a process that compiles while it runs, as such processes tell profilers:
/// `/tmp/perf-PID.map`, with lines `START SIZE NAME`.
[[nodiscard]] SymbolTable parse_perf_map(std::string_view text);

/// Reads that of a process, from its own /tmp and under its number in its own namespace. Only what the
/// process's owner or root has put there is believed, as everybody may write to /tmp.
/// \param root  where /proc is. \return nothing when there is none.
[[nodiscard]] std::optional<std::string> read_perf_map(const std::filesystem::path& root, pid_t process);

}  // namespace laggard::collect
