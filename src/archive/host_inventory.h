#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "archive/block.h"
#include "archive/day_file.h"
#include "archive/runs.h"
#include "model/series_source.h"

namespace laggard::archive {

/// A histogram of the intervals between sample times. It has few entries, since recorders keep a steady
/// interval.
class Distances {
 public:
  void add(std::int64_t ns, std::uint64_t times = 1);
  void add(const Distances& other) {
    for (const auto& [ns, times] : other.counts_) add(ns, times);
  }
  [[nodiscard]] std::optional<Duration> median() const;

 private:
  static constexpr std::size_t kMost = 256;
  std::map<std::int64_t, std::uint64_t> counts_;
  std::uint64_t total_ = 0;
};

/// What the blocks and notes of one host's files say of its devices, its gaps and its clock: file after file,
/// and within one block after block in order of recording. A value, so that whoever has folded the blocks so
/// far can go on from there when others have come.
class HostInventory {
 public:
  void add_block(const BlockHeader& header);
  /// After the blocks of the file that they are from.
  void add_notes(const Notes& notes);
  /// Why samples between two times are missing.
  void add_reason(GapRow reason) { reasons_.push_back(std::move(reason)); }

  [[nodiscard]] std::size_t devices() const;
  /// Stretches of time that were recorded twice or out of order.
  [[nodiscard]] const std::vector<TimeSpan>& disorder() const { return disorder_; }
  /// Adds the devices, by kind and in natural order.
  void add_to(std::vector<DeviceInfo>& devices) const& { add_devices(*this, devices); }
  void add_to(std::vector<DeviceInfo>& devices) && { add_devices(*this, devices); }
  void add_gaps(const std::string& host, std::vector<Gap>& gaps) const;
  void add_clock_steps(const std::string& host, std::vector<ClockStep>& steps) const;

 private:
  struct Device {
    DeviceInfo info;
    Distances distances;
    std::optional<WallTime> last_sample;
  };
  /// A stretch of the host's time without holes, as far as one block can tell.
  struct Segment {
    WallTime from;
    WallTime to;
    std::size_t boot = 0;  ///< Of `boots_`.
    bool operator==(const Segment&) const = default;
  };

  static void add_device(Device& device, const BlockHeader& header, std::size_t d);
  void add_segments(const BlockHeader& header, std::optional<Duration> interval);
  void add_segment(const Segment& segment);
  void note_disorder(const BlockHeader& header);
  [[nodiscard]] std::size_t boot_of(const std::string& boot);
  [[nodiscard]] std::string reason_of(const Segment& before, const Segment& after) const;
  /// Takes them out of what is not const.
  template <class Self>
  static void add_devices(Self& self, std::vector<DeviceInfo>& devices);

  std::map<DeviceKind, std::map<std::string, Device>> devices_;
  std::map<DeviceKind, Distances> distances_;
  std::vector<std::string> boots_;
  std::vector<Segment> segments_;
  std::vector<GapRow> reasons_;
  std::vector<GapRow> clock_steps_;
  std::map<DeviceKind, WallTime> latest_;  ///< The latest sample so far.
  std::vector<TimeSpan> disorder_;
};

}  // namespace laggard::archive
