#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/output_file.h"
#include "base/time.h"

namespace laggard::cmd {

/// Lines to standard output as they come, or into a file that is there when all of them are.
class LineWriter {
 public:
  /// \param path  `-` is standard output.
  [[nodiscard]] static Result<LineWriter> open(const std::string& path);
  [[nodiscard]] Status write(std::string_view line);
  [[nodiscard]] Status finish();

 private:
  static constexpr std::size_t kAtOnce = 64U << 10U;

  [[nodiscard]] Status flush();

  std::optional<OutputFile> file_;  ///< None: standard output.
  std::string lines_;
};

/// Quoted when it holds what would end a CSV field, or blanks around it, which a reader may take for none.
[[nodiscard]] std::string csv_field(const std::string& text);

/// Unix seconds with as many decimals as there are, exactly.
[[nodiscard]] std::string unix_time(WallTime time);

}  // namespace laggard::cmd
