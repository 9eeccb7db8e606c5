#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "lab/sim/disk.h"
#include "lab/sim/event_queue.h"
#include "lab/sim/extents.h"

namespace laggard::lab {

/// The journal of the file system on a server's disk: jbd of Linux 2.6.18, without a barrier. Changes of
/// metadata belong to the running transaction. It is committed every five seconds when it has any, in one
/// write, since nobody waits for that. A transaction that somebody waits for is committed at once, by two
/// writes of which the second, the commit record, waits for the first; changes that come meanwhile belong to
/// the next one, which follows. The writes wait among the disk's others.
class Journal final : public EventHandler {
 public:
  static constexpr SimTime kInterval = std::chrono::seconds(5);

  /// \param range  of the disk, where it goes round.
  /// \param first_commit  from now; later ones follow every five seconds.
  Journal(EventQueue& queue, Disk& disk, const DiskRange& range, SimTime first_commit);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// A change that nobody waits for.
  void add() { ++changes_; }
  /// A change of this object, by its number, that somebody waits for. `committed` is raised when it is in the
  /// journal.
  void commit(std::uint32_t object, const Signal& committed);

  void on_event(std::uint32_t kind, std::uint64_t about) override;

 private:
  enum Kind : std::uint32_t { kTick, kDescribed, kRecorded };

  void write(std::int64_t pages, const Signal& done);
  void begin();

  EventQueue& queue_;
  Disk& disk_;
  DiskRange range_;
  std::int64_t at_ = 0;              ///< In the range.
  std::uint64_t changes_ = 0;        ///< Of the running transaction, for which nobody waits.
  std::set<std::uint32_t> objects_;  ///< Of the running transaction.
  std::vector<Signal> waiting_;      ///< For the running transaction.
  std::vector<Signal> committing_;   ///< For the one that is being committed; empty: none is.
};

}  // namespace laggard::lab
