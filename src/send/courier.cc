#include "send/courier.h"

#include <algorithm>
#include <utility>

#include "base/http_refusal.h"

namespace laggard::send {

namespace {

HttpHeaders headers() {
  return {{"Content-Type", "application/x-protobuf"},
          {"Content-Encoding", "snappy"},
          {"X-Prometheus-Remote-Write-Version", "0.1.0"},
          {"User-Agent", "laggard"}};
}

bool says(const HttpReply& reply, std::string_view words) {
  return reply.body.find(words) != std::string::npos;
}

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

Result<Delivery> Courier::deliver(std::string body) {
  if (Result<bool> on = make_room(body.size()); !on || !*on) return ended(on);
  for (;;) {
    if (Result<bool> on = repeat_unsettled(); !on || !*on) return ended(on);
    Result<Answer> answer = post(body);
    if (!answer) return forward(answer);
    if (*answer != Answer::kTryAgain) return conclude(*answer, std::move(body));
    if (Result<bool> on = wait(why_, retry_after_); !on || !*on) return ended(on);
  }
}

Result<Delivery> Courier::ended(Result<bool>& on) {
  if (!on) return forward(on);
  return Delivery::kStopped;
}

Result<Delivery> Courier::conclude(Answer answer, std::string body) {
  if (answer == Answer::kTaken) keep(std::move(body));
  // Lost here: the server was started anew between two requests; those before this one may be gone.
  if (Result<bool> on = repeat_unsettled(); !on || !*on) return ended(on);
  settle();
  if (answer == Answer::kTaken) return Delivery::kTaken;
  return answer == Answer::kKnown ? Delivery::kKnown : Delivery::kTooOld;
}

Result<Courier::Answer> Courier::post(const std::string& body) {
  ++requests_;
  Result<HttpReply> reply = with_.transport.post(options_.path, headers(), body);
  unreachable_ = !reply;
  if (!reply) {
    why_ = reply.error().what;
    retry_after_ = Duration::zero();
    lost_ = true;
    return Answer::kTryAgain;
  }
  if (met_ && reply->connection != connection_ && !closing_) lost_ = true;
  connection_ = reply->connection;
  closing_ = reply->closing;
  const Answer answer = judged(*reply);
  if (answer == Answer::kTryAgain) {
    if (reply->status >= 500) lost_ = true;  // A proxy's word for a server that is gone, too.
    why_ = refusal(*reply, "", "");
    retry_after_ = parse_retry_after(reply->retry_after, with_.clock.wall()).value_or(Duration::zero());
    return answer;
  }
  const bool fine = reply->status >= 200 && reply->status < 300;
  if (!fine && answer == Answer::kTaken) {
    return fail(ErrorCode::kBadInput, options_.server, refusal(*reply, "", advice(reply->status)));
  }
  met_ = true;
  away_since_.reset();
  backoff_.reset();
  return answer;
}

Courier::Answer Courier::judged(const HttpReply& reply) const {
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

Result<bool> Courier::wait(const std::string& why, Duration at_least) {
  const MonoTime now = with_.clock.mono();
  if (!away_since_) away_since_ = now;
  const Duration pause = std::max(backoff_.next(), at_least);
  const bool mistaken = !met_ && unreachable_ && options_.needs_server_at_start;
  const bool enough = options_.give_up && now - *away_since_ + pause > *options_.give_up;
  if (mistaken || enough) return fail(ErrorCode::kUnavailable, options_.server, why);
  with_.notice_away(fmt::format("{}: {}; trying again in {:.1f} s", options_.server, why, to_seconds(pause)));
  if (!sleep(pause)) return false;
  return true;
}

bool Courier::sleep(Duration wait) {
  const MonoTime end = with_.clock.mono() + wait;
  while (with_.clock.mono() < end) {
    if (with_.stopped()) return false;
    with_.clock.sleep_until(end);
  }
  return !with_.stopped();
}

Result<bool> Courier::repeat_unsettled() {
  while (lost_) {
    lost_ = false;
    for (Taken& taken : unsettled_) {
      Result<Answer> answer = post(taken.body);
      if (!answer) return forward(answer);
      if (*answer == Answer::kTryAgain) {
        lost_ = true;
        break;
      }
      ++sent_again_;
      taken.at = with_.clock.mono();
    }
    if (Result<bool> on = lost_ ? wait(why_, retry_after_) : Result<bool>(true); !on || !*on) return on;
  }
  return true;
}

Result<bool> Courier::make_room(std::size_t bytes) {
  while (!unsettled_.empty() && unsettled_bytes_ + bytes > kMostUnsettled) {
    const Duration left = unsettled_.front().at + kSettle - with_.clock.mono();
    if (left > Duration::zero() && !sleep(left)) return false;
    unsettled_bytes_ -= unsettled_.front().body.size();
    unsettled_.pop_front();
  }
  return true;
}

void Courier::settle() {
  // Called when the server has just answered: it lived until now.
  const MonoTime now = with_.clock.mono();
  while (!unsettled_.empty() && now - unsettled_.front().at >= kSettle) {
    unsettled_bytes_ -= unsettled_.front().body.size();
    unsettled_.pop_front();
  }
}

void Courier::keep(std::string body) {
  unsettled_bytes_ += body.size();
  unsettled_.push_back({std::move(body), with_.clock.mono()});
}

}  // namespace laggard::send
