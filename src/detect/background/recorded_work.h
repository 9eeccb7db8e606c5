#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/time.h"
#include "model/background_work.h"
#include "model/grouping.h"
#include "model/sample_table.h"

namespace laggard::detect {

/// A gauge of disks by which background work says that it is going on.
struct WorkGauge {
  std::string_view counter;
  std::string_view of;  ///< Put before the names of the work.
  /// The work that a value of the gauge stands for; none when it is idle, or means nothing to this version.
  std::vector<std::string_view> (*names)(std::uint64_t);
  /// Shorter pauses do not end a piece of work.
  Duration longest_pause{};
  /// Whether it is no excuse while at least half of the peers are at it, too. A cluster of Ceph scrubs all
  /// day; what is slow among disks that scrub is slow for another reason.
  bool of_few = false;
  /// So much later than other samples of its time it may be recorded: snapshots are saved and then imported.
  Duration latest{};
};

/// md arrays (`sync_action`) and Ceph's OSDs (`ceph_work`). An OSD goes from one placement group to the
/// next, with pauses between them in which a snapshot may find it idle; an array does its work in one go.
[[nodiscard]] std::span<const WorkGauge> work_gauges();

/// The background work that disks were recorded to do by themselves: checks, rebuilds, scrubs, recovery.
/// From the first sample that shows work to the first that shows none, one piece of work, whatever it turns
/// into on the way; when nothing was recorded for longer than kLongestSilence, to the last one that showed
/// it. Pieces with no more than a pause between them are one. What a device says of times before the last of
/// which it has spoken is passed over, so samples may be added again.
///
/// Tables run ahead of each other, so samples wait until all that was recorded before some time is there:
/// what is known then depends on the samples alone, not on how they came in.
class RecordedWork {
 public:
  static constexpr Duration kLongestSilence = std::chrono::minutes(10);

  /// `grouping` outlives this.
  explicit RecordedWork(const Grouping& grouping) : grouping_(grouping) {}

  /// Tables of a device in the order of recording; those without such a gauge are passed over.
  void add(const SampleTable& table);
  /// All samples before `until` have been added, and count from now on.
  void complete(WallTime until);

  /// Without what is no excuse. By host, device and time; `what` is `md0: check` or `sdb: Ceph deep scrub`,
  /// `where` the component that the device is, or is under.
  [[nodiscard]] std::vector<ExpectedWork> work() const;

  /// Drops what ended before `before` and cannot matter to what came after it: neither goes it on, nor tells
  /// it what the peers of work that is kept were at meanwhile.
  void forget(WallTime before);
  /// Pieces of work that are kept.
  [[nodiscard]] std::size_t kept() const;

  /// Its state (base/state_codec.h) without the samples that wait: they are to be added again.
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    std::vector<Saved> saved;
    if constexpr (!State::kRestores) saved = self.saved();
    state(saved);
    if constexpr (State::kRestores) state.require(self.restore(std::move(saved)));
  }

 private:
  struct Piece {
    TimeSpan span;
    std::vector<std::string> names;  ///< Each once, in the order of their first sample.
    bool over = false;

    template <class State, class Self>
    static void exchange(State& state, Self& self) {
      state(self.span.from, self.span.to, self.names, self.over);
    }
  };
  /// The pieces of a device.
  struct Saved {
    std::string host;
    std::string device;
    std::string counter;
    std::vector<Piece> pieces;

    template <class State, class Self>
    static void exchange(State& state, Self& self) {
      state(self.host, self.device, self.counter, self.pieces);
    }
  };
  struct Sample {
    WallTime time;
    std::uint64_t value = 0;
  };
  /// Host, device and the gauge's place among work_gauges().
  using Key = std::tuple<std::string, std::string, std::size_t>;
  /// A piece, the component that does it, and whether its peers do too.
  struct Found {
    const Key* key = nullptr;
    const Piece* piece = nullptr;
    std::optional<ComponentId> component;
    bool common = false;
  };

  void add_column(const SampleTable& table, std::size_t gauge, std::size_t column, std::size_t device);
  [[nodiscard]] bool is_idle(const Key& key) const;
  [[nodiscard]] WallTime last_of(const Key& key) const;
  [[nodiscard]] std::vector<Found> find() const;
  static void mark_common(std::span<Found> found, const PeerGroup& group);
  static void add_sample(std::vector<Piece>& pieces, const Sample& sample, const WorkGauge& gauge);
  [[nodiscard]] std::vector<Saved> saved() const;
  [[nodiscard]] bool restore(std::vector<Saved> saved);

  const Grouping& grouping_;
  std::map<Key, std::vector<Piece>> disks_;
  std::map<Key, std::deque<Sample>> waiting_;
};

}  // namespace laggard::detect
