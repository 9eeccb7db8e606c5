#include "lab/scale/request_account.h"

#include <algorithm>

namespace laggard::lab::scale {

namespace {

double ms(SimTime time) { return to_seconds(time) * 1e3; }

}  // namespace

void RequestAccount::add(const SentRequests& sent) {
  if (sent.at > busy_until_) {
    busy_before_ += busy_until_ - busy_since_;
    busy_since_ = sent.at;
  }
  busy_until_ = std::max(busy_until_, sent.served.last);
  open_.push_back(sent);
}

SimTime RequestAccount::busy_up_to(SimTime now) const {
  return busy_before_ + std::max(SimTime{}, std::min(busy_until_, now) - busy_since_);
}

void RequestAccount::settle(const SentRequests& sent, SimTime from, SimTime to, Work& work) {
  const SimTime step =
      sent.requests > 1 ? (sent.served.last - sent.served.first) / (sent.requests - 1) : SimTime{};
  std::uint64_t ended = 0;
  double waited_ms = 0;
  for (std::uint32_t i = 0; i < sent.requests; ++i) {
    const SimTime end = sent.served.last - (sent.requests - 1 - i) * step;
    if (end <= from) continue;
    work.weighted_ms += ms(std::min(end, to) - std::max(sent.at, from));
    if (end > to) {
      ++work.in_flight;
      continue;
    }
    ++ended;
    waited_ms += ms(end - sent.at);
  }
  (sent.write ? work.writes : work.reads) += ended;
  (sent.write ? work.write_ms : work.read_ms) += waited_ms;
  (sent.write ? work.write_sectors : work.read_sectors) += static_cast<double>(ended) * sent.sectors_each;
}

Work RequestAccount::close(SimTime now) {
  Work work;
  if (open_.empty()) {
    closed_at_ = now;
    return work;
  }
  for (const SentRequests& sent : open_) settle(sent, closed_at_, now, work);
  std::erase_if(open_, [now](const SentRequests& sent) { return sent.served.last <= now; });
  const SimTime busy = busy_up_to(now);
  work.busy_ms = ms(busy - busy_told_);
  busy_told_ = busy;
  closed_at_ = now;
  return work;
}

void RequestAccount::forget() {
  open_.clear();
  busy_until_ = std::min(busy_until_, std::max(closed_at_, busy_since_));
  busy_told_ = busy_up_to(busy_until_);
}

}  // namespace laggard::lab::scale
