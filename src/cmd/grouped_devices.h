#pragma once

#include <set>
#include <string>
#include <tuple>

#include "base/time.h"
#include "model/resolver.h"
#include "model/series_source.h"

namespace laggard::cmd {

/// The disks and interfaces that a watch's groups of peers were made of, and whether what has come since is
/// reason to make them anew.
class GroupedDevices {
 public:
  /// The groups are made of these now.
  void set(const Inventory& inventory);

  /// Whether a device came, or an idle disk came under load: at once when its host turns out to be a server
  /// by it, else when twice as much has been recorded as at the last time, since of thousands one always
  /// does.
  [[nodiscard]] bool has_news(const Inventory& inventory) const;

  /// Whether events tell of devices that the groups were made without; once of each, as it may be that they
  /// are never compared.
  [[nodiscard]] bool are_news(const std::set<SeriesKey>& of_events);

 private:
  using DeviceKey = std::tuple<std::string, DeviceKind, std::string>;

  /// Whether a disk of the host was under load when the groups were made.
  [[nodiscard]] bool serves(const std::string& host) const;

  std::set<DeviceKey> devices_;
  std::set<DeviceKey> idle_;           ///< Those of them that were not under load then, ...
  Duration grouped_from_{};            ///< ... when so much had been recorded.
  std::set<DeviceKey> regrouped_for_;  ///< Those of events for which they were made anew.
};

}  // namespace laggard::cmd
