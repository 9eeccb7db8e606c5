#include "collect/procfs/device_tracker.h"

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

}  // namespace laggard::collect
