#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collect/procfs/target_counters.h"
#include "collect/record/sampler.h"

namespace laggard::collect {

/// What a job asked a metadata target for, since the target first heard of it.
struct JobRequests {
  std::string job;
  TargetCounters requests;  ///< By operation, those that are listed; there are no sums.
};

/// Lustre's mdt/MDT/job_stats. Quotes around a job's name are not part of it. Nothing when it is not such a
/// file.
[[nodiscard]] std::vector<JobRequests> read_job_stats(std::string_view text);

/// The jobs at the MDTs of this machine, each a device `MDT/job` (docs/formats/targets.md). Lustre lists a
/// job until it has asked for nothing for ten minutes (job_cleanup_interval), so that the files may be long:
/// they are read at every tick, unless that would take more than a hundredth of the time.
class JobSampler final : public Sampler {
 public:
  /// Nothing when there are no MDTs below `root`.
  [[nodiscard]] static std::unique_ptr<JobSampler> open(const std::filesystem::path& root, std::string host,
                                                        Notices& notices);

  void sample(Clock& clock) override;
  [[nodiscard]] Batch& batch() override { return batch_; }
  [[nodiscard]] std::vector<DeviceInfo> take_facts() override { return {}; }
  [[nodiscard]] std::size_t devices() const override { return present_; }

 private:
  JobSampler(std::filesystem::path root, std::string host, Notices& notices);
  void look_around();
  void add_jobs_of(const std::string& target, const std::filesystem::path& file);

  std::filesystem::path root_;
  Notices* notices_;
  Batch batch_;
  std::vector<std::filesystem::path> targets_;  ///< The folders of the MDTs.
  std::size_t present_ = 0;
  MonoTime look_at_;    ///< When to look for MDTs again.
  MonoTime sample_at_;  ///< When to read again.
};

}  // namespace laggard::collect
