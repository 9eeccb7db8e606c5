#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "lab/sim/disk.h"
#include "lab/sim/event_queue.h"
#include "lab/sim/extents.h"

namespace laggard::lab {

/// Linux 2.6.18's defaults (mm/page-writeback.c) on a machine of F §8, which has 4 GB.
struct BufferCacheSpec {
  std::int64_t memory = std::int64_t{4} << 30;  ///< For pages, clean and dirty.
  SimTime expire = std::chrono::seconds(30);    ///< dirty_expire_centisecs.
  SimTime writeback = std::chrono::seconds(5);  ///< dirty_writeback_centisecs.
  double background_ratio = 0.1;                ///< dirty_background_ratio, of the memory.
  double dirty_ratio = 0.4;                     ///< dirty_ratio, of the memory.
};

/// Why a page is written (T §6.1.2), and for whom.
enum class WriteMode : std::uint8_t {
  kPeriodic,    ///< It has expired, and pdflush has woken up.
  kBackground,  ///< More is dirty than the background threshold, and pdflush works it off.
  kForeground,  ///< More is dirty than dirty_ratio, and those who want to write have to do it.
  kSync,        ///< Somebody waits for this very file (fsync).
};
inline constexpr std::size_t kWriteModes = 4;

/// What went through a cache, in bytes.
struct BufferCacheCounters {
  std::int64_t received = 0;
  std::int64_t absorbed = 0;  ///< Of those, what overwrote pages that were dirty.
  std::array<std::int64_t, kWriteModes> written{};
  std::int64_t read_hits = 0;
  std::int64_t read_misses = 0;
  SimTime blocked{};  ///< Time that writers have been blocked, summed over them.

  [[nodiscard]] std::int64_t written_in(WriteMode mode) const {
    return written[static_cast<std::size_t>(mode)];
  }
  [[nodiscard]] std::int64_t all_written() const {
    std::int64_t sum = 0;
    for (const std::int64_t bytes : written) sum += bytes;
    return sum;
  }
};

/// Linux's page cache in front of a disk, as T §6.1.2 describes it. A write is done once its pages are dirty.
/// One that overwrites a dirty page adds nothing and leaves its age as it is. Dirty pages leave for the disk,
/// the oldest first, in requests of at most 512 KB of which 128 are under way (nr_requests),
///   - when they are older than `expire` at one of pdflush's wake-ups, every `writeback`;
///   - while more than background_ratio of the memory is dirty;
///   - while writers are blocked, which each is that finds more than dirty_ratio dirty or on its way to the
///     disk, until no more than that is;
///   - when a sync waits for them.
/// What has been written or read stays until the memory is full, and the page that was used last longest ago
/// goes first.
///
/// Unlike in Linux a page has an age of its own, not its file's; there is no read-ahead; nothing but these
/// pages needs memory.
class BufferCache final : public EventHandler {
 public:
  /// \param first_wake_up  of pdflush, from now.
  BufferCache(EventQueue& queue, Disk& disk, const BufferCacheSpec& spec, SimTime first_wake_up);
  BufferCache(const BufferCache&) = delete;
  BufferCache& operator=(const BufferCache&) = delete;

  /// `done` is raised when the writer may go on. Requires a range that is not empty, here and below.
  void write(const DiskRange& range, const Signal& done);
  /// `done` is raised when all of it is in memory: at once, unless the disk has to be read.
  void read(const DiskRange& range, std::uint32_t stream, const Signal& done);
  /// `done` is raised when nothing of the range is dirty or on its way to the disk.
  void sync(const DiskRange& range, const Signal& done);

  void on_event(std::uint32_t kind, std::uint64_t about) override;

  [[nodiscard]] const BufferCacheCounters& counters() const { return counters_; }
  [[nodiscard]] std::int64_t dirty() const { return dirty_.bytes(); }
  /// On its way to the disk.
  [[nodiscard]] std::int64_t under_writeback() const { return under_writeback_; }
  [[nodiscard]] std::int64_t clean() const { return clean_.bytes(); }
  [[nodiscard]] std::size_t blocked_writers() const { return blocked_.size(); }
  /// Of the page that has been dirty longest; zero when none is.
  [[nodiscard]] SimTime greatest_age() const;

  [[nodiscard]] std::int64_t background_limit() const { return background_limit_; }
  [[nodiscard]] std::int64_t dirty_limit() const { return dirty_limit_; }

 private:
  enum Kind : std::uint32_t { kWakeUp, kWritten, kRead };

  struct Request {
    DiskRange range;
    WriteMode mode{};
  };
  struct Writer {
    Signal done;
    SimTime since{};
  };
  struct Reader {
    Signal done;
    DiskRange range;
    std::size_t missing = 0;
  };
  struct Sync {
    DiskRange range;
    Signal done;
  };

  [[nodiscard]] bool exceeds_dirty_limit() const { return dirty_.bytes() + under_writeback_ > dirty_limit_; }
  /// What is to be written next, and why; nothing when no page has to be.
  [[nodiscard]] std::optional<Request> next() const;
  void write_back();
  void release_writers();
  void finish_syncs();
  /// The pages of a range that are not dirty are in memory, and have just been used.
  void keep_clean(const DiskRange& range);
  void evict();
  void finish_read(std::uint64_t id);

  EventQueue& queue_;
  Disk& disk_;
  BufferCacheSpec spec_;
  std::int64_t background_limit_;
  std::int64_t dirty_limit_;
  Extents dirty_;                          ///< Since they are dirty.
  Extents clean_;                          ///< Since they were last used.
  SimTime expired_since_{SimTime::min()};  ///< Dirty since then or longer: pdflush writes it.
  std::uint64_t next_id_ = 0;
  std::map<std::uint64_t, DiskRange> under_way_;
  std::int64_t under_writeback_ = 0;
  std::map<std::uint64_t, Reader> readers_;
  std::vector<Writer> blocked_;
  std::vector<Sync> syncs_;
  BufferCacheCounters counters_;
};

}  // namespace laggard::lab
