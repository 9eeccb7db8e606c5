#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/time.h"
#include "model/expected_work.h"
#include "model/grouping.h"
#include "model/sample_table.h"

namespace laggard::detect {

/// A piece of background work of one of several peers, whose pieces do not overlap.
struct PeerWork {
  TimeSpan span;
  std::vector<std::string_view> names;  ///< What it is, each once.
};

/// How many of the peers are at the same work meanwhile, on average over the piece's time:
/// sum_j |span_j and span_i| / |span_i| over all other pieces j that are at least what i is. Work that most
/// peers are at, too, makes no difference between them, and explains none.
/// A piece shorter than a second counts as one of a second.
/// \return  for each piece a number from 0 to that of the other peers.
[[nodiscard]] std::vector<double> peers_meanwhile(std::span<const PeerWork> pieces);

/// A level of disks by which background work says that it is going on.
struct WorkLevel {
  std::string_view counter;
  std::string_view of;  ///< Put before the names of the work.
  /// The work that a value of the level stands for; none when it is idle, or means nothing to this version.
  std::vector<std::string_view> (*names)(std::uint64_t);
  /// Shorter pauses do not end a piece of work.
  Duration longest_pause{};
  /// Whether it is no excuse while at least half of the peers are at it, too. A cluster of Ceph scrubs all
  /// day; what is slow among disks that scrub is slow for another reason.
  bool of_few = false;
};

/// md arrays (`sync_action`) and Ceph's OSDs (`ceph_work`). An OSD goes from one placement group to the
/// next, with pauses between them in which a snapshot may find it idle; an array does its work in one go.
[[nodiscard]] std::span<const WorkLevel> work_levels();

/// The background work that disks were recorded to do by themselves: checks, rebuilds, scrubs, recovery.
/// From the first sample that shows work to the first that shows none, one piece of work, whatever it turns
/// into on the way; when nothing was recorded for longer than kLongestSilence, to the last one that showed
/// it. Pieces with no more than a pause between them are one.
class RecordedWork {
 public:
  static constexpr Duration kLongestSilence = std::chrono::minutes(10);

  /// `grouping` outlives this.
  explicit RecordedWork(const Grouping& grouping) : grouping_(grouping) {}

  /// Tables of a device in the order of recording; those without such a level are passed over.
  void add(const SampleTable& table);

  /// Without what is no excuse. By host, device and time; `what` is `md0: check` or `sdb: Ceph deep scrub`,
  /// `where` the component that the device is, or is under.
  [[nodiscard]] std::vector<ExpectedWork> work() const;

 private:
  struct Piece {
    TimeSpan span;
    std::vector<std::string_view> names;  ///< Each once, in the order of their first sample.
    bool over = false;
  };
  /// Host, device and the level's place among work_levels().
  using Key = std::tuple<std::string, std::string, std::size_t>;

  void add_column(const SampleTable& table, std::size_t level, std::size_t column, std::size_t device);
  /// A piece, the component that does it, and whether its peers do too.
  struct Found {
    const Key* key = nullptr;
    const Piece* piece = nullptr;
    std::optional<ComponentId> component;
    bool common = false;
  };
  [[nodiscard]] std::vector<Found> find() const;
  static void mark_common(std::span<Found> found, const PeerGroup& group);
  static void add_sample(std::vector<Piece>& pieces, WallTime time, const WorkLevel& level,
                         std::uint64_t value);

  const Grouping& grouping_;
  std::map<Key, std::vector<Piece>> disks_;
};

}  // namespace laggard::detect
