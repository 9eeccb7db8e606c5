#include "detect/background/peers_meanwhile.h"

#include <algorithm>
#include <map>
#include <set>

namespace laggard::detect {

namespace {

using Names = std::set<std::string_view>;

/// Seconds since the first beginning, in which doubles are exact enough.
struct Seconds {
  double from = 0;
  double to = 0;
};

/// The integral of max(0, t - x_i) over sorted x: how long each of them has been behind, in sum.
class TimeBehind {
 public:
  explicit TimeBehind(std::vector<double> times) : times_(std::move(times)) {
    std::ranges::sort(times_);
    sums_.push_back(0);
    for (const double time : times_) sums_.push_back(sums_.back() + time);
  }
  [[nodiscard]] double at(double t) const {
    const auto behind = static_cast<std::size_t>(std::ranges::upper_bound(times_, t) - times_.begin());
    return t * static_cast<double>(behind) - sums_[behind];
  }

 private:
  std::vector<double> times_;
  std::vector<double> sums_;
};

}  // namespace

std::vector<double> peers_meanwhile(std::span<const PeerWork> pieces) {
  std::vector<double> counts(pieces.size());
  if (pieces.empty()) return counts;
  const WallTime first =
      std::ranges::min_element(pieces, {}, [](const PeerWork& piece) { return piece.span.from; })->span.from;
  const auto seconds = [&](const PeerWork& piece) {
    constexpr double kNs = 1e9;
    const double from = static_cast<double>((piece.span.from - first).count()) / kNs;
    return Seconds{from, std::max(from + to_seconds(kLeastPiece),
                                  static_cast<double>((piece.span.to - first).count()) / kNs)};
  };
  std::map<Names, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    alike[Names(pieces[i].names.begin(), pieces[i].names.end())].push_back(i);
  }
  for (const auto& [names, indices] : alike) {
    std::vector<double> begins;
    std::vector<double> ends;
    for (const auto& [others, of_others] : alike) {
      if (!std::ranges::includes(others, names)) continue;
      for (const std::size_t j : of_others) {
        begins.push_back(seconds(pieces[j]).from);
        ends.push_back(seconds(pieces[j]).to);
      }
    }
    const TimeBehind begun(std::move(begins));
    const TimeBehind ended(std::move(ends));
    for (const std::size_t i : indices) {
      const auto [from, to] = seconds(pieces[i]);
      const double busy = begun.at(to) - begun.at(from) - ended.at(to) + ended.at(from);
      counts[i] = busy / (to - from) - 1;  // Without itself.
    }
  }
  return counts;
}

}  // namespace laggard::detect
