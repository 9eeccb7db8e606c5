#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace laggard::detect {

/// What the median member of a group moved over its storage or network, window by window: what tells by how
/// much everybody slowed down when one of them became sick (methods §10: in a striped system the throughput
/// of all falls alike, so that it accuses nobody, but it is what users lose). **Ours.**
///
/// A fixed number of means is kept. When there are more windows, two neighbours become one.
class MovedHistory {
 public:
  static constexpr std::size_t kMost = 128;

  /// \param index  of the window; windows come in ascending order.
  /// \param moved  NaN: not known, which is not kept.
  void add(std::int64_t index, double moved);

  /// How much less was moved from one window to another than just before them: the medians of the means that
  /// lie between the two (inclusive) and of the last eight before. Nothing without either, or when nothing
  /// was moved before.
  struct Fall {
    double before = 0;
    double during = 0;
    [[nodiscard]] double share() const { return 1 - during / before; }
  };
  [[nodiscard]] std::optional<Fall> fall(std::int64_t from, std::int64_t to) const;

  /// All means that are kept, in order.
  struct Level {
    std::int64_t first = 0;  ///< Index of the first window that it may be of, ...
    std::int64_t last = 0;   ///< ... and of the last.
    double value = 0;
    bool operator==(const Level&) const = default;
  };
  [[nodiscard]] std::vector<Level> levels() const;

  /// The state (base/state_codec.h).
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.level_);
    state.require(self.level_ < 64);
    std::size_t count = self.means_.size();
    state(count);
    state.require(count <= kMost);
    if constexpr (State::kRestores) self.means_.resize(state.ok() ? count : 0);
    state.each(self.means_);
  }

 private:
  struct Mean {
    std::int64_t place = 0;  ///< Index of its windows, shifted right by the level.
    double sum = 0;
    std::int64_t count = 0;

    template <class State, class Self>
    static void exchange(State& state, Self& self) {
      state(self.place, self.sum, self.count);
    }
  };
  void halve();
  void put(std::vector<Mean>& means, const Mean& mean) const;

  std::int64_t level_ = 0;
  std::vector<Mean> means_;
};

}  // namespace laggard::detect
