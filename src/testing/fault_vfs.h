#pragma once

#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"

/// A disk for tests that can fill up, and that loses what was not synced when its power is cut.
namespace laggard::archive::testing {

/// An SQLite VFS over the real one. Files are on the real disk, so that folders can be listed; what a power
/// cut would leave of them is kept in memory. Only one at a time, in one thread.
class FaultVfs {
 public:
  FaultVfs() : real_(sqlite3_vfs_find(nullptr)) {
    vfs_ = *real_;
    vfs_.zName = "laggard-fault";
    vfs_.szOsFile = static_cast<int>(sizeof(File)) + real_->szOsFile;
    vfs_.pAppData = this;
    vfs_.pNext = nullptr;
    vfs_.xOpen = [](sqlite3_vfs* v, sqlite3_filename name, sqlite3_file* file, int flags, int* out) {
      return self(v).open(name, file, flags, out);
    };
    vfs_.xDelete = [](sqlite3_vfs* v, const char* name, int sync) { return self(v).remove(name, sync); };
    vfs_.xAccess = [](sqlite3_vfs* v, const char* name, int flags, int* out) {
      return self(v).real_->xAccess(self(v).real_, name, flags, out);
    };
    vfs_.xFullPathname = [](sqlite3_vfs* v, const char* name, int size, char* out) {
      return self(v).real_->xFullPathname(self(v).real_, name, size, out);
    };
    make_methods();
    sqlite3_vfs_register(&vfs_, 0);
  }
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;
  ~FaultVfs() { sqlite3_vfs_unregister(&vfs_); }

  [[nodiscard]] const char* name() const { return vfs_.zName; }

  /// Whether files can no longer grow.
  void set_full(bool full) { full_ = full; }
  /// Makes every write and every creation of a file fail with this SQLite status and errno; 0 ends that.
  void refuse(int status, int error) {
    refusal_ = status;
    refusal_errno_ = error;
  }
  /// Cuts the power in the middle of the n-th write or sync from now.
  void cut_after(std::uint64_t operations) { countdown_ = operations; }
  [[nodiscard]] bool dead() const { return dead_; }
  [[nodiscard]] std::size_t databases_opened() const { return databases_opened_; }
  void kill() { dead_ = true; }
  [[nodiscard]] std::uint64_t operations() const { return operations_; }

  /// Leaves on disk what may be there when the power is back: any 512-byte sectors of what was written since
  /// each file's last sync, and any of the creations and deletions that were not synced. Connections must be
  /// closed.
  void power_up(std::mt19937_64& random) {
    for (auto& [path, state] : files_) {
      const bool coin = random() % 2 == 0;
      if (state.deleted && (state.deletion_durable || coin)) {
        std::filesystem::remove(path);
        continue;
      }
      if (!state.creation_durable && coin) {
        std::filesystem::remove(path);
        continue;
      }
      std::string content = state.durable;
      for (const Op& op : state.pending) apply_some(op, content, random);
      std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
    }
    for (const auto& [path, state] : files_) {
      if (path.ends_with("-wal")) std::filesystem::remove(path.substr(0, path.size() - 4) + "-shm");
    }
    files_.clear();
    dead_ = false;
    countdown_ = 0;
  }

 private:
  struct Op {
    bool truncate = false;
    std::size_t offset = 0;  ///< Or the new size.
    std::string bytes;
  };
  struct State {
    std::string durable;
    std::vector<Op> pending;
    bool creation_durable = true;
    bool deleted = false;
    bool deletion_durable = false;
  };
  struct File {
    sqlite3_file base;
    FaultVfs* vfs;
    State* state;          ///< Null for files that need not survive.
    bool syncs_directory;  ///< A new journal: SQLite syncs its folder too when it first syncs the file.
  };

  static FaultVfs& self(sqlite3_vfs* v) { return *static_cast<FaultVfs*>(v->pAppData); }
  static File& ours(sqlite3_file* f) { return *reinterpret_cast<File*>(f); }
  static sqlite3_file* real(sqlite3_file* f) { return reinterpret_cast<sqlite3_file*>(&ours(f) + 1); }

