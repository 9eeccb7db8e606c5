#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cmd/commands.h"
#include "cmd/diagnose.h"
#include "cmd/program.h"

namespace laggard::cmd::testing_support {

/// The recorded incident that ships with laggard.
inline const std::string kExample = std::string(LAGGARD_SOURCE_DIR) + "/examples/ddr-disk-busy-s2";

/// What a command would have for a recording, by one thread and without a word.
inline DiagnoseOptions quiet_diagnosis(std::vector<std::filesystem::path> recordings,
                                       std::string preset = "lab") {
  DiagnoseOptions options;
  options.analysis.recordings = std::move(recordings);
  options.analysis.preset = std::move(preset);
  options.analysis.threads = 1;
  options.quiet = true;
  return options;
}

/// The output and exit status of a command.
struct Said {
  int status = 0;
  std::string out;
  std::string err;
};

/// Runs `PROGRAM WORDS` in this process.
inline Said run_here(const Program& program, std::vector<std::string> words) {
  words.insert(words.begin(), program.name);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Said said;
  said.status = run(program, static_cast<int>(argv.size()), argv.data());
  said.out = testing::internal::GetCapturedStdout();
  said.err = testing::internal::GetCapturedStderr();
  return said;
}

inline Said laggard(std::vector<std::string> words) { return run_here(laggard_program(), std::move(words)); }

/// A temporary folder that is removed at the end; in memory where possible, which saves disk syncs.
class Folder {
 public:
  Folder() {
    const bool memory = ::access("/dev/shm", W_OK) == 0;
    std::string pattern = (memory ? std::string("/dev/shm/") : testing::TempDir()) + "laggard-XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(*this / name) << text;
    return *this / name;
  }

 private:
  std::string path_;
};

inline std::string read_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace laggard::cmd::testing_support
