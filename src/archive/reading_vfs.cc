#include "archive/reading_vfs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "base/error.h"

namespace laggard::archive {

namespace {

/// An open file. The file of the underlying VFS follows it in memory: SQLite allocates room for both.
struct ReadFile {
  sqlite3_file base;
  const Laid* laid;  ///< Null for all but a database with something over it.
};

ReadFile& ours(sqlite3_file* file) { return *reinterpret_cast<ReadFile*>(file); }
sqlite3_file* below(sqlite3_file* file) { return reinterpret_cast<sqlite3_file*>(&ours(file) + 1); }
const sqlite3_io_methods& methods_below(sqlite3_file* file) { return *below(file)->pMethods; }

int read_below(sqlite3_file* file, std::span<char> into, std::uint64_t offset) {
  return methods_below(file).xRead(below(file), into.data(), static_cast<int>(into.size()),
                                   static_cast<sqlite3_int64>(offset));
}

int read_laid(sqlite3_file* file, std::span<char> into, std::uint64_t offset) {
  const Laid& laid = *ours(file).laid;
  const std::optional<std::uint64_t> size = laid.files->size(laid.with_log);
  const std::size_t page_bytes = laid.files->page_bytes();
  int result = SQLITE_OK;
  while (!into.empty()) {
    const std::size_t in_page = offset % page_bytes;
    const std::span<char> part = into.first(std::min(into.size(), page_bytes - in_page));
    const auto page = static_cast<std::uint32_t>(offset / page_bytes + 1);
    if (size && offset >= *size) {
      std::ranges::fill(part, '\0');
      result = SQLITE_IOERR_SHORT_READ;
    } else if (!laid.files->read(page, in_page, part, laid.with_log)) {
      const int status = read_below(file, part, offset);
      if (status != SQLITE_OK && status != SQLITE_IOERR_SHORT_READ) return status;
      if (status != SQLITE_OK) result = status;
    }
    into = into.subspan(part.size());
    offset += part.size();
  }
  return result;
}

int read_file_at(sqlite3_file* file, void* to, int n, sqlite3_int64 at) {
  const std::span<char> into{static_cast<char*>(to), static_cast<std::size_t>(n)};
  const auto offset = static_cast<std::uint64_t>(at);
  return ours(file).laid == nullptr ? read_below(file, into, offset) : read_laid(file, into, offset);
}

int size_of_file(sqlite3_file* file, sqlite3_int64* size) {
  const Laid* laid = ours(file).laid;
  const auto known = laid == nullptr ? std::nullopt : laid->files->size(laid->with_log);
  if (!known) return methods_below(file).xFileSize(below(file), size);
  *size = static_cast<sqlite3_int64>(*known);
  return SQLITE_OK;
}

sqlite3_io_methods reading_methods() {
  sqlite3_io_methods m{};
  m.iVersion = 2;
  m.xClose = [](sqlite3_file* f) { return methods_below(f).xClose(below(f)); };
  m.xRead = read_file_at;
  m.xWrite = [](sqlite3_file*, const void*, int, sqlite3_int64) { return SQLITE_READONLY; };
  m.xTruncate = [](sqlite3_file*, sqlite3_int64) { return SQLITE_READONLY; };
  m.xSync = [](sqlite3_file*, int) { return SQLITE_OK; };
  m.xFileSize = size_of_file;
  m.xLock = [](sqlite3_file* f, int level) { return methods_below(f).xLock(below(f), level); };
  m.xUnlock = [](sqlite3_file* f, int level) { return methods_below(f).xUnlock(below(f), level); };
  m.xCheckReservedLock = [](sqlite3_file* f, int* out) {
    return methods_below(f).xCheckReservedLock(below(f), out);
  };
  m.xFileControl = [](sqlite3_file* f, int op, void* arg) {
    return methods_below(f).xFileControl(below(f), op, arg);
  };
  m.xSectorSize = [](sqlite3_file* f) { return methods_below(f).xSectorSize(below(f)); };
  m.xDeviceCharacteristics = [](sqlite3_file* f) {
    return methods_below(f).xDeviceCharacteristics(below(f));
  };
  m.xShmMap = [](sqlite3_file* f, int page, int size, int extend, void volatile** out) {
    return methods_below(f).xShmMap(below(f), page, size, extend, out);
  };
  m.xShmLock = [](sqlite3_file* f, int offset, int n, int flags) {
    return methods_below(f).xShmLock(below(f), offset, n, flags);
  };
  m.xShmBarrier = [](sqlite3_file* f) { methods_below(f).xShmBarrier(below(f)); };
  // Only the writer may delete the wal-index.
  m.xShmUnmap = [](sqlite3_file* f, int) { return methods_below(f).xShmUnmap(below(f), 0); };
  return m;
}

}  // namespace

ReadingVfs::ReadingVfs(const char* base, Laid laid)
    : laid_(std::move(laid)), name_(fmt::format("laggard-read-{}", fmt::ptr(this))) {
  // SQLite has no VFS before it is initialised, which needs memory.
  if (sqlite3_initialize() != SQLITE_OK) throw std::bad_alloc();
  base_ = sqlite3_vfs_find(base);
  LAGGARD_CHECK(base_ != nullptr);
  vfs_ = *base_;
  vfs_.zName = name_.c_str();
  vfs_.szOsFile = static_cast<int>(sizeof(ReadFile)) + base_->szOsFile;
  vfs_.pAppData = this;
  vfs_.pNext = nullptr;
  vfs_.xOpen = [](sqlite3_vfs* v, sqlite3_filename name, sqlite3_file* file, int flags, int* out) {
    return static_cast<ReadingVfs*>(v->pAppData)->open(name, file, flags, out);
  };
  vfs_.xDelete = [](sqlite3_vfs*, const char*, int) { return SQLITE_IOERR_DELETE; };
  vfs_.xAccess = [](sqlite3_vfs* v, const char* name, int flags, int* out) {
    sqlite3_vfs* base_vfs = static_cast<ReadingVfs*>(v->pAppData)->base_;
    return base_vfs->xAccess(base_vfs, name, flags, out);
  };
  vfs_.xFullPathname = [](sqlite3_vfs* v, const char* name, int size, char* out) {
    sqlite3_vfs* base_vfs = static_cast<ReadingVfs*>(v->pAppData)->base_;
    return base_vfs->xFullPathname(base_vfs, name, size, out);
  };
  LAGGARD_CHECK(sqlite3_vfs_register(&vfs_, 0) == SQLITE_OK);
  listed_ = true;
}

void ReadingVfs::unlist() {
  if (listed_) sqlite3_vfs_unregister(&vfs_);
  listed_ = false;
}

int ReadingVfs::open(sqlite3_filename name, sqlite3_file* file, int flags, int* out) {
  static const sqlite3_io_methods methods = reading_methods();
  file->pMethods = nullptr;
  constexpr int kRecorded = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL;
  if ((flags & kRecorded) != 0) {
    flags &= ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_DELETEONCLOSE);
    flags |= SQLITE_OPEN_READONLY;
  } else {
    // SQLite's scratch files have no names; a named file would be in the recording.
    return name == nullptr ? base_->xOpen(base_, name, file, flags, out) : SQLITE_CANTOPEN;
  }
  const int status = base_->xOpen(base_, name, below(file), flags, out);
  if (status != SQLITE_OK) return status;
  if (out != nullptr) *out = flags;
  const bool lay = (flags & SQLITE_OPEN_MAIN_DB) != 0 && laid_.files != nullptr;
  ours(file).laid = lay ? &laid_ : nullptr;
  file->pMethods = &methods;
  return SQLITE_OK;
}

}  // namespace laggard::archive
