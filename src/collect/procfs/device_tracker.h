#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/time.h"
#include "collect/record/sampler.h"

namespace laggard::collect {

/// How often what the kernel does not announce is looked for again: a loop device's file, a pool, a target.
inline constexpr Duration kLookEvery = std::chrono::seconds(10);

struct TrackedDevice {
  std::string name;
  bool wanted = false;  ///< Is to be recorded.
  Slot slot;
  std::uint64_t pass = 0;  ///< The last one that showed it.
  MonoTime since;          ///< When it appeared.
};

/// Remembers the devices of a file of /proc from one reading (a pass) to the next.
///
/// The kernel lists devices in the same order every time until one comes or goes, so that a device is found
/// by one comparison of names; only then by a search.
class DeviceTracker {
 public:
  void begin_pass();

  struct Found {
    TrackedDevice* device;
    bool is_new;  ///< Is to be filled in by the caller.
  };
  [[nodiscard]] Found find(std::string_view name);

  /// Forgets the devices that this pass did not show, so that they are new when they return.
  /// \return whether a device came or went.
  bool end_pass();

  /// In the kernel's order, as of the last `end_pass`.
  [[nodiscard]] const std::vector<TrackedDevice*>& devices() const { return order_; }
  [[nodiscard]] TrackedDevice* get(const std::string& name);

 private:
  std::unordered_map<std::string, TrackedDevice> by_name_;
  std::vector<TrackedDevice*> order_;
  std::vector<TrackedDevice*> seen_;  ///< Filled only once the order has turned out to differ.
  std::size_t next_ = 0;
  std::uint64_t pass_ = 0;
  bool changed_ = false;
};

using Facts = std::vector<std::pair<std::string, std::string>>;

/// Device to the facts that the sink was last told of it.
using ToldFacts = std::map<std::string, Facts>;

/// Adds the keys of `before` that `facts` no longer has, with an empty value, which is how a sink learns that
/// they do not hold any more.
void add_ended(Facts& facts, const Facts& before);

/// Keeps `told` from growing for ever where devices with ever new names come and go (containers' interfaces).
void forget_the_gone(ToldFacts& told, DeviceTracker& tracker);

}  // namespace laggard::collect
