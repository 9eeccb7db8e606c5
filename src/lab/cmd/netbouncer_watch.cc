#include "lab/cmd/netbouncer_watch.h"

#include <algorithm>
#include <string>

#include "lab/score/netbouncer.h"

namespace laggard::lab {

namespace {

constexpr std::size_t kMinutes = 5;

}  // namespace

std::size_t NetBouncerWatch::path_of(const detect::PingPair& pair) {
  const auto [at, is_new] = numbers_.try_emplace(pair, paths_.size());
  if (!is_new) return at->second;
  std::vector<std::size_t>& path = paths_.emplace_back();
  for (const detect::PingHop& hop : ways_.of(pair)) {
    for (const Part& part : hop.parts) {
      const auto [unit, added] = units_.try_emplace({part.kind, part.name}, parts_.size());
      if (added) parts_.push_back(part);
      if (std::ranges::find(path, unit->second) == path.end()) path.push_back(unit->second);
    }
  }
  return at->second;
}

void NetBouncerWatch::take(const EventTable& pings) {
  const AttributeColumn* operation = pings.find_attribute("operation", AttributeForm::kWord);
  for (std::size_t e = 0; e < pings.size(); ++e) {
    const EventTable::Event event = pings.event(e);
    detect::PingCounts& counts = now_[path_of(
        {pings.host(), std::string(pings.words().text(event.subject)), pings.word(operation, e) != "WrEx"})];
    ++counts.trials;
    if (pings.words().text(event.what) != "ok") ++counts.failures;
  }
}

void NetBouncerWatch::complete(WallTime until) {
  minutes_.push_back(std::exchange(now_, {}));
  if (minutes_.size() > kMinutes) minutes_.pop_front();
  std::vector<detect::PingCounts> sums(paths_.size());
  for (const auto& minute : minutes_) {
    for (const auto& [number, counts] : minute) {
      sums[number].trials += counts.trials;
      sums[number].failures += counts.failures;
    }
  }
  std::vector<double> success(paths_.size(), 1);
  for (std::size_t p = 0; p < sums.size(); ++p) {
    if (sums[p].trials == 0) continue;
    success[p] = 1 - static_cast<double>(sums[p].failures) / static_cast<double>(sums[p].trials);
  }
  const std::vector<double> health = netbouncer(paths_, success, parts_.size());
  for (std::size_t u = 0; u < health.size(); ++u) {
    const auto known = open_.find(u);
    if (health[u] < detect::kServes) {
      Alarm& alarm = open_[u];
      if (known == open_.end()) {
        alarm = {.blame = parts_[u], .parts = {}, .told = until, .confirmed = until, .until = until};
      }
      alarm.until = until;
    } else if (known != open_.end()) {
      over_.push_back(std::move(known->second));
      open_.erase(known);
    }
  }
}

std::vector<Alarm> NetBouncerWatch::alarms() const {
  std::vector<Alarm> all = over_;
  for (const auto& [unit, alarm] : open_) all.push_back(alarm);
  return all;
}

}  // namespace laggard::lab
