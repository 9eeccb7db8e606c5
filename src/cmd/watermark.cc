#include "cmd/watermark.h"

#include <fmt/format.h>

#include <algorithm>

#include "derive/call_counts.h"

namespace laggard::cmd {

namespace {

/// Up to where events have been recorded, too, of hosts whose recorder of events is not silent.
void add_last_derived(std::span<const ObservationStream> streams,
                      std::span<const derive::Derivation> derivations, Duration silence,
                      std::map<std::string, WallTime>& last) {
  std::map<std::string, WallTime> derived;
  for (const ObservationStream& stream : streams) {
    if (stream.shape != ObservationShape::kEvents ||
        std::ranges::find(derivations, stream.kind, &derive::Derivation::recorded) == derivations.end()) {
      continue;
    }
    const WallTime known = derive::CallCounts::known_until(stream.last);
    const auto [host, added] = derived.try_emplace(stream.host, known);
    host->second = std::max(host->second, known);
  }
  for (const auto& [host, told] : derived) {
    const auto [known, added] = last.try_emplace(host, told);
    if (known->second - told <= silence) known->second = std::min(known->second, told);
  }
}

}  // namespace

std::map<std::string, WallTime> last_samples(const Inventory& inventory) {
  std::map<std::string, WallTime> last;
  for (const DeviceInfo& device : inventory.devices) {
    const auto [host, added] = last.try_emplace(device.host, device.last);
    host->second = std::max(host->second, device.last);
  }
  return last;
}

std::optional<WallTime> newest_of(std::span<const ObservationStream> streams) {
  std::optional<WallTime> newest;
  for (const ObservationStream& stream : streams)
    newest = std::max(newest.value_or(stream.last), stream.last);
  return newest;
}

std::optional<WallTime> Watermark::advance(const Inventory& inventory,
                                           std::span<const ObservationStream> streams,
                                           std::span<const derive::Derivation> derivations,
                                           std::optional<WallTime> judged_until) {
  std::map<std::string, WallTime> last = last_samples(inventory);
  add_last_derived(streams, derivations, silence_, last);
  if (last.empty()) return newest_of(streams);
  const WallTime newest =
      std::ranges::max_element(last, {}, [](const auto& host) { return host.second; })->second;
  WallTime until = newest;
  for (const auto& [host, at] : last) {
    if (!is_silent(host, at, newest, judged_until)) until = std::min(until, at);
  }
  return until;
}

bool Watermark::is_silent(const std::string& host, WallTime last, WallTime newest,
                          std::optional<WallTime> judged_until) {
  const auto known = silent_.find(host);
  const bool silent = newest - last > silence_;
  if (silent && known == silent_.end()) {
    silent_.emplace(host, last);
    note_(fmt::format("{} has recorded nothing since {}; the others are judged without it", host,
                      to_iso8601(last)));
  } else if (!silent && known != silent_.end()) {
    note_(fmt::format("{} records again; what it recorded between {} and {} came late and is not judged",
                      host, to_iso8601(known->second), to_iso8601(judged_until.value_or(last))));
    silent_.erase(known);
  }
  return silent;
}

}  // namespace laggard::cmd
