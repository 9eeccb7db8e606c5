#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/time.h"
#include "detect/peer/judge/judged_run.h"
#include "model/grouping.h"

namespace laggard::engine {

/// Tells hosts that have vanished from hosts that have not come yet. A host of which nothing is recorded is
/// *absent*, as a server that is down is, when it had been recorded before beside the others; else nobody
/// knows what it did: it was recorded at another time, by another clock, or came later. A host that shows
/// anything is there, and its devices that show nothing are absent as ever. **Ours.**
///
/// After a gap of more than a window, in which nobody was recorded, everybody comes anew.
class HostPresence {
 public:
  /// `grouping` must outlive this. \param longest  a window.
  HostPresence(const Grouping& grouping, Duration longest);

  /// Windows in order, those that were complete at the same cell together: clears WindowJudgement::absent of
  /// who has not come.
  void heed(std::span<detect::JudgedWindow> windows);

  /// The state (base/state_codec.h), for one of the same grouping.
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state.numbers(self.seen_, self.hosts_);
    state.require(self.seen_.size() == self.hosts_);
    state(self.last_end_);
  }

 private:
  void heed_together(std::span<detect::JudgedWindow> windows);
  [[nodiscard]] std::size_t host_of(const detect::JudgedWindow& judged, std::size_t member) const;

  const Grouping& grouping_;
  Duration longest_;
  std::size_t hosts_ = 0;
  std::vector<std::uint32_t> host_;  ///< Per component.
  std::vector<std::uint8_t> seen_;   ///< Per host: recorded since the last gap of everybody.
  std::optional<WallTime> last_end_;
};

}  // namespace laggard::engine
