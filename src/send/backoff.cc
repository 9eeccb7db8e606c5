#include "send/backoff.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text.h"

namespace laggard::send {

Duration Backoff::next() {
  std::uniform_int_distribution<std::int64_t> part(whole_.count() / 2, whole_.count());
  const Duration wait{part(random_)};
  whole_ = std::min(whole_ * 2, kLongest);
  return wait;
}

std::optional<Duration> parse_retry_after(std::string_view text, WallTime now) {
  constexpr std::chrono::seconds kMost = std::chrono::hours(1);
  text = trim(text);
  if (const auto seconds = to_number<std::uint64_t>(text)) {
    return std::chrono::seconds(std::min<std::uint64_t>(*seconds, kMost.count()));
  }
  // The one form of RFC 9110 that is still written: `Fri, 20 Nov 2026 19:21:34 GMT`.
  constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  static_cast<void>(take_word(text));
  const std::string_view day = take_word(text);
  const std::string_view month = take_word(text);
  const std::string_view year = take_word(text);
  const std::string_view time = take_word(text);
  const auto found = std::find(kMonths.begin(), kMonths.end(), month);
  if (found == kMonths.end() || take_word(text) != "GMT") return std::nullopt;
  const Result<WallTime> date =
      parse_time(fmt::format("{}-{:02}-{}T{}Z", year, found - kMonths.begin() + 1, day, time));
  if (!date) return std::nullopt;
  return std::clamp<Duration>(*date - now, Duration::zero(), kMost);
}

}  // namespace laggard::send
