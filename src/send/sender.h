#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "base/time.h"
#include "model/series_source.h"
#include "net/http.h"
#include "send/position.h"
#include "send/window.h"

namespace laggard::send {

struct SendOptions {
  std::string path;                ///< Of remote write, below the server's URL; may be empty.
  std::string server;              ///< What errors call it.
  Labels labels;                   ///< That every series gets besides its own.
  std::optional<WallTime> from{};  ///< Of streams without a position.
  std::size_t batch = 10'000;      ///< Samples a request.
  bool follow = false;             ///< Go on with what is appended, until stopped.
  Duration poll = std::chrono::seconds(5);
  /// Give up when the server has been away for so long; nothing: never.
  std::optional<Duration> give_up{};
  bool needs_server_at_start = true;
};

struct SendState {
  double done = 0;  ///< Of what the recording holds now, 0 to 1.
  std::uint64_t samples = 0;
  std::optional<WallTime> at;  ///< How far in the recording.
};

class SendObserver {
 public:
  virtual ~SendObserver() = default;
  virtual void progress(const SendState& state) = 0;
  /// The server is away; once per wait.
  virtual void away(const std::string& sentence) = 0;
  virtual void notice(const std::string& sentence) = 0;
};

struct SendResult {
  std::uint64_t samples = 0;  ///< That the server took.
  std::uint64_t known = 0;    ///< That it had, or had later ones of.
  std::uint64_t too_old = 0;  ///< That lie further back than it takes samples.
  std::uint64_t rounded = 0;  ///< Whole numbers of 2^53 and more among those sent.
  std::uint64_t requests = 0;
  std::optional<WallTime> first;
  std::optional<WallTime> last;
  bool stopped = false;  ///< Ended by request, with samples left.
};

/// Opens the recording as it is now.
using OpenSource = std::function<Result<std::unique_ptr<SeriesSource>>()>;

/// What sending needs of the outside, so that tests can be it.
struct SendTools {
  net::HttpTransport& transport;
  Positions& positions;
  Clock& clock;
  std::mt19937_64& random;
  SendObserver& observer;
  std::function<bool()> stopped;
};

/// Sends what the recording holds and the server has not acknowledged, all hosts side by side in order of
/// time, because Prometheus takes nothing that lies an hour behind what it has seen. A stretch of time is in
/// memory at once, about kWindowSamples of it, half an hour at most.
///
/// The positions move after each request that was taken and are saved. On failure what was acknowledged is
/// in them; sending again goes on.
inline constexpr std::uint64_t kWindowSamples = 1'000'000;
[[nodiscard]] Result<SendResult> send_recording(const OpenSource& open, const SendOptions& options,
                                                SendTools& tools);

}  // namespace laggard::send
