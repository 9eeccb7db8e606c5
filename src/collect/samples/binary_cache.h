#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>

#include "base/file.h"
#include "base/time.h"
#include "collect/samples/binary_symbols.h"
#include "collect/samples/process_maps.h"

namespace laggard::collect {

/// The functions of the binaries that processes run, each read once: of those that are used most recently.
class BinaryCache {
 public:
  static constexpr std::size_t kMostBinaries = 4096;
  static constexpr std::size_t kMostBytes = std::size_t{256} << 20;

  /// \param root  where /proc is.
  explicit BinaryCache(std::filesystem::path root) : root_(std::move(root)) {}

  /// The binary of a piece of a process's memory, also when it is in a container or was deleted. A file of
  /// the same path that is another one by now is not taken for it. Without functions when it cannot be read.
  /// Valid until the next call.
  [[nodiscard]] const BinarySymbols& find(std::uint32_t process, const Mapping& mapping, MonoTime now);

 private:
  struct Entry {
    BinarySymbols symbols;
    std::uint64_t size = 0;
    std::int64_t modified_ns = 0;
    MonoTime checked{};
    std::uint64_t used = 0;  ///< The number of the call.
  };

  [[nodiscard]] Fd open(std::uint32_t process, const Mapping& mapping) const;
  /// Reads the functions unless the file is still the one that was read.
  void refresh(std::uint32_t process, const Mapping& mapping, Entry& entry);
  void make_room();

  std::filesystem::path root_;
  std::map<MappedFile, Entry> entries_;
  std::uint64_t calls_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace laggard::collect
