#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/time.h"
#include "model/profile.h"

namespace laggard::collect {

/// How often words were seen in a period; periods begin at multiples of their length but for the first one. A
/// period in which nothing was seen is told, too: then the processors had nothing to do.
class SampleCounts {
 public:
  /// Of one period; what comes beyond is lost and counted.
  static constexpr std::size_t kMostWords = std::size_t{1} << 17;
  static constexpr std::size_t kMostBytes = std::size_t{8} << 20;

  /// \param each  what one sample stands for.
  SampleCounts(Duration period, Duration each) : period_(period), each_(each) {}

  /// Hands over the period that was counted when `now` is in another one. A moment shortly before it belongs
  /// to it: it was told late.
  void advance(WallTime now, ProfileTable& profile);
  /// Requires that `advance` was told the moment.
  void count(std::string_view word);
  /// Hands over what there is. \param now  the end of the period.
  void finish(WallTime now, ProfileTable& profile);

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  Duration period_;
  Duration each_;
  bool begun_ = false;
  WallTime begin_;
  std::unordered_map<std::string, std::uint64_t, Hash, std::equal_to<>> counts_;
  std::size_t bytes_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace laggard::collect
