#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/file.h"
#include "collect/pings/directory_pin.h"
#include "collect/pings/ping_backend.h"

namespace laggard::collect {

/// A directory or mount that is a target: an export of NFS, a local file system, or a directory whose files
/// the file system keeps on one target. The directory is opened anew for every request, so that a mount that
/// comes, goes or is replaced is noticed.
///
/// With a pin the directory is made first, and each new file is asked whether it lies on the target; where it
/// does not it is removed, and the probe is not counted.
class DirectoryTarget final : public PingTarget {
 public:
  [[nodiscard]] static Status check(const PingTargetSpec& target);
  [[nodiscard]] static std::unique_ptr<PingTarget> open(const PingTargetSpec& target,
                                                        const PingBackendSetup& setup) {
    return std::make_unique<DirectoryTarget>(target.place, setup);
  }

  DirectoryTarget(std::filesystem::path directory, PingBackendSetup setup,
                  std::unique_ptr<DirectoryPin> pin = nullptr)
      : directory_(std::move(directory)), setup_(std::move(setup)), pin_(std::move(pin)) {}

  [[nodiscard]] PingResult run(PingOperation operation, const PingPhases& phases) override;
  void remove_abandoned() override;
  void remove_own() override;

  /// Files that CrWr made and RmEx has not removed; more are not made.
  static constexpr std::size_t kMostFiles = 8;

 private:
  [[nodiscard]] Fd open_directory(int& error) const;
  /// 0, or ENODEV when the directory now lies on the machine's own file system and did not before: what was
  /// mounted there is gone, and a write would reach what is beneath.
  [[nodiscard]] int check_place(int fd);
  /// Has the pin make the directory, the first time and when it has vanished. \return 0 or errno
  [[nodiscard]] int make_directory();
  /// Makes and writes a new file; removes it again when that fails, or it lies elsewhere.
  [[nodiscard]] PingResult create(int directory, const std::string& name, const PingPhases& phases);
  [[nodiscard]] PingResult create_write(int directory, const PingPhases& phases);
  [[nodiscard]] PingResult write_existing(int directory, const PingPhases& phases);
  [[nodiscard]] PingResult remove_existing(int directory);
  [[nodiscard]] std::string fresh_name();

  std::filesystem::path directory_;
  PingBackendSetup setup_;
  std::unique_ptr<DirectoryPin> pin_;
  std::mutex making_;  ///< Held over calls of the pin.
  bool is_made_ = false;
  std::atomic<std::uint64_t> serial_ = 0;
  std::mutex mutex_;  ///< Never held over a call into the file system.
  std::deque<std::string> created_;
  std::string existing_;                  ///< What WrEx writes to; empty until it is there.
  std::atomic<bool> is_mounted_ = false;  ///< It was on another file system than `/`.
};

}  // namespace laggard::collect
