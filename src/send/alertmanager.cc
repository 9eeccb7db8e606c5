#include "send/alertmanager.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "net/http.h"

namespace laggard::send {

namespace {

using AlertJson = nlohmann::ordered_json;

/// So that what ends now has ended by Alertmanager's clock, too, where that is a little behind.
constexpr Duration kPast = std::chrono::seconds(1);

bool makes_alert(const Change& change) {
  if (change.kind == ChangeKind::kClosed || is_gone(change.kind)) return false;
  return !is_accounted_for(change.incident);
}

AlertJson labels_of(const Incident& incident) {
  const bool sure = incident.state == IncidentState::kConfirmed;
  return {{"alertname", "laggard"}, {"incident", incident.id}, {"severity", sure ? "critical" : "warning"}};
}

bool same_labels(const Incident& a, const Incident& b) { return a.id == b.id && a.state == b.state; }

AlertJson annotations_of(const Incident& incident, const std::string& summary) {
  return {{"summary", summary},
          {"kind", to_name(incident.blame.kind)},
          {"part", incident.blame.name},
          {"cause", incident.cause},
          {"state", to_name(incident.state)},
          {"components", first_few(incident.components, Alertmanager::kMostComponents)}};
}

/// Clocks of hosts may be ahead of ours, and Alertmanager refuses what ends before it starts.
WallTime start_of(const Incident& incident, WallTime now) { return std::min(incident.since, now - kPast); }

WallTime end_of(const Incident& incident, WallTime now) {
  const WallTime end = std::min(incident.until.value_or(now), now - kPast);
  return std::max(end, start_of(incident, now));
}

std::string_view advice_of(int status) {
  return status == 404 || status == 405 ? "is this the URL of Alertmanager, without /api/v2?" : "";
}

}  // namespace

void Alertmanager::hold(const Incident& incident, std::string summary) {
  changed_ = true;
  Alert alert{incident, std::move(summary)};
  alert.incident.evidence.clear();
  const auto [place, is_new] = open_.try_emplace(incident.id);
  if (!is_new && !same_labels(place->second.incident, incident)) end(std::move(place->second));
  // What has come back is not ended in the same request.
  std::erase_if(ended_, [&](const Alert& ended) { return same_labels(ended.incident, incident); });
  place->second = std::move(alert);
}

void Alertmanager::take(const Change& change, std::string summary) {
  if (makes_alert(change)) return hold(change.incident, std::move(summary));
  const auto found = open_.find(change.incident.id);
  if (found == open_.end()) return;
  changed_ = true;
  const IncidentState fired = found->second.incident.state;
  Alert alert{change.incident, std::move(summary)};
  alert.incident.evidence.clear();
  alert.incident.state = fired;  // It is by these labels that it is known.
  open_.erase(found);
  end(std::move(alert));
}

void Alertmanager::end(Alert alert) {
  ended_.push_back(std::move(alert));
  if (ended_.size() > kMostEnded) ended_.pop_front();
}

bool Alertmanager::due(MonoTime now) const {
  if (now < not_before_) return false;
  return changed_ || (!open_.empty() && now >= repeat_at_);
}

Status Alertmanager::post(const Moment& now) {
  if (!due(now.mono)) return {};
  if (Status sent = send(now.wall); !sent) {
    changed_ = true;
    not_before_ = now.mono + kRetry;
    const std::size_t waiting = open_.size() + ended_.size();
    sent.error().what += fmt::format("; {} alert{} and will be posted again in {}", waiting,
                                     waiting == 1 ? " waits" : "s wait", to_text(kRetry));
    return sent;
  }
  ended_.clear();
  changed_ = false;
  repeat_at_ = now.mono + kRepeat;
  return {};
}

std::string Alertmanager::body(WallTime now) const {
  AlertJson alerts = AlertJson::array();
  const auto add = [&](const Alert& alert, WallTime end) {
    AlertJson json{{"labels", labels_of(alert.incident)},
                   {"annotations", annotations_of(alert.incident, alert.summary)},
                   {"startsAt", to_iso8601(start_of(alert.incident, now))},
                   {"endsAt", to_iso8601(end)}};
    if (!options_.generator_url.empty()) json["generatorURL"] = options_.generator_url;
    alerts.push_back(std::move(json));
  };
  for (const Alert& alert : ended_) add(alert, end_of(alert.incident, now));
  for (const auto& [id, alert] : open_) add(alert, now + kAhead);
  return alerts.dump(-1, ' ', false, AlertJson::error_handler_t::replace);
}

Status Alertmanager::send(WallTime now) {
  const net::HttpHeaders headers{{"Content-Type", "application/json"}};
  Result<net::HttpReply> reply = transport_.post("/api/v2/alerts", headers, body(now));
  if (!reply) return forward(reply);
  if (reply->status >= 200 && reply->status < 300) return {};
  const bool later = reply->status == 408 || reply->status == 429 || reply->status >= 500;
  return fail(later ? ErrorCode::kUnavailable : ErrorCode::kBadInput, options_.server,
              net::refusal(*reply, "", advice_of(reply->status)));
}

}  // namespace laggard::send
