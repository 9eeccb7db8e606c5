#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "lab/striped/message.h"

namespace laggard::lab::striped {

/// The paths that a server knows of, in a file to which every change is appended and synced, as PVFS's
/// servers do with their database. May be used by several threads at a time.
class NameTable {
 public:
  /// \param server  its number, so that no two servers give an object the same number
  [[nodiscard]] static Result<std::unique_ptr<NameTable>> open(const std::filesystem::path& file,
                                                               std::size_t server);

  [[nodiscard]] std::optional<Entry> look(std::string_view path);
  /// EEXIST when it is there.
  [[nodiscard]] OrErrno<Entry> make(std::string_view path, Kind kind);
  /// ENOENT when it is not there.
  [[nodiscard]] OrErrno<void> drop(std::string_view path);
  /// The last components of the paths right in a folder.
  [[nodiscard]] std::vector<std::string> list(std::string_view folder);

 private:
  NameTable(Fd file, std::size_t server) : file_(std::move(file)), server_(server) {}
  [[nodiscard]] OrErrno<void> append(const std::string& line);
  void replay(std::string_view lines);

  Fd file_;
  std::size_t server_;
  std::mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_;
  std::uint64_t made_ = 0;
};

}  // namespace laggard::lab::striped
