#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collect/procfs/host_tables.h"
#include "collect/procfs/proc_tables.h"
#include "collect/record/sampler.h"

namespace laggard::collect {

/// Samples the machine as a whole (docs/formats/host.md): processors, pressure, swapping, memory. One device,
/// kHostDevice.
///
/// Clock rates, thermal throttling and corrected errors of memory are read every kLookEvery and repeated in
/// between: a driver may have to ask every processor.
class HostSampler final : public Sampler {
 public:
  /// Nothing when there is no proc/stat below `root`.
  [[nodiscard]] static std::unique_ptr<HostSampler> open(const std::filesystem::path& root, std::string host,
                                                         Notices& notices);

  void sample(Clock& clock) override;
  [[nodiscard]] Batch& batch() override { return batch_; }
  [[nodiscard]] std::vector<DeviceInfo> take_facts() override { return {}; }
  [[nodiscard]] std::size_t devices() const override { return present_; }

 private:
  HostSampler(const std::filesystem::path& root, std::string host, ProcFile stat, Notices& notices);
  /// The text of a file, or nothing where the kernel has none.
  [[nodiscard]] std::string_view text_of(std::optional<ProcFile>& file);
  void look_at_hardware();

  std::filesystem::path root_;
  Notices* notices_;
  Batch batch_;
  std::optional<ProcFile> stat_;
  std::optional<ProcFile> vmstat_;
  std::optional<ProcFile> meminfo_;
  std::optional<ProcFile> pressure_cpu_;
  std::optional<ProcFile> pressure_io_;
  std::optional<ProcFile> pressure_memory_;
  std::uint64_t tick_ms_;
  std::vector<std::filesystem::path> clock_files_;
  std::vector<std::filesystem::path> throttle_files_;
  std::vector<std::filesystem::path> corrected_files_;
  std::vector<std::filesystem::path> uncorrected_files_;
  HostSample hardware_;  ///< As last looked at.
  MonoTime look_at_;
  Slot slot_;
  std::size_t present_ = 0;
};

}  // namespace laggard::collect
