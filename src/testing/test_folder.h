#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace laggard::collect {

/// A folder for the files of one test, and a shell to pack them in; for tests.
class FolderTest : public ::testing::Test {
 protected:
  FolderTest() {
    std::string pattern = ::testing::TempDir() + "import-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~FolderTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::filesystem::path write(const std::string& name, const std::string& bytes) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary | std::ios::trunc) << bytes;
    return folder_ / name;
  }
  int shell(const std::string& command) {
    return std::system(("cd '" + folder_.string() + "' && " + command).c_str());  // NOLINT(cert-env33-c)
  }

  std::filesystem::path folder_;
};

}  // namespace laggard::collect
