#pragma once

#include <string_view>

namespace laggard::detect {

/// Whether an error answers a question and is no failure: there is no such file, there is one already,
/// nothing is there to be read yet, it is not allowed.
[[nodiscard]] bool is_answer(std::string_view errno_name);

/// Whether an error says that who should answer is gone (S §7, methods/syscalls.md).
[[nodiscard]] bool is_of_connection(std::string_view errno_name);

}  // namespace laggard::detect
