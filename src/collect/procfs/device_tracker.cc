#include "collect/procfs/device_tracker.h"

#include <algorithm>

namespace laggard::collect {

void DeviceTracker::begin_pass() {
  ++pass_;
  next_ = 0;
  changed_ = false;
}

DeviceTracker::Found DeviceTracker::find(std::string_view name) {
  if (!changed_ && next_ < order_.size() && order_[next_]->name == name) {
    TrackedDevice* device = order_[next_++];
    device->pass = pass_;
    return {device, false};
  }
  if (!changed_) {
    changed_ = true;
    seen_.assign(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(next_));
  }
  const auto [it, is_new] = by_name_.try_emplace(std::string(name));
  TrackedDevice* device = &it->second;
  if (is_new) device->name = name;
  if (device->pass != pass_) seen_.push_back(device);  // Else twice in one text: see ProcFile::read.
  device->pass = pass_;
  return {device, is_new};
}

bool DeviceTracker::end_pass() {
  if (!changed_) {
    if (next_ == order_.size()) return false;
    seen_.assign(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(next_));
  }
  order_.swap(seen_);
  for (auto it = by_name_.begin(); it != by_name_.end();) {
    it = it->second.pass == pass_ ? std::next(it) : by_name_.erase(it);
  }
  return true;
}

TrackedDevice* DeviceTracker::get(const std::string& name) {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &found->second;
}

void add_ended(Facts& facts, const Facts& before) {
  for (const auto& [key, value] : before) {
    const bool still =
        std::any_of(facts.begin(), facts.end(), [&k = key](const auto& fact) { return fact.first == k; });
    if (!still) facts.emplace_back(key, std::string{});
  }
}

void forget_the_gone(ToldFacts& told, DeviceTracker& tracker) {
  // Facts of devices that will return are worth keeping, so that what has ended meanwhile can be told.
  constexpr std::size_t kWorthKeeping = 1000;
  if (told.size() <= 2 * tracker.devices().size() + kWorthKeeping) return;
  std::erase_if(told, [&](const auto& entry) { return tracker.get(entry.first) == nullptr; });
}

}  // namespace laggard::collect
