#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "collect/procfs/block_devices.h"
#include "collect/procfs/proc_tables.h"
#include "collect/record/sampler.h"

namespace laggard::collect {

struct DiskOptions {
  std::vector<std::string> globs;  ///< Match the kernel's or device-mapper's name; empty: every disk.
  bool partitions = false;
};

/// Samples /proc/diskstats below `root`, and describes its devices from /sys and /dev.
///
/// The paths of multipath devices are looked at every kLookEvery, and what they were is repeated in between.
/// A path that has been taken away is down: `paths_down` counts what is missing of the most paths that the
/// device has had since this sampler began.
class DiskSampler final : public Sampler {
 public:
  [[nodiscard]] static Result<std::unique_ptr<DiskSampler>> open(const std::filesystem::path& root,
                                                                 std::string host, DiskOptions options,
                                                                 Notices& notices);

  void sample(Clock& clock) override;
  [[nodiscard]] Batch& batch() override { return batch_; }
  [[nodiscard]] std::vector<DeviceInfo> take_facts() override;
  [[nodiscard]] std::size_t devices() const override { return present_; }

 private:
  DiskSampler(ProcFile file, BlockDevices block, std::string host, DiskOptions options, Notices& notices);

  /// Of a multipath device, as last looked at.
  struct Paths {
    PathStates now;
    std::uint64_t most = 0;  ///< That it had at a time.
  };

  [[nodiscard]] bool wanted(const std::string& name) const;
  void record(TrackedDevice& device, std::string_view counters);
  /// Checks whether loop devices got or lost their file, and decides when to describe devices again.
  void look_around(MonoTime now, bool changed);
  void describe();
  void look_for_unmatched();
  void look_at_paths();
  /// \return whether one has got or lost its file.
  bool look_at_loops();
  /// Whether a recorded loop device has answered requests since this was last asked: then it has its file,
  /// which need not be looked for.
  [[nodiscard]] bool has_answered(const TrackedDevice& loop);
  [[nodiscard]] std::map<std::string, std::vector<std::string>> recorded_stand_ins();

  ProcFile file_;
  BlockDevices block_;
  DiskOptions options_;
  Notices* notices_;
  Batch batch_;
  DeviceTracker tracker_;
  std::size_t present_ = 0;
  bool looked_ = false;  ///< Whether every pattern matches something; once.
  MonoTime look_at_;     ///< When to look at loop devices and paths again.
  std::map<std::string, Paths, std::less<>> paths_;
  std::map<std::string, std::uint64_t, std::less<>> requests_;  ///< Of loop devices, as last looked at.
  MonoTime describe_at_;                                        ///< When to read identities again.
  Duration describe_wait_{};                                    ///< Until the time after that.
  ToldFacts told_;                                              ///< What the sink was last given.
  std::vector<DeviceInfo> news_;
};

}  // namespace laggard::collect
