#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <string>

#include "base/clock.h"
#include "base/http.h"
#include "send/backoff.h"

namespace laggard::send {

/// What became of a request that the server understood.
enum class Delivery : std::uint8_t {
  kTaken,
  kKnown,    ///< Refused: it has these samples, or later ones of their series ("out of order", "duplicate").
  kTooOld,   ///< Refused: further back than it takes samples at all ("out of bounds", "too old").
  kStopped,  ///< Not sent: we were asked to end while the server was away.
};

struct CourierOptions {
  std::string path;    ///< Of remote write, below the server's URL.
  std::string server;  ///< What errors call it.
  /// Give up when the server has been away for so long; nothing: never.
  std::optional<Duration> give_up{};
  /// A server that nobody reaches before the first request was taken is more likely a mistake in the URL than
  /// one that is being restarted.
  bool needs_server_at_start = true;
};

/// Brings requests to a server that may be away for a while, or lose what it has just taken.
///
/// Connection errors, 408, 429 and 5xx are tried again for as long as `give_up` says, with growing waits
/// (Backoff), never before Retry-After. Every other refusal but the two of Delivery is final.
///
/// VictoriaMetrics answers before what it took is on its disk, and a kill costs it the last seconds: five, it
/// says; on an idle machine samples were seen there after ten to eleven. So what was taken in the last
/// kSettle stays in memory, and is sent again, the very same requests in their order, when the server was
/// away or the connection to it broke without a word. Prometheus, which writes first, refuses those as known,
/// which is as good.
class Courier {
 public:
  static constexpr Duration kSettle = std::chrono::seconds(20);
  /// What may lie in memory so; when it is full, the next request waits.
  static constexpr std::size_t kMostUnsettled = std::size_t{64} << 20U;

  struct Surroundings {
    HttpTransport& transport;
    Clock& clock;
    std::mt19937_64& random;
    std::function<bool()> stopped;                        ///< Whether we were asked to end.
    std::function<void(const std::string&)> notice_away;  ///< Told each time it has to wait: why, how long.
  };

  Courier(Surroundings surroundings, CourierOptions options)
      : with_(std::move(surroundings)), options_(std::move(options)), backoff_(with_.random) {}

  /// \param body  of one request, packed.
  [[nodiscard]] Result<Delivery> deliver(std::string body);

  [[nodiscard]] std::uint64_t requests() const { return requests_; }
  [[nodiscard]] std::uint64_t sent_again() const {
    return sent_again_;
  }  ///< Of those that were taken before.

 private:
  struct Taken {
    std::string body;
    MonoTime at;
  };
  enum class Answer : std::uint8_t { kTaken, kKnown, kTooOld, kTryAgain };

  [[nodiscard]] Result<Answer> post(const std::string& body);
  [[nodiscard]] Answer judged(const HttpReply& reply) const;
  /// True when it is time to try again, false when we were asked to end.
  [[nodiscard]] Result<bool> wait(const std::string& why, Duration at_least);
  /// Sends again what may be lost, if anything may be. False as above.
  [[nodiscard]] Result<bool> repeat_unsettled();
  [[nodiscard]] static Result<Delivery> ended(Result<bool>& on);
  [[nodiscard]] Result<Delivery> conclude(Answer answer, std::string body);
  void settle();
  [[nodiscard]] Result<bool> make_room(std::size_t bytes);
  void keep(std::string body);
  bool sleep(Duration wait);

  Surroundings with_;
  CourierOptions options_;
  Backoff backoff_;
  std::deque<Taken> unsettled_;
  std::size_t unsettled_bytes_ = 0;
  bool lost_ = false;  ///< The server may have lost what is unsettled.
  std::optional<MonoTime> away_since_;
  bool met_ = false;
  std::uint64_t connection_ = 0;
  bool closing_ = true;
  std::string why_;  ///< Why the last request is to be tried again.
  Duration retry_after_{};
  bool unreachable_ = false;
  std::uint64_t requests_ = 0;
  std::uint64_t sent_again_ = 0;
};

}  // namespace laggard::send
