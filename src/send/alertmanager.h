#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "base/time.h"
#include "model/incident.h"
#include "net/http.h"

namespace laggard::send {

struct AlertmanagerOptions {
  std::string server;         ///< What errors call it.
  std::string generator_url;  ///< Where a person finds more; empty: left out.
};

/// Now, on both clocks: alerts carry wall time, and when to post again is not for a step of it to decide.
struct Moment {
  WallTime wall;
  MonoTime mono;
};

/// Open incidents as alerts of Prometheus' Alertmanager, over its API v2.
///
/// Alertmanager knows an alert by all of its labels together: a label that changes makes another alert, and
/// the first one ends by a time-out. So the labels are `alertname`, `incident` (the id) and `severity`, and
/// what can change while an incident grows (kind and name of the blame, cause, state, components) is in
/// annotations. `severity` changes once, from `warning` to `critical` when the incident is confirmed. It is a
/// label nevertheless, because routes look at nothing else and most sites page for confirmed incidents alone;
/// the warning is then ended in the request that brings the critical alert, so that an incident never is two.
///
/// Alertmanager forgets alerts when it is restarted and ends those that it no longer hears of. So all are
/// posted again every kRepeat, each time with an end kAhead from then: should the watch die, they end.
/// Incidents that are excluded or explained make no alert, as they make no verdict.
class Alertmanager {
 public:
  static constexpr Duration kRepeat = std::chrono::seconds(60);
  static constexpr Duration kAhead = std::chrono::minutes(4);
  static constexpr Duration kRetry = std::chrono::seconds(10);
  /// Ended alerts that wait for an Alertmanager that is away; past it the oldest are left to their time-out.
  static constexpr std::size_t kMostEnded = 1000;
  /// Components that an annotation names.
  static constexpr std::size_t kMostComponents = 20;

  /// \param transport  must outlive this.
  Alertmanager(net::HttpTransport& transport, AlertmanagerOptions options)
      : transport_(transport), options_(std::move(options)) {}

  /// What is open from before, after a restart of ours. \param summary  one sentence about the incident.
  void hold(const Incident& incident, std::string summary);
  /// What has become of an incident; nothing is posted yet.
  void take(const Change& change, std::string summary);

  /// Whether there is something to post now: a change, a repetition, or what failed kRetry ago.
  [[nodiscard]] bool due(MonoTime now) const;
  /// One request with all that is open and all that has ended, if it is due. What fails waits for the next
  /// time, as it will be then.
  [[nodiscard]] Status post(const Moment& now);

  [[nodiscard]] std::size_t open() const { return open_.size(); }
  [[nodiscard]] std::size_t ended() const { return ended_.size(); }

 private:
  struct Alert {
    Incident incident;
    std::string summary;
  };

  void end(Alert alert);
  [[nodiscard]] std::string body(WallTime now) const;
  [[nodiscard]] Status send(WallTime now);

  net::HttpTransport& transport_;
  AlertmanagerOptions options_;
  std::map<std::string, Alert> open_;  ///< By id.
  std::deque<Alert> ended_;
  bool changed_ = false;
  MonoTime repeat_at_{};
  MonoTime not_before_{};
};

}  // namespace laggard::send
