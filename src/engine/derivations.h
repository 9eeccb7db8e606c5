#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "derive/derivation_table.h"
#include "derive/event_meter.h"
#include "derive/transfers.h"
#include "model/event.h"
#include "model/resolver.h"
#include "model/sample_table.h"
#include "model/series_source.h"
#include "model/transfer_rules.h"

namespace laggard::engine {

/// The devices that a recording's events tell of, by row of a table of derivations. What is known of them
/// before they are counted makes samples depend on events alone, wherever reading begins.
struct DerivedDevices {
  std::span<const derive::Derivation> table{};
  std::vector<std::vector<SeriesKey>> of_row;
  TransferRules transfers{};
};

/// The samples that follow from events, in the order in which a pipeline takes them.
class Derivations {
 public:
  /// \param cadence  of the samples: that of the recording's other ones.
  Derivations(const DerivedDevices& devices, Duration cadence);

  [[nodiscard]] bool empty() const { return meters_.empty(); }
  /// What no row asks for is passed over.
  void add(const EventTable& table);
  /// All events before `until` have been added: the samples up to then that were not taken before.
  [[nodiscard]] std::vector<SampleTable> take(WallTime until);

  /// For how long what events come to may depend on those before them.
  [[nodiscard]] Duration memory() const { return transfers_ ? derive::Transfers::kMemory : Duration::zero(); }
  /// Devices that events told of and that are not counted.
  [[nodiscard]] std::set<SeriesKey> unknown_devices() const;
  /// One sentence each: what came too late to be counted, or was too much.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  std::vector<derive::EventMeter> meters_;      ///< Per row.
  std::optional<derive::Transfers> transfers_;  ///< Where a row asks for them.
};

/// Finds the devices that events tell of, so that peers can be grouped before anything is judged.
class DerivationSurvey {
 public:
  DerivationSurvey(std::span<const derive::Derivation> table, Duration cadence, TransferRules transfers = {});

  /// Tables in an EventReader's order.
  void add(const EventTable& table);
  /// Adds the devices to what else was recorded, and a notice for each that has the name of a recorded one:
  /// it is not derived. Of rows that tell of the same device the first one counts.
  [[nodiscard]] DerivedDevices finish(Inventory& inventory);

 private:
  struct Found {
    DeviceInfo info;
    std::vector<std::uint64_t> last;
  };
  struct Row {
    derive::EventMeter meter;
    std::map<SeriesKey, Found> found;
  };
  static void take(const SampleTable& table, Row& row);
  void take_transfers(WallTime until);

  std::span<const derive::Derivation> table_;
  Duration cadence_;
  TransferRules rules_;
  std::optional<derive::Transfers> transfers_;
  std::vector<Row> rows_;
};

/// The kinds of recorded events that a table's rows follow from, sorted.
[[nodiscard]] std::vector<std::string> derived_kinds(std::span<const derive::Derivation> table);

}  // namespace laggard::engine