  static void apply(const Op& op, std::string& content) {
    if (op.truncate) {
      content.resize(op.offset);
      return;
    }
    if (content.size() < op.offset + op.bytes.size()) content.resize(op.offset + op.bytes.size());
    content.replace(op.offset, op.bytes.size(), op.bytes);
  }

  static void apply_some(const Op& op, std::string& content, std::mt19937_64& random) {
    if (op.truncate) {
      if (random() % 2 == 0) apply(op, content);
      return;
    }
    constexpr std::size_t kSector = 512;
    const std::uint64_t mood = random() % 3;  // All of it, none of it, or some sectors.
    for (std::size_t at = 0; at < op.bytes.size();) {
      const std::size_t length = std::min(op.bytes.size() - at, kSector - (op.offset + at) % kSector);
      if (mood == 0 || (mood == 2 && random() % 2 == 0)) {
        apply({.offset = op.offset + at, .bytes = op.bytes.substr(at, length)}, content);
      }
      at += length;
    }
  }

  [[nodiscard]] int refused() const {
    errno = refusal_errno_;
    return refusal_;
  }

  /// Counts towards the cut; true when the power is gone.
  bool step() {
    ++operations_;
    if (countdown_ > 0 && --countdown_ == 0) dead_ = true;
    return dead_;
  }

  int open(sqlite3_filename name, sqlite3_file* file, int flags, int* out) {
    file->pMethods = nullptr;
    if (dead_) return SQLITE_IOERR;
    const bool existed = name != nullptr && std::filesystem::exists(name);
    if (full_ && !existed) return SQLITE_FULL;
    if (refusal_ != SQLITE_OK && !existed) return refused();
    const int status = real_->xOpen(real_, name, real(file), flags, out);
    if (status != SQLITE_OK) return status;
    if ((flags & SQLITE_OPEN_MAIN_DB) != 0) ++databases_opened_;
    file->pMethods = &methods_;
    ours(file).vfs = this;
    ours(file).state = nullptr;
    constexpr int kJournals = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL;
    ours(file).syncs_directory = !existed && (flags & kJournals) != 0;
    if (name == nullptr) return SQLITE_OK;
    const auto known = files_.find(name);
    if (known == files_.end() || known->second.deleted) {
      State& state = files_[name];
      const bool was_deleted = state.deleted;
      if (!was_deleted) state = State{};
      state.deleted = false;
      state.creation_durable = existed && !was_deleted;
      if (existed && !was_deleted) {
        state.durable = read_file(name).value_or("");
      } else {
        state.durable.clear();
        state.pending.clear();
      }
    }
    ours(file).state = &files_[name];
    return SQLITE_OK;
  }

  int remove(const char* name, int sync) {
    if (step()) return SQLITE_IOERR_DELETE;
    const auto known = files_.find(name);
    if (known != files_.end()) {
      known->second.deleted = true;
      known->second.deletion_durable = sync != 0;
    }
    return real_->xDelete(real_, name, sync);
  }

  int write(sqlite3_file* file, const void* data, int amount, sqlite3_int64 offset) {
    State* state = ours(file).state;
    const Op op{.offset = static_cast<std::size_t>(offset),
                .bytes = std::string(static_cast<const char*>(data), static_cast<std::size_t>(amount))};
    if (dead_) return SQLITE_IOERR_WRITE;
    if (refusal_ != SQLITE_OK) return refused();
    if (full_) {
      sqlite3_int64 size = 0;
      real(file)->pMethods->xFileSize(real(file), &size);
      if (offset + amount > size) return SQLITE_FULL;
    }
    if (state != nullptr) state->pending.push_back(op);
    if (step()) return SQLITE_IOERR_WRITE;
    return real(file)->pMethods->xWrite(real(file), data, amount, offset);
  }

