#pragma once

#include <string>
#include <string_view>

namespace laggard::collect {

/// What profiles call the file, or the part of the kernel, that a function is in (FunctionName::binary):
/// without its folder; `[kernel]` for all of the kernel's own code and `[nf_conntrack]` for a module, whether
/// perf read it from memory or from a file; `[jit]` for code that a program made itself, because the name
/// that perf has for it holds the number of a process, and peers would seem to run different code. Empty:
/// unknown. \param object  What perf wrote in parentheses, such as `/usr/lib/libc.so.6 (deleted)`.
[[nodiscard]] std::string binary_name(std::string_view object);

}  // namespace laggard::collect
