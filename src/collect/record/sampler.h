#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/time.h"
#include "model/sample_table.h"
#include "model/series_source.h"

namespace laggard::collect {

/// Reports each thing that a recorder cannot read once, however often it comes up.
class Notices {
 public:
  using Say = std::function<void(const std::string&)>;
  explicit Notices(Say say) : say_(std::move(say)) {}

  void once(const std::string& sentence) {
    if (said_.size() < kMost && said_.insert(sentence).second) say_(sentence);
  }

 private:
  /// Beyond so many sentences, further ones are suppressed.
  static constexpr std::size_t kMost = 1000;

  Say say_;
  std::set<std::string> said_;
};

/// A device's place in the present batch.
struct Slot {
  std::uint32_t index = 0;
  std::uint32_t batch = 0;  ///< The batch that the slot belongs to; 0 is none.
};

/// The samples of one kind since the last flush, row by row as they are read; `take` turns them into a table.
///
/// Devices get a slot per batch: `take` invalidates all slots, and a device gets a new one when it is next
/// seen, so that devices that are gone leave nothing behind. Rows allocate only while a batch grows beyond
/// all earlier ones.
class Batch {
 public:
  /// At most 32 counters. \param rare  how many of the last counters only a few devices have; a table in
  /// which no device has them leaves them out.
  Batch(std::string host, DeviceKind kind, std::vector<TableCounter> counters, std::size_t rare = 0);

  void begin_row(WallTime time);
  [[nodiscard]] bool has(const Slot& slot) const { return slot.batch == number_; }
  /// The slot of a device; a device that left and came back within the batch keeps its slot.
  [[nodiscard]] Slot add(const std::string& device);

  /// The present row's cells of a device, one per counter. Valid until the next `add` or `begin_row`.
  [[nodiscard]] std::span<std::uint64_t> cells(const Slot& slot);
  /// Which of those cells hold a value; none until this is called.
  void set_present(const Slot& slot, std::uint32_t mask);

  [[nodiscard]] const std::string& host() const { return host_; }
  [[nodiscard]] DeviceKind kind() const { return kind_; }
  [[nodiscard]] std::size_t rows() const { return rows_.size(); }
  [[nodiscard]] std::size_t size_in_cells() const { return values_.size(); }
  /// Changes with every `take`.
  [[nodiscard]] std::uint32_t number() const { return number_; }

  /// All rows as a table of the devices that were present in at least one of them, and a fresh batch.
  [[nodiscard]] SampleTable take(const std::string& boot);

 private:
  struct Row {
    WallTime time;
    std::size_t first = 0;  ///< Of its devices in `masks_`; times the counters, of its cells in `values_`.
    std::size_t devices = 0;
  };

  /// Without the rare ones that no device has; \param ever  per device, the counters that it ever had.
  [[nodiscard]] std::vector<TableCounter> counters_shown(std::span<const std::uint32_t> ever) const;

  std::string host_;
  DeviceKind kind_;
  std::vector<TableCounter> counters_;
  std::size_t rare_ = 0;
  std::uint32_t number_ = 1;
  std::vector<std::string> devices_;
  std::unordered_map<std::string, std::uint32_t> index_;  ///< In `devices_`.
  std::vector<Row> rows_;
  std::vector<std::uint64_t> values_;  ///< Row by row, device by device, counter by counter.
  std::vector<std::uint32_t> masks_;   ///< Row by row, device by device.
};

/// The time of a sample: now, to the microsecond. Finer digits are noise that the archive would have to keep.
[[nodiscard]] inline WallTime sample_time(Clock& clock) {
  return floor_to(clock.wall(), std::chrono::microseconds(1));
}

/// Reads the devices of one kind at every tick.
class Sampler {
 public:
  virtual ~Sampler() = default;

  /// Reads the machine once and adds a row to the batch, with the wall time taken at the reading. When the
  /// reading fails, no row is added: the samples are missing, and the sampler reports the reason once.
  virtual void sample(Clock& clock) = 0;

  [[nodiscard]] virtual Batch& batch() = 0;

  /// Facts of devices that are new or have changed since the last call.
  [[nodiscard]] virtual std::vector<DeviceInfo> take_facts() = 0;

  /// Devices that the last sample showed.
  [[nodiscard]] virtual std::size_t devices() const = 0;
};

}  // namespace laggard::collect
