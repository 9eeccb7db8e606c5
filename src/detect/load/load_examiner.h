#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "detect/load/load_history.h"
#include "model/detector.h"
#include "model/grouping.h"
#include "model/incident.h"
#include "model/recorded_hosts.h"
#include "model/sample_table.h"

namespace laggard::detect {

/// Says whether a suspect has more to do than its healthy peers (K §V-B): the local outlier factor of its
/// host's load during the incident is more than kOutlier times the largest of a healthy peer's, and it does
/// more *work*, than they and, where that is known, than before. K asks for the former alone; but a host at
/// which requests wait stands out, too, whether more are asked of it or it has become slow. The largest is
/// that of one peer in kOddOnes but for the loneliest ones: among so many somebody is busy with something of
/// its own, or is a sick one that nobody has found.
///
/// A load x is compared as y = log2(1 + x / step) in units of the healthy peers' spread about their median
/// (MAD, at least kLeastSpread), over the metrics that the suspect has and most peers have; peers that lack
/// one of these are left out. Nothing is said of fewer than kLeastPeers peers, or before kLeastMinutes of the
/// incident were recorded.
///
/// What fails, and does in no respect of work more than its peers and than before, is broken (**ours**; K
/// asks the log alone): it is asked of what probes fail at, when kCalmMinutes of the incident are over.
///
/// It accuses nobody: a server that is busier than others is no sick one, unless something says that it is.
class LoadExaminer {
 public:
  static constexpr double kOutlier = 1.5;         ///< K's LOF_r.
  static constexpr std::size_t kNeighbours = 20;  ///< More than there are sick among those held to be well.
  static constexpr std::size_t kLeastPeers = 3;
  static constexpr std::size_t kOddOnes = 20;
  static constexpr std::size_t kMostPeers = 48;
  static constexpr std::int64_t kLeastMinutes = 2;
  /// In units of y, among peers and against before: a fifth more or less is nothing.
  static constexpr double kLeastSpread = 0.25;
  /// So many spreads above the peers' median a load is high.
  static constexpr double kHigh = 2;
  /// So long nothing may be high for that to be an answer: a load takes its time to show.
  static constexpr std::int64_t kCalmMinutes = 4;
  /// With more of them, what one disk has to do may drown in the sum.
  static constexpr std::size_t kFewDisks = 4;
  /// What a host did in this time before the incident, but for its last minute.
  static constexpr Duration kBefore = std::chrono::minutes(6);
  /// So much is kept: as far back as anybody is asked about, kBefore, and what tables run ahead of each
  /// other.
  static constexpr Duration kKept = std::chrono::minutes(20);

  /// \param grouping  outlives this.
  explicit LoadExaminer(const Grouping& grouping) : hosts_(grouping) {}

  void add(const SampleTable& table) {
    if (history_.add(table)) hosts_.add(table.host());
  }
  /// Nobody is asked about times before `until` - kKept any more.
  void complete(WallTime until) { history_.forget(until - kKept); }
  [[nodiscard]] bool knows_any(WallTime before) const { return history_.knows_any(before); }

  /// Evidence with mode overload; or surmised evidence with mode reliability, of what fails though none of
  /// its hosts has more to do; or nothing.
  [[nodiscard]] std::vector<Evidence> examine(const Suspicion& suspicion) const;

  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.history_);
    if constexpr (State::kRestores) {
      for (const std::string_view host : self.history_.hosts()) self.hosts_.add(host);
    }
  }

 private:
  struct Peers {
    std::vector<std::size_t> metrics;
    std::vector<LoadLevels> levels;
  };
  /// Whether it would mean something that no work is high at a host.
  [[nodiscard]] bool may_be_calm(const Suspicion& suspicion, std::string_view host) const;
  [[nodiscard]] static Peers comparable(const LoadLevels& own, std::span<const LoadLevels> peers);

  RecordedHosts hosts_;
  LoadHistory history_;
};

}  // namespace laggard::detect
