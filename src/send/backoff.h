#pragma once

#include <optional>
#include <random>
#include <string_view>

#include "base/time.h"

namespace laggard::send {

/// How long to wait before trying again: 0.5 s, doubling to 30 s, each time a random part between half and
/// all of it, so that many senders do not come back to a server in step.
class Backoff {
 public:
  static constexpr Duration kFirst = std::chrono::milliseconds(500);
  static constexpr Duration kLongest = std::chrono::seconds(30);

  /// \param random  must outlive this.
  explicit Backoff(std::mt19937_64& random) : random_(random) {}

  [[nodiscard]] Duration next();
  void reset() { whole_ = kFirst; }

 private:
  std::mt19937_64& random_;
  Duration whole_ = kFirst;
};

/// The header Retry-After: seconds, or a date of HTTP (`Fri, 20 Nov 2026 19:21:34 GMT`) held against `now`;
/// from zero to an hour, because a mistake of a proxy is not to silence a sender for longer. Nothing when it
/// is neither.
[[nodiscard]] std::optional<Duration> parse_retry_after(std::string_view text, WallTime now);

}  // namespace laggard::send
