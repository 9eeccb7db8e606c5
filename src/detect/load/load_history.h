#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/missing.h"
#include "base/time.h"
#include "detect/load/load_metric.h"
#include "model/sample_table.h"

namespace laggard::detect {

/// One number per load metric; NaN where it was not recorded.
using LoadLevels = std::array<double, kLoadMetrics>;

/// How much hosts had to do lately, minute by minute: sums over a host's processors, disks and interfaces.
/// It needs no common cadence: what was recorded once a second and once a minute add up alike.
///
/// Samples may come in any order between hosts, and again after a restart: of a series those are passed over
/// that are not later than the last one. A counter that went backwards, another boot and a pause of more than
/// kLongestPause leave what lies between unknown.
class LoadHistory {
 public:
  static constexpr Duration kCell = std::chrono::minutes(1);
  static constexpr Duration kLongestPause = std::chrono::minutes(6);

  /// Tables of a host in the order of recording; what is no input of a load metric is passed over.
  /// \return whether anything is.
  bool add(const SampleTable& table);
  /// Drops the minutes that were over by then.
  void forget(WallTime before);

  /// Whether anything was recorded before a moment; of moments before which everything was added.
  [[nodiscard]] bool knows_any(WallTime before) const { return first_ && *first_ < before; }
  [[nodiscard]] std::vector<std::string_view> hosts() const;
  /// Means over the whole minutes within the span, for metrics that at least half of these know, and of which
  /// there must be `least`. \param host  one of hosts().
  [[nodiscard]] LoadLevels levels(std::string_view host, TimeSpan span, std::int64_t least) const;
  /// How many disks of a host had requests counted. \param host  one of hosts().
  [[nodiscard]] std::size_t disks(std::string_view host) const;

  /// Its state (base/state_codec.h).
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    std::vector<Saved> saved;
    if constexpr (!State::kRestores) saved = self.saved();
    state(saved, self.first_);
    if constexpr (State::kRestores) state.require(self.restore(std::move(saved)));
  }

 private:
  /// Of a metric in a minute: the mean is sum / weight over one series, and sums add up over several.
  struct Sum {
    double sum = 0;
    double weight = 0;  ///< Seconds, or samples.
    std::uint64_t series = 0;

    [[nodiscard]] double level() const {
      return weight > 0 ? sum * static_cast<double>(series) / weight : kMissing;
    }
    template <class State, class Self>
    static void exchange(State& state, Self& self) {
      state(self.sum, self.weight, self.series);
    }
  };
  using Minute = std::array<Sum, kSummedLoads>;
  /// One counter of one device.
  struct Series {
    WallTime time;  ///< Of the last sample.
    std::uint64_t value = 0;
    std::int64_t minute = 0;  ///< The last one that it added to.
    bool has_last = false;    ///< It was not another boot's.

    template <class State, class Self>
    static void exchange(State& state, Self& self) {
      state(self.time, self.value, self.minute, self.has_last);
    }
  };
  struct Host {
    std::string boot;
    std::map<std::pair<std::string, std::size_t>, Series> series;  ///< By device and input.
    std::map<std::int64_t, Minute> minutes;
  };
  struct SavedSeries {
    std::string device;
    std::string counter;
    std::string kind;
    Series series;
    template <class State, class Self>
    static void exchange(State& state, Self& self) {
      state(self.device, self.counter, self.kind, self.series);
    }
  };
  struct SavedMinute {
    std::int64_t minute = 0;
    std::vector<Sum> sums;
    template <class State, class Self>
    static void exchange(State& state, Self& self) {
      state(self.minute, self.sums);
    }
  };
  struct Saved {
    std::string host;
    std::string boot;
    std::vector<SavedSeries> series;
    std::vector<SavedMinute> minutes;
    template <class State, class Self>
    static void exchange(State& state, Self& self) {
      state(self.host, self.boot, self.series, self.minutes);
    }
  };

  struct Column {
    std::size_t input = 0;
    std::size_t counter = 0;
    std::size_t device = 0;
  };
  /// What a series adds to the minute that holds a moment.
  struct Piece {
    WallTime at;
    double number = 0;
    double weight = 0;
  };
  void put(Host& host, Series& series, const LoadInput& input, const Piece& piece) const;
  void fill(Host& host, Series& series, const LoadInput& input, const Piece& now,
            std::optional<std::uint64_t> increase) const;
  void add_column(const SampleTable& table, const Column& column, Host& host) const;
  [[nodiscard]] std::vector<Saved> saved() const;
  [[nodiscard]] bool restore(std::vector<Saved> saved);

  std::map<std::string, Host, std::less<>> hosts_;
  std::optional<WallTime> first_;
  WallTime forgotten_ = WallTime::min();
};

}  // namespace laggard::detect
