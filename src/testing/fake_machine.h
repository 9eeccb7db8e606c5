#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/time.h"
#include "model/series_source.h"

// Machines for tests: a made-up one, of files below a temporary folder with a clock and a sink, and a
// captured one.

namespace laggard::collect {

/// `proc`, `sys` and `dev` below a temporary folder, which is removed at the end.
class FakeRoot {
 public:
  FakeRoot() {
    std::string name = (std::filesystem::temp_directory_path() / "laggard-root-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
    write("proc/diskstats", "");
    write("proc/net/dev", "");
    write("proc/sys/kernel/random/boot_id", "boot-1\n");
    std::filesystem::create_directories(root_ / "sys/block");
  }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;
  ~FakeRoot() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return root_; }

  /// Rewrites a file in place, because the kernel's files stay the same file.
  void write(const std::string& file, std::string_view text) const {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file, std::ios::trunc) << text;
  }
  void link(const std::string& file, const std::string& target) const {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::filesystem::create_symlink(target, root_ / file);
  }
  void remove(const std::string& file) const { std::filesystem::remove_all(root_ / file); }
  void folder(const std::string& name) const { std::filesystem::create_directories(root_ / name); }

 private:
  std::filesystem::path root_;
};

/// A clock that only sleeping and the test move; `lateness` says by how much each sleep overshoots.
class FakeClock final : public Clock {
 public:
  [[nodiscard]] WallTime wall() override { return WallTime{mono_.time_since_epoch() + wall_ahead_}; }
  [[nodiscard]] MonoTime mono() override { return mono_; }
  void sleep_until(MonoTime deadline) override {
    Duration late{};
    if (!lateness.empty()) {
      late = lateness.front();
      lateness.pop_front();
    }
    mono_ = std::max(mono_, deadline) + late;
  }

  void advance(Duration by) { mono_ += by; }
  void set_wall(WallTime wall) { wall_ahead_ = wall.time_since_epoch() - mono_.time_since_epoch(); }
  void step_wall(Duration by) { wall_ahead_ += by; }

  [[nodiscard]] Duration suspended() override { return suspended_; }
  /// During it the monotonic clock stands still, but the wall clock does not.
  void suspend(Duration by) {
    suspended_ += by;
    wall_ahead_ += by;
  }

  std::deque<Duration> lateness;

 private:
  MonoTime mono_{std::chrono::seconds(1000)};
  Duration wall_ahead_{std::chrono::seconds(1'700'000'000)};
  Duration suspended_{};
};

/// Keeps everything; refuses a table when `refuse` returns an error.
class ListSink final : public TableSink {
 public:
  [[nodiscard]] Status append(const SampleTable& table) override {
    if (refuse) {
      if (Status no = refuse(); !no) return no;
    }
    tables.push_back(table);
    return {};
  }
  [[nodiscard]] Status describe(const DeviceInfo& device) override {
    facts.push_back(device);
    return {};
  }
  [[nodiscard]] Status note_gap(const Gap& gap) override {
    gaps.push_back(gap);
    return {};
  }

  /// The latest value of a fact; empty when there is none.
  [[nodiscard]] std::string fact(std::string_view device, std::string_view key) const {
    for (auto it = facts.rbegin(); it != facts.rend(); ++it) {
      if (it->device != device) continue;
      for (const auto& [name, value] : it->facts) {
        if (name == key) return value;
      }
      return {};
    }
    return {};
  }

  std::vector<SampleTable> tables;
  std::vector<DeviceInfo> facts;
  std::vector<Gap> gaps;
  std::function<Status()> refuse;
};

}  // namespace laggard::collect

namespace laggard::testing_support {

/// `proc` and `sys` captured on a machine with Lustre 2.10 on ZFS, unpacked into a temporary folder. Tests
/// skip where the capture is missing.
class LustreTree {
 public:
  LustreTree() {
    if (!std::filesystem::exists(kArchive)) return;
    std::string name = testing::TempDir() + "laggard-lustre-XXXXXX";
    path_ = ::mkdtemp(name.data());
    unpacked_ = std::system(("tar -C " + path_.string() + " -xf " + kArchive).c_str()) == 0;
  }
  LustreTree(const LustreTree&) = delete;
  LustreTree& operator=(const LustreTree&) = delete;
  ~LustreTree() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] bool is_there() const { return unpacked_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  static constexpr const char* kArchive =
      LAGGARD_SOURCE_DIR "/../shared/data/exporters/lustre-proc-trees.tar.xz";

 private:
  std::filesystem::path path_;
  bool unpacked_ = false;
};

}  // namespace laggard::testing_support
