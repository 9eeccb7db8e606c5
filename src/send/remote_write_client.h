#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "base/time.h"
#include "net/http.h"

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

/// What became of a request that the server understood.
enum class Delivery : std::uint8_t {
  kTaken,
  kKnown,    ///< Refused: it has these samples, or later ones of their series ("out of order", "duplicate").
  kTooOld,   ///< Refused: further back than it takes samples at all ("out of bounds", "too old").
  kStopped,  ///< Not sent: we were asked to end while the server was away.
};

struct RemoteWriteOptions {
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
/// Requests that fail (no connection, no answer, 408, 429, 5xx) are tried again for as long as `give_up`
/// says, with growing waits (Backoff), never before Retry-After. Every other refusal but the two of Delivery
/// is final.
///
/// VictoriaMetrics answers before what it took is on its disk, and a kill costs it the last seconds: five, it
/// says; on an idle machine samples were seen there after ten to eleven. So what was taken in the last
/// kSettle stays in memory, and is *in doubt* when a request fails in a way in which a server that was killed
/// makes it fail: no answer, or a gateway's 502, 503 and 504. What is in doubt is sent again, the very same
/// requests in their order, before anything new. Prometheus, which writes first, refuses those as known,
/// which is as good.
///
/// A new connection is no failure: servers of HTTP/1.0, proxies and load balancers close connections as a
/// habit. One that was left open and is gone is taken for a restart only where that is rare (once in
/// kRepliesPerLoss replies), and only for requests that were not repeated before.
///
/// A request is repeated kMostRepeats times at most, so that the total is bounded and a server that fails
/// now and then is sent everything all the same: a body needs at most 1 + kMostRepeats requests that do not
/// fail.
class RemoteWriteClient {
 public:
  static constexpr Duration kSettle = std::chrono::seconds(20);
  /// What may lie in memory so; when it is full, the next request waits.
  static constexpr std::size_t kMostUnsettled = std::size_t{64} << 20U;
  static constexpr int kMostRepeats = 3;
  static constexpr std::uint64_t kRepliesPerLoss = 100;

  struct Surroundings {
    net::HttpTransport& transport;
    Clock& clock;
    std::mt19937_64& random;
    std::function<bool()> stopped;                        ///< Whether we were asked to end.
    std::function<void(const std::string&)> notice_away;  ///< Told each time it has to wait: why, how long.
  };

  RemoteWriteClient(Surroundings surroundings, RemoteWriteOptions options)
      : with_(std::move(surroundings)), options_(std::move(options)), backoff_(with_.random) {}

  /// \param body  of one request, packed.
  [[nodiscard]] Result<Delivery> deliver(std::string body);

  [[nodiscard]] std::uint64_t requests() const { return requests_; }
  /// Of those, the ones that were taken before.
  [[nodiscard]] std::uint64_t sent_again() const { return sent_again_; }

 private:
  struct Taken {
    std::string body;
    MonoTime at;
    int repeats = 0;
    bool in_doubt = false;
  };
  enum class Answer : std::uint8_t { kTaken, kKnown, kTooOld, kTryAgain };

  [[nodiscard]] Result<Answer> post(const std::string& body);
  [[nodiscard]] static Answer judged(const net::HttpReply& reply);
  /// True when it is time to try again, false when we were asked to end.
  [[nodiscard]] Result<bool> wait();
  /// Sends again what is in doubt. False as above.
  [[nodiscard]] Result<bool> repeat_doubtful();
  [[nodiscard]] static Result<Delivery> ended(Result<bool>& on);
  [[nodiscard]] Result<Delivery> conclude(Answer answer, std::string body);
  /// What is unsettled and was repeated less than `most_repeats` times may be lost.
  void doubt(int most_repeats);
  void note_lost_connection();
  void settle();
  [[nodiscard]] Result<bool> make_room(std::size_t bytes);
  void keep(std::string body);
  bool sleep(Duration wait);

  Surroundings with_;
  RemoteWriteOptions options_;
  Backoff backoff_;
  std::deque<Taken> unsettled_;
  std::size_t unsettled_bytes_ = 0;
  bool any_in_doubt_ = false;
  /// The first failure since something new was taken, or all that was in doubt. Single repeats do not count:
  /// a server that takes those and nothing else is given up, too.
  std::optional<MonoTime> away_since_;
  bool met_ = false;
  std::string why_;  ///< Why the last request is to be tried again.
  Duration retry_after_{};
  bool unreachable_ = false;
  std::uint64_t replies_ = 0;
  std::uint64_t lost_connections_ = 0;
  std::uint64_t requests_ = 0;
  std::uint64_t sent_again_ = 0;
};

}  // namespace laggard::send
