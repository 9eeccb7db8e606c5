#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "model/sample_table.h"
#include "model/sync_action.h"
#include "model/system/expected_work.h"
#include "model/system/grouping.h"

namespace laggard::analyse {

/// The work that md arrays did by themselves, as they were recorded to say (the level `sync_action`): checks,
/// rebuilds, reshapes. From the first sample that shows work to the first that shows none, one piece of work,
/// whatever it turns into on the way; when nothing was recorded for longer than kLongestSilence, to the last
/// one that showed it.
class ArrayWork {
 public:
  static constexpr Duration kLongestSilence = std::chrono::minutes(10);

  /// `grouping` outlives this.
  explicit ArrayWork(const Grouping& grouping) : grouping_(grouping) {}

  /// Tables of a device in the order of recording; those without the level are passed over.
  void add(const SampleTable& table);

  /// By host, device and time; `what` is `md0: check`, `where` the component that the array is, or is under.
  [[nodiscard]] std::vector<ExpectedWork> work() const;

 private:
  struct Piece {
    TimeSpan span;
    std::vector<SyncAction> actions;  ///< Each once, in the order of their first sample.
    bool over = false;
  };

  void add_sample(std::vector<Piece>& pieces, WallTime time, std::optional<SyncAction> action) const;

  const Grouping& grouping_;
  std::map<std::pair<std::string, std::string>, std::vector<Piece>> arrays_;  ///< By host and device.
};

}  // namespace laggard::analyse
