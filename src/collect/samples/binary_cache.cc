#include "collect/samples/binary_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <string>
#include <utility>

#include "collect/samples/elf_file.h"

namespace laggard::collect {

namespace {

namespace fs = std::filesystem;

Fd open_binary(const fs::path& path) { return Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)); }

/// Devices of file systems such as Btrfs and overlayfs have other numbers in maps than in stat: the inode has
/// to do.
bool is_inode(const Fd& file, std::uint64_t inode) {
  struct stat status {};
  return file.valid() && ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
         status.st_ino == inode;
}

}  // namespace

/// What is mapped itself, which needs CAP_CHECKPOINT_RESTORE or more; else the file of its path as the
/// process sees it, or as we do when the process is gone.
Fd BinaryCache::open(std::uint32_t process, const Mapping& mapping) const {
  const fs::path folder = root_ / "proc" / std::to_string(process);
  Fd file = open_binary(folder / "map_files" / fmt::format("{:x}-{:x}", mapping.start, mapping.end));
  if (is_inode(file, mapping.file.inode)) return file;
  const fs::path path = fs::path(mapping.path).relative_path();
  for (const fs::path& root : {folder / "root", root_}) {
    file = open_binary(root / path);
    if (is_inode(file, mapping.file.inode)) return file;
  }
  file = open_binary(folder / "exe");
  return is_inode(file, mapping.file.inode) ? std::move(file) : Fd();
}

void BinaryCache::refresh(std::uint32_t process, const Mapping& mapping, Entry& entry) {
  constexpr std::int64_t kSecondNs = 1'000'000'000;
  const Fd file = open(process, mapping);
  struct stat status {};
  if (!file.valid() || ::fstat(file.get(), &status) != 0) return;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const std::int64_t modified_ns = status.st_mtim.tv_sec * kSecondNs + status.st_mtim.tv_nsec;
  if (size == entry.size && modified_ns == entry.modified_ns) return;
  entry.size = size;
  entry.modified_ns = modified_ns;
  bytes_ -= entry.symbols.bytes();
  entry.symbols = BinarySymbols();
  if (auto bytes = ElfBytes::of_file(file.get(), mapping.path)) {
    const fs::path inside = root_ / "proc" / std::to_string(process) / "root";
    std::error_code gone;
    auto symbols =
        BinarySymbols::load(std::move(*bytes), fs::exists(inside, gone) ? inside : root_, mapping.path);
    if (symbols) entry.symbols = std::move(*symbols);
  }
  bytes_ += entry.symbols.bytes();
}

void BinaryCache::make_room() {
  while (entries_.size() > 1 && (entries_.size() > kMostBinaries || bytes_ > kMostBytes)) {
    const auto oldest =
        std::ranges::min_element(entries_, {}, [](const auto& entry) { return entry.second.used; });
    bytes_ -= oldest->second.symbols.bytes();
    entries_.erase(oldest);
  }
}

const BinarySymbols& BinaryCache::find(std::uint32_t process, const Mapping& mapping, MonoTime now) {
  // The number of a deleted file may go to a new one.
  constexpr Duration kChecked = std::chrono::minutes(1);
  auto [at, is_new] = entries_.try_emplace(mapping.file);
  Entry& entry = at->second;
  entry.used = ++calls_;
  if (is_new) bytes_ += entry.symbols.bytes();
  if (!is_new && now - entry.checked < kChecked) return entry.symbols;
  entry.checked = now;
  refresh(process, mapping, entry);
  make_room();  // This one was used last and stays.
  return entry.symbols;
}

}  // namespace laggard::collect