  int sync(sqlite3_file* file, int flags) {
    if (step()) return SQLITE_IOERR_FSYNC;
    State* state = ours(file).state;
    if (state != nullptr) {
      for (const Op& op : state->pending) apply(op, state->durable);
      state->pending.clear();
      state->creation_durable = true;
    }
    if (std::exchange(ours(file).syncs_directory, false)) {
      for (auto& [path, other] : files_) {
        other.creation_durable = true;
        other.deletion_durable = other.deleted;
      }
    }
    static_cast<void>(flags);
    return SQLITE_OK;  // The real disk need not sync: durable content is kept here.
  }

  int truncate(sqlite3_file* file, sqlite3_int64 size) {
    if (dead_) return SQLITE_IOERR_TRUNCATE;
    if (ours(file).state != nullptr) {
      ours(file).state->pending.push_back(
          {.truncate = true, .offset = static_cast<std::size_t>(size), .bytes = ""});
    }
    if (step()) return SQLITE_IOERR_TRUNCATE;
    return real(file)->pMethods->xTruncate(real(file), size);
  }

  void make_methods() {
    methods_.iVersion = 2;
    methods_.xClose = [](sqlite3_file* f) { return real(f)->pMethods->xClose(real(f)); };
    methods_.xRead = [](sqlite3_file* f, void* to, int n, sqlite3_int64 at) {
      if (ours(f).vfs->dead_) return SQLITE_IOERR_READ;
      return real(f)->pMethods->xRead(real(f), to, n, at);
    };
    methods_.xWrite = [](sqlite3_file* f, const void* from, int n, sqlite3_int64 at) {
      return ours(f).vfs->write(f, from, n, at);
    };
    methods_.xTruncate = [](sqlite3_file* f, sqlite3_int64 size) { return ours(f).vfs->truncate(f, size); };
    methods_.xSync = [](sqlite3_file* f, int flags) { return ours(f).vfs->sync(f, flags); };
    methods_.xFileSize = [](sqlite3_file* f, sqlite3_int64* size) {
      return real(f)->pMethods->xFileSize(real(f), size);
    };
    methods_.xLock = [](sqlite3_file* f, int level) { return real(f)->pMethods->xLock(real(f), level); };
    methods_.xUnlock = [](sqlite3_file* f, int level) { return real(f)->pMethods->xUnlock(real(f), level); };
    methods_.xCheckReservedLock = [](sqlite3_file* f, int* out) {
      return real(f)->pMethods->xCheckReservedLock(real(f), out);
    };
    methods_.xFileControl = [](sqlite3_file* f, int op, void* arg) {
      return real(f)->pMethods->xFileControl(real(f), op, arg);
    };
    methods_.xSectorSize = [](sqlite3_file*) { return 512; };
    // Promises nothing that a real disk might not keep.
    methods_.xDeviceCharacteristics = [](sqlite3_file*) { return 0; };
    methods_.xShmMap = [](sqlite3_file* f, int page, int size, int extend, void volatile** out) {
      return real(f)->pMethods->xShmMap(real(f), page, size, extend, out);
    };
    methods_.xShmLock = [](sqlite3_file* f, int offset, int n, int flags) {
      return real(f)->pMethods->xShmLock(real(f), offset, n, flags);
    };
    methods_.xShmBarrier = [](sqlite3_file* f) { real(f)->pMethods->xShmBarrier(real(f)); };
    methods_.xShmUnmap = [](sqlite3_file* f, int remove) {
      return real(f)->pMethods->xShmUnmap(real(f), remove);
    };
  }

  sqlite3_vfs* real_;
  sqlite3_vfs vfs_{};
  sqlite3_io_methods methods_{};
  std::map<std::string, State> files_;
  bool full_ = false;
  int refusal_ = SQLITE_OK;
  int refusal_errno_ = 0;
  bool dead_ = false;
  std::size_t databases_opened_ = 0;
  std::uint64_t countdown_ = 0;
  std::uint64_t operations_ = 0;
};

}  // namespace laggard::archive::testing
