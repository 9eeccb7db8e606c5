#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace laggard::testing_support {

/// `proc` and `sys` of a machine with Lustre 2.10 on ZFS, captured by others and only read by tests, unpacked
/// into a folder that goes away with this. Tests skip where the capture is not there.
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
