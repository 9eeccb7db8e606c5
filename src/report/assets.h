#pragma once

#include <string_view>

/// The script and the style of web/report, put into the program at build time (cmake/EmbedReport.cmake).
namespace laggard::report {

struct Asset {
  std::string_view text;
  std::string_view sha256;  ///< Of `text`, in hexadecimal: what the content security policy lets through.
};

[[nodiscard]] Asset page_script();
[[nodiscard]] Asset page_style();

}  // namespace laggard::report
