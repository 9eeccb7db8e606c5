#include "send/remote_write_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "net/http.h"

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

namespace {

net::HttpHeaders headers() {
  return {{"Content-Type", "application/x-protobuf"},
          {"Content-Encoding", "snappy"},
          {"X-Prometheus-Remote-Write-Version", "0.1.0"}};
}

bool says(const net::HttpReply& reply, std::string_view words) {
  return reply.body.find(words) != std::string::npos;
}

/// What a proxy answers for a server that is gone.
bool says_gone(int status) { return status == 502 || status == 503 || status == 504 || status >= 520; }

/// What a user may do about a refusal, where sending makes a difference.
std::string_view advice(int status) {
  switch (status) {
    case 403:
      return "these credentials may not write there";
    case 404:
      return "does it take remote write? Prometheus needs --web.enable-remote-write-receiver";
    case 405:
      return "is this the place for remote write?";
    case 413:
      return "a smaller --batch may help";
    default:
      return "";
  }
}

}  // namespace

Result<Delivery> RemoteWriteClient::deliver(std::string body) {
  if (Result<bool> on = make_room(body.size()); !on || !*on) return ended(on);
  for (;;) {
    if (Result<bool> on = repeat_doubtful(); !on || !*on) return ended(on);
    Result<Answer> answer = post(body);
    if (!answer) return forward(answer);
    if (*answer != Answer::kTryAgain) return conclude(*answer, std::move(body));
    if (Result<bool> on = wait(); !on || !*on) return ended(on);
  }
}

Result<Delivery> RemoteWriteClient::ended(Result<bool>& on) {
  if (!on) return forward(on);
  return Delivery::kStopped;
}

Result<Delivery> RemoteWriteClient::conclude(Answer answer, std::string body) {
  if (answer == Answer::kTaken) keep(std::move(body));
  // In doubt here: the server may have been started anew between two requests.
  if (Result<bool> on = repeat_doubtful(); !on || !*on) return ended(on);
  away_since_.reset();
  settle();
  if (answer == Answer::kTaken) return Delivery::kTaken;
  return answer == Answer::kKnown ? Delivery::kKnown : Delivery::kTooOld;
}

Result<RemoteWriteClient::Answer> RemoteWriteClient::post(const std::string& body) {
  ++requests_;
  Result<net::HttpReply> reply = with_.transport.post(options_.path, headers(), body);
  unreachable_ = !reply;
  if (!reply) {
    if (reply.error().code != ErrorCode::kUnavailable) return forward(reply);
    why_ = reply.error().what;
    retry_after_ = Duration::zero();
    doubt(kMostRepeats);
    return Answer::kTryAgain;
  }
  ++replies_;
  if (reply->reconnected) note_lost_connection();
  const Answer answer = judged(*reply);
  if (answer == Answer::kTryAgain) {
    if (says_gone(reply->status)) doubt(kMostRepeats);
    why_ = net::refusal(*reply, "", "");
    retry_after_ = parse_retry_after(reply->retry_after, with_.clock.wall()).value_or(Duration::zero());
    return answer;
  }
  const bool fine = reply->status >= 200 && reply->status < 300;
  if (!fine && answer == Answer::kTaken) {
    return fail(ErrorCode::kBadInput, options_.server, net::refusal(*reply, "", advice(reply->status)));
  }
  met_ = true;
  backoff_.reset();
  return answer;
}

RemoteWriteClient::Answer RemoteWriteClient::judged(const net::HttpReply& reply) {
  if (reply.status == 408 || reply.status == 429 || reply.status >= 500) return Answer::kTryAgain;
  if (reply.status != 400) return Answer::kTaken;
  // Prometheus' storage.ErrOutOfOrderSample, ErrDuplicateSampleForTimestamp, ErrOutOfBounds and
  // ErrTooOldSample; Mimir and Thanos use its words or its codes.
  if (says(reply, "out of order") || says(reply, "duplicate sample") || says(reply, "out-of-order")) {
    return Answer::kKnown;
  }
  if (says(reply, "out of bounds") || says(reply, "too old")) return Answer::kTooOld;
  return Answer::kTaken;
}

Result<bool> RemoteWriteClient::wait() {
  if (with_.stopped()) return false;
  const MonoTime now = with_.clock.mono();
  if (!away_since_) away_since_ = now;
  const Duration pause = std::max(backoff_.next(), retry_after_);
  const bool mistaken = !met_ && unreachable_ && options_.needs_server_at_start;
  const bool enough = options_.give_up && now - *away_since_ + pause > *options_.give_up;
  if (mistaken || enough) return fail(ErrorCode::kUnavailable, options_.server, why_);
  with_.notice_away(
      fmt::format("{}: {}; trying again in {:.1f} s", options_.server, why_, to_seconds(pause)));
  return sleep(pause);
}

bool RemoteWriteClient::sleep(Duration wait) {
  const MonoTime end = with_.clock.mono() + wait;
  while (with_.clock.mono() < end) {
    if (with_.stopped()) return false;
    with_.clock.sleep_until(end);
  }
  return !with_.stopped();
}

void RemoteWriteClient::doubt(int most_repeats) {
  for (Taken& taken : unsettled_) {
    if (taken.repeats >= most_repeats) continue;
    taken.in_doubt = true;
    any_in_doubt_ = true;
  }
}

void RemoteWriteClient::note_lost_connection() {
  if (lost_connections_ * kRepliesPerLoss <= replies_) doubt(1);
  ++lost_connections_;
}

Result<bool> RemoteWriteClient::repeat_doubtful() {
  while (any_in_doubt_) {
    // From the oldest each time: those that were repeated before the last failure are in doubt again.
    const auto next =
        std::find_if(unsettled_.begin(), unsettled_.end(), [](const Taken& one) { return one.in_doubt; });
    if (next == unsettled_.end()) {
      any_in_doubt_ = false;
      away_since_.reset();
      return true;
    }
    Result<Answer> answer = post(next->body);
    if (!answer) return forward(answer);
    if (*answer == Answer::kTryAgain) {
      if (Result<bool> on = wait(); !on || !*on) return on;
      continue;
    }
    ++sent_again_;
    ++next->repeats;
    next->in_doubt = false;
    next->at = with_.clock.mono();
  }
  return true;
}

Result<bool> RemoteWriteClient::make_room(std::size_t bytes) {
  while (!unsettled_.empty() && unsettled_bytes_ + bytes > kMostUnsettled) {
    const Duration left = unsettled_.front().at + kSettle - with_.clock.mono();
    if (left > Duration::zero() && !sleep(left)) return false;
    unsettled_bytes_ -= unsettled_.front().body.size();
    unsettled_.pop_front();
  }
  return true;
}

void RemoteWriteClient::settle() {
  // Called when the server has just answered: it lived until now.
  const MonoTime now = with_.clock.mono();
  while (!unsettled_.empty() && now - unsettled_.front().at >= kSettle) {
    unsettled_bytes_ -= unsettled_.front().body.size();
    unsettled_.pop_front();
  }
}

void RemoteWriteClient::keep(std::string body) {
  unsettled_bytes_ += body.size();
  unsettled_.push_back({.body = std::move(body), .at = with_.clock.mono()});
}

}  // namespace laggard::send
