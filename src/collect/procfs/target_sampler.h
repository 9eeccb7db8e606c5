#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "collect/procfs/proc_tables.h"
#include "collect/procfs/target_counters.h"
#include "collect/record/sampler.h"

namespace laggard::collect {

/// OSTs and MDTs of Lustre and pools of ZFS on this machine, as devices beside its disks: the file system's
/// view of what it serves, where the block devices below do not match it one to one
/// (docs/formats/targets.md).
class TargetSampler final : public Sampler {
 public:
  /// Nothing when neither Lustre nor ZFS has statistics below `root`.
  /// \param globs  match the names of targets; empty: all of them.
  [[nodiscard]] static std::unique_ptr<TargetSampler> open(const std::filesystem::path& root,
                                                           std::string host, std::vector<std::string> globs,
                                                           Notices& notices);

  void sample(Clock& clock) override;
  [[nodiscard]] Batch& batch() override { return batch_; }
  [[nodiscard]] std::vector<DeviceInfo> take_facts() override;
  [[nodiscard]] std::size_t devices() const override { return present_; }

 private:
  /// A target and where its numbers are.
  struct Target {
    std::string name;
    std::filesystem::path stats;                 ///< Lustre: obdfilter/OST/stats, mdt/MDT/md_stats.
    bool metadata = false;                       ///< An MDT.
    std::filesystem::path times;                 ///< Lustre: brw_stats; empty without.
    std::filesystem::path pool;                  ///< ZFS: the folder of the pool's kstats.
    std::vector<std::filesystem::path> objsets;  ///< ZFS without `io`: the file systems' kstats.
  };

  TargetSampler(std::filesystem::path root, std::string host, std::vector<std::string> globs,
                Notices& notices);
  void look_around();
  [[nodiscard]] Target* add_lustre(const std::string& name, const std::filesystem::path& stats);
  void add_osts(const std::filesystem::path& folder);
  void add_mdts(const std::filesystem::path& folder);
  void add_pools(const std::filesystem::path& folder);
  [[nodiscard]] bool wanted(const std::string& name) const;
  [[nodiscard]] TargetCounters read(const Target& target);
  void describe(const Target& target);

  std::filesystem::path root_;
  std::vector<std::string> globs_;
  Notices* notices_;
  Batch batch_;
  DeviceTracker tracker_;
  std::vector<Target> targets_;
  std::size_t present_ = 0;
  std::set<std::string> told_;  ///< Targets that the sink has been given.
  std::vector<DeviceInfo> news_;
  MonoTime look_at_;  ///< When to look for targets again.
};

}  // namespace laggard::collect
