#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace laggard::collect {

/// A file as the kernel tells files apart.
struct MappedFile {
  std::uint32_t device_major = 0;
  std::uint32_t device_minor = 0;
  std::uint64_t inode = 0;  ///< Zero: no file.
  auto operator<=>(const MappedFile&) const = default;
};

/// A piece of memory of a process that has code.
struct Mapping {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t offset = 0;  ///< Of its first byte in the file.
  MappedFile file;
  std::string path;  ///< As the kernel shows it: `/usr/bin/cat`, `[vdso]`, `//anon`; `(deleted)` may follow.
};

/// The code of a process: pieces of memory that do not overlap, by address.
class ProcessMaps {
 public:
  /// A process has no more; what comes beyond is left out.
  static constexpr std::size_t kMost = std::size_t{1} << 14;

  /// Executable pieces of /proc/PID/maps; lines that are none are left out.
  [[nodiscard]] static ProcessMaps parse(std::string_view text);

  /// Replaces what was there, as mmap does.
  void add(Mapping mapping);
  /// The piece that has the address; valid until `add`.
  [[nodiscard]] const Mapping* find(std::uint64_t address) const;
  [[nodiscard]] std::size_t size() const { return mappings_.size(); }

 private:
  std::vector<Mapping> mappings_;  ///< By start.
};

}  // namespace laggard::collect
