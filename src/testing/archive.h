#pragma once

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "archive/reader.h"
#include "archive/writer.h"
#include "base/file.h"
#include "base/time.h"
#include "model/sample_table.h"

/// What the archive's tests share.
namespace laggard::archive::testing {

/// A temporary folder that is removed at the end.
class TempDir {
 public:
  TempDir() {
    // In memory where possible, so that thousands of commits do not cost thousands of disk syncs.
    const std::filesystem::path memory = "/dev/shm";
    const bool in_memory = ::access(memory.c_str(), W_OK) == 0;
    std::string pattern =
        ((in_memory ? memory : std::filesystem::temp_directory_path()) / "laggard-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A small file system in memory; not mounted without the right to mount.
class TinyDisk {
 public:
  /// \param options  of tmpfs: "size=1m", "nr_inodes=20".
  TinyDisk(std::filesystem::path path, const char* options) : path_(std::move(path)) {
    std::filesystem::create_directories(path_);
    mounted_ = ::mount("laggard-test", path_.c_str(), "tmpfs", 0, options) == 0;
  }
  TinyDisk(const TinyDisk&) = delete;
  TinyDisk& operator=(const TinyDisk&) = delete;
  ~TinyDisk() {
    if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  [[nodiscard]] bool mounted() const { return mounted_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] bool set_read_only(bool read_only) const {
    return ::mount(nullptr, path_.c_str(), nullptr, MS_REMOUNT | (read_only ? MS_RDONLY : 0), nullptr) == 0;
  }

 private:
  std::filesystem::path path_;
  bool mounted_;
};

/// A clock that stands still until it is advanced.
class ManualClock final : public Clock {
 public:
  [[nodiscard]] WallTime wall() override { return from_unix_ns(now_.count()); }
  [[nodiscard]] MonoTime mono() override { return MonoTime{now_}; }
  void sleep_until(MonoTime deadline) override { now_ = deadline.time_since_epoch(); }
  void advance(Duration by) { now_ += by; }

 private:
  Duration now_{};
};

/// The default start of recordings in tests.
inline constexpr const char* kStart = "2011-05-09T06:00:00Z";

inline WallTime at(std::string_view iso) { return parse_time(iso).value(); }
inline WallTime operator""_utc(const char* text, std::size_t size) { return at({text, size}); }

inline Duration milliseconds_of(std::int64_t n) { return std::chrono::milliseconds{n}; }

inline void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// Makes a file look as if another version had written it: SQLite keeps user_version big-endian at byte 60.
inline void set_user_version(const std::filesystem::path& path, char version) {
  std::fstream file{path, std::ios::in | std::ios::out | std::ios::binary};
  file.seekp(63);
  file.put(version);
}

/// Counters of busy disks: every cumulative one grows from sample to sample.
inline SampleTable disk_table(const std::string& host, WallTime start, std::size_t samples,
                              std::size_t disks = 2, Duration interval = std::chrono::seconds{1}) {
  std::vector<TableCounter> counters{{"rd_ios", CounterForm::kCumulative},
                                     {"rd_sectors", CounterForm::kCumulative},
                                     {"in_flight", CounterForm::kGauge}};
  std::vector<std::string> devices;
  for (std::size_t d = 0; d < disks; ++d)
    devices.push_back("sd" + std::string(1, static_cast<char>('a' + d)));
  std::vector<WallTime> times;
  for (std::size_t t = 0; t < samples; ++t) times.push_back(start + static_cast<std::int64_t>(t) * interval);
  SampleTable table{host, DeviceKind::kDisk, counters, devices, times};
  for (std::size_t d = 0; d < disks; ++d) {
    for (std::size_t t = 0; t < samples; ++t) {
      // A function of time, so that tables that were cut anywhere fit together.
      const auto second = static_cast<std::uint64_t>(to_unix_ns(times[t]) / 1'000'000'000);
      table.set(0, d, t, second * 7 + second % 5 + d);
      table.set(1, d, t, (second * 7 + second % 3) * 8 + d * 1000);
      table.set(2, d, t, (second + d) % 4);
    }
  }
  return table;
}

/// The same shape with numbers that do not compress, so that blocks are large.
inline SampleTable noisy_table(const std::string& host, WallTime start, std::size_t samples,
                               std::size_t disks) {
  SampleTable table = disk_table(host, start, samples, disks);
  std::mt19937_64 random{20110509};
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t d = 0; d < disks; ++d) {
      std::uint64_t value = 0;
      for (std::size_t t = 0; t < samples; ++t) table.set(c, d, t, value += random() % 65536);
    }
  }
  return table;
}

/// All present cells of tables by name, which must be read back however they were cut into tables.
using CellKey = std::tuple<std::string, DeviceKind, std::string, std::string, std::int64_t>;
using Cells = std::map<CellKey, std::uint64_t>;

/// The later record of a time wins, as in an analysis.
inline void add_cells(const SampleTable& table, Cells& cells) {
  for (std::size_t c = 0; c < table.counters().size(); ++c) {
    for (std::size_t d = 0; d < table.devices().size(); ++d) {
      for (std::size_t t = 0; t < table.times().size(); ++t) {
        if (!table.present(c, d, t)) continue;
        cells[{table.host(), table.kind(), table.devices()[d], table.counters()[c].name,
               to_unix_ns(table.times()[t])}] = table.bits(c, d, t);
      }
    }
  }
}

inline Cells cells_of(const std::vector<SampleTable>& tables) {
  Cells cells;
  for (const SampleTable& table : tables) add_cells(table, cells);
  return cells;
}

/// Compares cells and names the first difference; EXPECT_EQ would print thousands of cells.
inline ::testing::AssertionResult same_cells(const Cells& got, const Cells& wanted) {
  if (got == wanted) return ::testing::AssertionSuccess();
  for (const auto& [key, value] : wanted) {
    const auto found = got.find(key);
    if (found != got.end() && found->second == value) continue;
    return ::testing::AssertionFailure()
           << got.size() << " cells for " << wanted.size() << "; first difference at " << std::get<2>(key)
           << " " << std::get<3>(key) << " " << to_iso8601(from_unix_ns(std::get<4>(key))) << ": "
           << (found == got.end() ? "missing" : std::to_string(found->second)) << " for " << value;
  }
  return ::testing::AssertionFailure()
         << got.size() << " cells for " << wanted.size() << ": some were never written";
}

inline std::vector<SampleTable> read_all(Reader& reader, const ReadRequest& request = {}) {
  std::vector<SampleTable> tables;
  auto table_reader = reader.read(request);
  EXPECT_TRUE(table_reader) << table_reader.error().message();
  for (;;) {
    auto table = (*table_reader)->next();
    EXPECT_TRUE(table) << table.error().message();
    if (!table || !table->has_value()) return tables;
    tables.push_back(std::move(**table));
  }
}

inline std::unique_ptr<Reader> open_reader(const std::filesystem::path& path,
                                           const ReaderOptions& options = {}) {
  const std::vector<std::filesystem::path> paths{path};
  auto reader = Reader::open(paths, options);
  EXPECT_TRUE(reader) << reader.error().message();
  return reader ? std::move(*reader) : nullptr;
}

inline Cells read_cells(const std::filesystem::path& path) {
  auto reader = open_reader(path);
  return reader == nullptr ? Cells{} : cells_of(read_all(*reader));
}

inline std::unique_ptr<Writer> open_writer(const std::filesystem::path& path, Clock& clock,
                                           const WriterOptions& options = {}) {
  auto writer = Writer::open(path, options, clock);
  EXPECT_TRUE(writer) << writer.error().message();
  return writer ? std::move(*writer) : nullptr;
}

/// Expects that every cell of `tables` is a cell of `truth`, whose times are `interval` apart. \return how
/// many there are.
inline std::size_t count_true_cells(const std::vector<SampleTable>& tables, const SampleTable& truth,
                                    Duration interval = std::chrono::seconds{1}) {
  std::size_t found = 0;
  std::size_t wrong = 0;
  for (const SampleTable& table : tables) {
    for (std::size_t c = 0; c < table.counters().size(); ++c) {
      const auto true_c = truth.counter_index(table.counters()[c].name);
      for (std::size_t d = 0; d < table.devices().size(); ++d) {
        const auto true_d = truth.device_index(table.devices()[d]);
        for (std::size_t t = 0; t < table.times().size(); ++t) {
          if (!table.present(c, d, t)) continue;
          const Duration since = table.times()[t] - truth.times().front();
          const auto row = static_cast<std::size_t>(since / interval);
          const bool known = true_c && true_d && since >= Duration::zero() &&
                             since % interval == Duration::zero() && row < truth.times().size() &&
                             truth.present(*true_c, *true_d, row);
          if (known && truth.bits(*true_c, *true_d, row) == table.bits(c, d, t)) {
            ++found;
          } else {
            ++wrong;
          }
        }
      }
    }
  }
  EXPECT_EQ(wrong, 0U) << "wrong values were read";
  return found;
}

/// A recording of one host in one finished file, for tests that damage it.
class OneFile : public ::testing::Test {
 protected:
  OneFile(std::size_t samples, std::size_t disks)
      : table_(noisy_table("fs1", at("2011-05-09T06:00:00Z"), samples, disks)) {}

  void SetUp() override {
    ManualClock clock;
    auto writer = open_writer(dir_.path() / "rec", clock);
    DeviceInfo info;
    info.host = "fs1";
    info.device = "sda";
    info.facts = {{"wwn", "5000c500a1b2c3d4"}};
    const Status described = writer->describe(info);
    ASSERT_TRUE(described) << described.error().message();
    const Status added = writer->append(table_);
    ASSERT_TRUE(added) << added.error().message();
    const Status closed = writer->close();
    ASSERT_TRUE(closed) << closed.error().message();
    sound_ = read_file(file()).value();
  }

  [[nodiscard]] std::filesystem::path file() const {
    return dir_.path() / "rec" / "metrics" / "fs1-20110509T060000Z.lgd";
  }
  /// Replaces the content of the file.
  void overwrite(const std::string& bytes) const { write_bytes(file(), bytes); }

  TempDir dir_;
  SampleTable table_;
  std::string sound_;  ///< The content of the undamaged file.
};

inline std::vector<std::string> file_names(const std::filesystem::path& recording) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(recording / "metrics")) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

#define ASSERT_OK(expression)                                          \
  do {                                                                 \
    const auto ok_result = (expression);                               \
    ASSERT_TRUE(ok_result.has_value()) << ok_result.error().message(); \
  } while (false)

}  // namespace laggard::archive::testing
