#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/time.h"
#include "model/counter.h"

namespace laggard::derive {

/// What a derived counter adds up.
enum class Counted : std::uint8_t {
  kEvents,     ///< 1 for each event.
  kDurations,  ///< How long each took, in `unit`. Events without a duration add nothing.
  kAttribute,  ///< The number in `attribute`. Events without it, and numbers below 0, add nothing.
};

/// One cumulative counter that follows from events. What an event adds is rounded by itself, so that a sum
/// does not depend on where it began: choose a unit well below what an event takes.
struct DerivedCounter {
  std::string_view name;  ///< As the rows of metrics spell it.
  Counted counted = Counted::kEvents;
  std::string_view what{};            ///< Only events of which this happened; empty: all.
  std::optional<Duration> at_most{};  ///< Only those that took no longer: a bucket `le_…` of a histogram.
  Duration unit{std::chrono::milliseconds(1)};
  std::string_view attribute{};
};

/// A row of the table of derivations: counters of a kind of device that follow from a kind of events. A
/// device is a part that events name. What comes out are samples like any others (event_meter.h), so that
/// rows of metrics make rates and quotients of them and peers are compared in these.
struct Derivation {
  std::string_view events;                   ///< Their kind.
  DeviceKind kind = DeviceKind::kDisk;       ///< What devices are taken for; their names have to be of it.
  std::string_view device{};                 ///< For events that name no part; empty: these are not counted.
  std::span<const DerivedCounter> counters;  ///< Their names are of that kind.
  /// The `what` of events that only say that their host was being recorded. A witness of what happens seldom
  /// tells one every few seconds: without any event nobody knows whether nothing happened.
  std::string_view mark{};
  Duration cadence{std::chrono::seconds(1)};  ///< Where the recording holds no samples that set it.
  /// Events of that kind are not recorded, but Transfers makes them of system calls.
  bool is_of_transfers = false;

  /// The kind of events that have to be read for it.
  [[nodiscard]] std::string_view recorded() const;
};

/// The derivations of the program. To add one is to add a row.
[[nodiscard]] std::span<const Derivation> derivation_table();

}  // namespace laggard::derive
