#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/fd.h"

namespace laggard::collect {

/// A file of /proc that is read over and over: stays open and is read from its start each time, which makes
/// the kernel write its present numbers. The buffer grows to the file's size once and is then kept.
class ProcFile {
 public:
  [[nodiscard]] static Result<ProcFile> open(const std::filesystem::path& path);

  /// The text at this moment. Valid until the next call. The kernel hands out a page at a time, so that
  /// devices that come or go between two pages can be missing from one text or appear twice.
  [[nodiscard]] Result<std::string_view> read();

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  ProcFile(Fd fd, std::string path);

  Fd fd_;
  std::string path_;
  std::vector<char> buffer_;
};

}  // namespace laggard::collect
