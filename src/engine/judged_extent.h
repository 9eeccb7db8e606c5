#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "detect/peer/compare/window.h"
#include "detect/peer/judge/judged_run.h"
#include "detect/peer/judge/peer_detector.h"
#include "model/diagnosis.h"
#include "model/grouping.h"

namespace laggard::engine {

/// Counts who was compared with peers, and for how long: what a verdict of "nothing differs" is worth.
/// **Ours.**
///
/// In a window a member is *seen* when it has samples of a judged metric and so have two others of its group;
/// it is *compared* when, beside that, anybody of the group did anything. Groups that exist only as the
/// second of double peer groups accuse nobody and do not count; where metrics were chosen, neither does what
/// has none of them.
class JudgedExtent {
 public:
  /// Everything outlives this. \param columns  per group of the grouping. \param are_chosen  the user named
  /// the metrics.
  JudgedExtent(const Grouping& grouping, std::span<const detect::PeerDetector::Columns> columns,
               bool are_chosen, const detect::WindowSpec& windows);

  /// Cells in which something was recorded.
  void pass(const CellRuns::Run& run) { cells_ += run.end - run.begin; }
  /// Windows in order.
  void follow(const detect::JudgedWindow& judged);

  [[nodiscard]] Judged judged() const;

  /// The state (base/state_codec.h), for one of the same grouping.
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.cells_, self.newest_, self.from_, self.to_);
    for (auto& group : self.groups_) {
      state(group.windows, group.last);
      state.columns(group.members, &Member::seen, &Member::compared, &Member::last);
    }
  }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min() / 4;

  /// Windows, each counted once however many parts of it came.
  struct Member {
    std::int64_t seen = 0;
    std::int64_t compared = 0;
    std::int64_t last = kNever;  ///< Index of the newest one in which it was seen.
  };
  struct Group {
    std::int64_t windows = 0;
    std::int64_t last = kNever;
    std::vector<Member> members;
  };
  /// Of a component, the best of its groups.
  struct Standing {
    bool judged = false;
    bool idle = false;
    bool lately = false;
    bool there = false;
  };

  [[nodiscard]] bool is_asked_for(std::size_t group) const;
  [[nodiscard]] std::vector<std::uint8_t> seen_in(const detect::JudgedWindow& judged) const;
  [[nodiscard]] std::vector<Standing> standings() const;
  [[nodiscard]] bool spans_enough(const Member& member, const Group& group) const;
  void count_groups(Judged& judged) const;

  const Grouping& grouping_;
  std::span<const detect::PeerDetector::Columns> columns_;
  bool are_chosen_;
  detect::WindowSpec windows_;
  std::vector<Group> groups_;
  std::int64_t cells_ = 0;
  std::int64_t newest_ = kNever;  ///< Index of the newest window of all.
  std::optional<WallTime> from_;
  std::optional<WallTime> to_;
};

}  // namespace laggard::engine
