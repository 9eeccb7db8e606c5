#include "cmd/host_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/node_set.h"

namespace laggard::cmd {

namespace {

using Spans = std::map<std::string, TimeSpan>;

Spans spans_of_hosts(const Inventory& inventory) {
  Spans spans;
  for (const DeviceInfo& device : inventory.devices) {
    TimeSpan& span = spans.try_emplace(device.host, TimeSpan{device.first, device.last}).first->second;
    span.from = std::min(span.from, device.first);
    span.to = std::max(span.to, device.last);
  }
  return spans;
}

/// Of an even number the smaller of the two in the middle: a time at which some host really was.
template <class T>
T lower_median(std::vector<T> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// As time zones differ, where that is it to within `slack`.
Duration as_time_zone(Duration ahead, Duration slack) {
  constexpr Duration kQuarter = std::chrono::minutes(15);
  constexpr Duration kFarthest = std::chrono::hours(26);
  const Duration size = std::chrono::abs(ahead);
  const Duration nearest = (size + kQuarter / 2) / kQuarter * kQuarter;
  if (nearest == Duration::zero() || nearest > kFarthest || std::chrono::abs(size - nearest) > slack)
    return ahead;
  return ahead < Duration::zero() ? -nearest : nearest;
}

bool shares_a_tenth(const TimeSpan& own, const TimeSpan& common) {
  const Duration together = std::min(own.to, common.to) - std::max(own.from, common.from);
  return 10 * together >= std::min(own.to - own.from, common.to - common.from);
}

/// By how much one end of a recording lies off, and from how much on that counts.
struct EndOff {
  Duration by{};
  Duration least{};

  [[nodiscard]] bool counts() const { return std::chrono::abs(by) > least; }
};

/// One end of all recordings.
struct Ends {
  WallTime usual;    ///< The median.
  Duration least{};  ///< EndOff::least.

  [[nodiscard]] EndOff off(WallTime end) const { return {end - usual, least}; }
};

Ends ends_of(const std::vector<WallTime>& times, Duration interval) {
  Ends ends{.usual = lower_median(times)};
  std::vector<Duration> off;
  off.reserve(times.size());
  for (const WallTime time : times) off.push_back(std::chrono::abs(time - ends.usual));
  std::sort(off.begin(), off.end());
  const Duration of_most = off[(3 * (off.size() - 1)) / 4];
  ends.least = std::max({Duration(std::chrono::seconds(30)), 5 * interval, 5 * of_most});
  return ends;
}

/// By how much a clock may be off when the two ends do not say the same. Nothing when no end is off, or when
/// the other end would show it and does not: whose one end lies where everybody's does just came late, or
/// stopped early.
std::optional<Duration> off_at_one_end(const EndOff& first, const EndOff& last) {
  const EndOff& told = last.counts() ? last : first;
  const EndOff& other = last.counts() ? first : last;
  if (!told.counts()) return std::nullopt;
  if (!other.counts() && std::chrono::abs(told.by) > other.least) return std::nullopt;
  return told.by;
}

}  // namespace

std::vector<TimeOffset> hosts_at_other_times(const Inventory& inventory, std::span<const std::string> hosts,
                                             Duration interval) {
  const Spans spans = spans_of_hosts(inventory);
  std::vector<std::pair<std::string, TimeSpan>> known;
  for (const std::string& host : hosts) {
    if (const auto span = spans.find(host); span != spans.end()) known.emplace_back(*span);
  }
  if (known.size() < 3) return {};
  std::vector<WallTime> firsts;
  std::vector<WallTime> lasts;
  for (const auto& [host, span] : known) {
    firsts.push_back(span.from);
    lasts.push_back(span.to);
  }
  const Ends first = ends_of(firsts, interval);
  const Ends last = ends_of(lasts, interval);
  const TimeSpan common{first.usual, last.usual};
  const Duration slack = 3 * interval;
  std::vector<TimeOffset> found;
  for (const auto& [host, span] : known) {
    const bool shares = common.from < common.to && shares_a_tenth(span, common);
    const EndOff begin = first.off(span.from);
    const EndOff end = last.off(span.to);
    if (!shares || (begin.counts() && std::chrono::abs(begin.by - end.by) <= slack)) {
      found.push_back({host, as_time_zone(begin.by, slack), shares, true});
    } else if (const auto ahead = off_at_one_end(begin, end)) {
      found.push_back({host, as_time_zone(*ahead, slack), true, false});
    }
  }
  return found;
}

std::vector<std::string> late_and_early(const Inventory& inventory, TimeSpan span, Duration longest) {
  // By seconds: hosts stop one after the other when they are told to one after the other.
  std::map<std::pair<WallTime, bool>, std::vector<std::string>> missing;
  for (const auto& [host, own] : spans_of_hosts(inventory)) {
    const auto second = [](WallTime t) { return std::chrono::floor<std::chrono::seconds>(t); };
    if (own.to < span.from || own.from > span.to) continue;
    if (own.from - span.from > longest) missing[{second(own.from), false}].push_back(host);
    if (span.to - own.to > longest) missing[{second(own.to), true}].push_back(host);
  }
  std::vector<std::string> sentences;
  sentences.reserve(missing.size());
  for (const auto& [when, hosts] : missing) {
    sentences.push_back(fmt::format("{} recorded nothing {} {}", fold_node_set(hosts),
                                    when.second ? "after" : "before", to_iso8601(when.first)));
  }
  return sentences;
}

}  // namespace laggard::cmd
