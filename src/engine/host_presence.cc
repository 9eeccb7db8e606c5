#include "engine/host_presence.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

namespace laggard::engine {

HostPresence::HostPresence(const Grouping& grouping, Duration longest)
    : grouping_(grouping), longest_(longest) {
  std::map<std::string_view, std::uint32_t> numbers;
  for (const Component& component : grouping.components) {
    host_.push_back(
        numbers.try_emplace(component.host, static_cast<std::uint32_t>(numbers.size())).first->second);
  }
  hosts_ = numbers.size();
  seen_.assign(hosts_, 0);
}

std::size_t HostPresence::host_of(const detect::JudgedWindow& judged, std::size_t member) const {
  return host_[grouping_.groups[judged.group].members[member].index()];
}

void HostPresence::heed(std::span<detect::JudgedWindow> windows) {
  while (!windows.empty()) {
    const auto end = std::ranges::find_if(
        windows, [&](const detect::JudgedWindow& one) { return one.cell != windows.front().cell; });
    const auto count = static_cast<std::size_t>(end - windows.begin());
    heed_together(windows.first(count));
    windows = windows.subspan(count);
  }
}

void HostPresence::heed_together(std::span<detect::JudgedWindow> windows) {
  const WallTime start = windows.front().window.start;
  if (last_end_ && start - *last_end_ > longest_) seen_.assign(hosts_, 0);
  last_end_ = std::max(last_end_.value_or(windows.front().window.end), windows.front().window.end);
  std::vector<std::uint8_t> here(hosts_, 0);
  for (const detect::JudgedWindow& judged : windows) {
    for (const std::vector<double>& levels : judged.window.levels) {
      for (std::size_t i = 0; i < levels.size(); ++i) {
        if (!std::isnan(levels[i])) here[host_of(judged, i)] = 1;
      }
    }
  }
  for (detect::JudgedWindow& judged : windows) {
    std::vector<std::uint8_t>& absent = judged.window.absent;
    for (std::size_t i = 0; i < absent.size(); ++i) {
      const std::size_t host = host_of(judged, i);
      if (here[host] == 0 && seen_[host] == 0) absent[i] = 0;
    }
  }
  for (std::size_t h = 0; h < hosts_; ++h) seen_[h] = std::max(seen_[h], here[h]);
}

}  // namespace laggard::engine
