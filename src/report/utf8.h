#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/terminal_text.h"

namespace laggard::report {

/// Columns that `text` takes on a terminal, one per code point. Escape sequences must not be in it.
[[nodiscard]] std::size_t columns(std::string_view text);

/// `text` with U+FFFD in place of unprintable and invalid parts (line feeds and tabs stay): HTML cannot carry
/// them, and a reader should see that something was there.
[[nodiscard]] std::string cleaned(std::string_view text);

/// `cleaned` for the content and the quoted attributes of HTML.
[[nodiscard]] std::string html_escape(std::string_view text);

}  // namespace laggard::report
