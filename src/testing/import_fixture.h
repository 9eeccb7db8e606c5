#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collect/import/import.h"
#include "model/event.h"
#include "model/observation_source.h"
#include "model/series_source.h"

/// What the tests of importers share: a folder of files, a sink in memory, and an observer.
namespace laggard::collect {

/// A temporary folder for the files of one test, and a shell to pack them.
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

/// Times of a sink's series are in nanoseconds.
inline constexpr std::int64_t kMs = 1'000'000;

/// Keeps every value under `host/device counter`, as a merging archive would.
class MemorySink final : public TableSink {
 public:
  [[nodiscard]] Status append(const SampleTable& table) override {
    ++tables;
    for (std::size_t c = 0; c < table.counters().size(); ++c) {
      for (std::size_t d = 0; d < table.devices().size(); ++d) {
        for (std::size_t t = 0; t < table.times().size(); ++t) {
          const std::optional<double> number = table.number(c, d, t);
          if (!number) continue;
          const std::string name = table.host() + "/" + table.devices()[d] + " " + table.counters()[c].name;
          series[name][to_unix_ns(table.times()[t])] = *number;
          boots[name][to_unix_ns(table.times()[t])] = table.boot();
        }
      }
    }
    last_table = table;
    return {};
  }
  [[nodiscard]] Status describe(const DeviceInfo& device) override {
    described.push_back(device);
    return {};
  }
  [[nodiscard]] std::size_t values() const {
    std::size_t count = 0;
    for (const auto& [name, samples] : series) count += samples.size();
    return count;
  }

  std::map<std::string, std::map<std::int64_t, double>> series;
  std::map<std::string, std::map<std::int64_t, std::string>> boots;
  std::vector<DeviceInfo> described;
  SampleTable last_table;
  std::size_t tables = 0;
};

/// Keeps events of one kind as lines of text.
class EventLines final : public ObservationSink {
 public:
  /// A line for an event of a table.
  using Describe = std::function<std::string(const EventTable& table, std::size_t e)>;

  EventLines(std::string_view kind, Describe describe) : kind_(kind), describe_(std::move(describe)) {}

  [[nodiscard]] Status append(const EventTable& table) override {
    if (full) return fail(ErrorCode::kNoSpace, "rec", "is full");
    EXPECT_EQ(table.kind(), kind_);
    for (std::size_t e = 0; e < table.size(); ++e) lines.push_back(describe_(table, e));
    return {};
  }
  [[nodiscard]] Status append(const ProfileTable& /*table*/) override { return {}; }

  std::vector<std::string> lines;
  bool full = false;

 private:
  std::string_view kind_;
  Describe describe_;
};

/// Collects notices.
class QuietObserver final : public ImportObserver {
 public:
  void progress(const ImportState& state) override { last = state; }
  void notice(const std::string& sentence) override { notices.push_back(sentence); }

  ImportState last;
  std::vector<std::string> notices;
};

}  // namespace laggard::collect
