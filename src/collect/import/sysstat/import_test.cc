#include "collect/import/sysstat/import.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "base/file.h"
#include "base/text.h"
#include "testing/import_fixture.h"

namespace laggard::collect {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

const fs::path kSamples = fs::path(LAGGARD_SOURCE_DIR) / "../shared/data/sysstat/tests";
const fs::path kTraces = fs::path(LAGGARD_SOURCE_DIR) / "../shared/traces";

bool sadf_is_here() {
  return std::system("sadf -V >/dev/null 2>&1") == 0;  // NOLINT(cert-env33-c)
}

class SysstatImportTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "sysstat-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    options_.scratch = folder_;
  }
  void TearDown() override { fs::remove_all(folder_); }

  ImportResult import(const std::vector<fs::path>& files) {
    auto result = import_sysstat(files, options_, sink_, observer_);
    EXPECT_TRUE(result) << result.error().message();
    return result ? *result : ImportResult{};
  }

  /// A replacement for sadf, given as the body of a shell script.
  void fake_sadf(const std::string& body) {
    const fs::path script = folder_ / "sadf";
    std::ofstream(script) << "#!/bin/sh\n" << body << "\n";
    fs::permissions(script, fs::perms::owner_all);
    options_.sadf = script;
  }
  fs::path sa_file(const std::string& name = "sa01") {
    std::ofstream(folder_ / name, std::ios::binary) << "\x96\xd5\x75\x21 and more";
    return folder_ / name;
  }
  std::string only_error(const fs::path& file) {
    const ImportResult result = import({file});
    EXPECT_THAT(result.errors, SizeIs(1)) << file;
    return result.errors.empty() ? "" : result.errors.front().message();
  }

  fs::path folder_;
  SysstatOptions options_;
  MemorySink sink_;
  QuietObserver observer_;
};

/// Rates of one device as sar prints them, from raw counters as sysstat defines them: differences over the
/// uptime, which our times keep.
class Rates {
 public:
  Rates(const MemorySink& sink, std::string device) : sink_(sink), device_(std::move(device)) {}

  [[nodiscard]] std::vector<std::int64_t> times(const std::string& counter) const {
    std::vector<std::int64_t> out;
    for (const auto& [t, value] : series(counter)) out.push_back(t);
    return out;
  }
  [[nodiscard]] double increase(const std::string& counter, std::int64_t from, std::int64_t to) const {
    const auto& values = series(counter);  // Discards are not in every version's files.
    return values.empty() ? 0 : values.at(to) - values.at(from);
  }
  [[nodiscard]] std::string rate(const std::string& counter, double unit, std::int64_t from,
                                 std::int64_t to) const {
    // In sysstat's order of operations, so that halves of the last digit are rounded the same way.
    const double hundredths = static_cast<double>(to - from) / 1e7;
    return fmt::format("{:.2f}", increase(counter, from, to) / hundredths * 100 / unit);
  }
  /// `part` for each I/O of the interval.
  [[nodiscard]] std::string per_io(double part, std::int64_t from, std::int64_t to) const {
    const double ios = increase("ios", from, to);
    return fmt::format("{:.2f}", ios == 0 ? 0 : part / ios);
  }
  [[nodiscard]] std::string await(std::int64_t from, std::int64_t to) const {
    return per_io(increase("rd_ms", from, to) + increase("wr_ms", from, to) + increase("dc_ms", from, to),
                  from, to);
  }
  /// Kilobytes per I/O.
  [[nodiscard]] std::string size(std::int64_t from, std::int64_t to) const {
    const double sectors = increase("rd_sectors", from, to) + increase("wr_sectors", from, to) +
                           increase("dc_sectors", from, to);
    return per_io(sectors / 2, from, to);
  }

 private:
  [[nodiscard]] const std::map<std::int64_t, double>& series(const std::string& counter) const {
    static const std::map<std::int64_t, double> kNone;
    const auto found = sink_.series.find(device_ + " " + counter);
    return found == sink_.series.end() ? kNone : found->second;
  }
  const MemorySink& sink_;
  std::string device_;
};

/// One line of sar's text: time or Average, then columns by the name in the section's header.
struct SarRow {
  std::string section;  ///< DEV, IFACE, or EIFACE for the errors of interfaces.
  std::string time;
  std::string device;
  std::map<std::string, std::string> columns;
};

/// The section that begins with such a header; empty when it is none that laggard imports.
std::string section_of(const std::vector<std::string>& words) {
  if (words[1] == "DEV") return "DEV";
  if (words[1] != "IFACE") return "";
  return words[2] == "rxpck/s" ? "IFACE" : "EIFACE";
}

std::vector<SarRow> read_sar(const std::string& text) {
  std::vector<SarRow> rows;
  std::vector<std::string> header;
  std::string section;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    std::vector<std::string> words{std::istream_iterator<std::string>(in), {}};
    if (words.empty()) section.clear();
    if (words.size() < 3 || words[0] == "Average:") continue;
    if (const std::string begun = section_of(words); !begun.empty()) {
      section = begun;
      header = words;
      continue;
    }
    if (section.empty() || header.size() != words.size()) continue;
    SarRow row{section, words[0], words[1], {}};
    for (std::size_t i = 2; i < words.size(); ++i) row.columns[header[i]] = words[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

/// An interval's values from laggard's counters, by the names of sar's columns.
std::map<std::string, std::string> our_columns(const std::string& section, const Rates& rates,
                                               std::int64_t from, std::int64_t to) {
  const auto rate = [&](const char* counter, double unit) { return rates.rate(counter, unit, from, to); };
  if (section == "DEV") {
    return {{"tps", rate("ios", 1)},           {"rkB/s", rate("rd_sectors", 2)},
            {"wkB/s", rate("wr_sectors", 2)},  {"dkB/s", rate("dc_sectors", 2)},
            {"areq-sz", rates.size(from, to)}, {"aqu-sz", rate("weighted_ms", 1000)},
            {"await", rates.await(from, to)},  {"%util", rate("io_ms", 10)}};
  }
  if (section == "IFACE") {
    return {{"rxpck/s", rate("rx_packets", 1)},
            {"txpck/s", rate("tx_packets", 1)},
            {"rxkB/s", rate("rx_bytes", 1024)},
            {"txkB/s", rate("tx_bytes", 1024)}};
  }
  return {{"rxerr/s", rate("rx_errors", 1)},
          {"txerr/s", rate("tx_errors", 1)},
          {"rxdrop/s", rate("rx_drop", 1)},
          {"txdrop/s", rate("tx_drop", 1)}};
}

/// A counter that each of a section's samples has.
std::string counter_of(const std::string& section) {
  if (section == "DEV") return "ios";
  return section == "IFACE" ? "rx_packets" : "rx_errors";
}

/// Compares every row of sar's text with our counters, and their number with ours. Says how many values of
/// each column were compared.
std::map<std::string, std::size_t> expect_equal_to_sar(const MemorySink& sink, const std::string& host,
                                                       const std::string& text) {
  std::map<std::pair<std::string, std::string>, std::size_t> seen;
  std::map<std::string, std::size_t> compared;
  for (const SarRow& row : read_sar(text)) {
    const Rates rates(sink, host + "/" + row.device);
    const std::vector<std::int64_t> times = rates.times(counter_of(row.section));
    const std::size_t k = ++seen[{row.section, row.device}];
    if (k >= times.size()) {
      ADD_FAILURE() << row.section << " " << row.device << " at " << row.time << " was not imported";
      continue;
    }
    for (const auto& [name, value] : our_columns(row.section, rates, times[k - 1], times[k])) {
      EXPECT_EQ(value, row.columns.at(name)) << row.device << " " << name << " at " << row.time;
      ++compared[name];
    }
  }
  for (const auto& [key, rows] : seen) {
    const auto& [section, device] = key;
    EXPECT_EQ(Rates(sink, host + "/" + device).times(counter_of(section)).size(), rows + 1)
        << section << " " << device << ": samples that sar does not have";
  }
  return compared;
}

TEST_F(SysstatImportTest, EveryValueIsSysstatsOwnExpectedOne) {
  if (!fs::exists(kSamples)) GTEST_SKIP() << "needs ../shared/data/sysstat";
  if (!sadf_is_here()) GTEST_SKIP() << "needs sadf (package sysstat)";
  // 10.3.1: Debian 12's sadf crashes in the conversion; ppc: it misreads the times, and so does sar, whose
  // expected rates of that file are all 0.00. Both are refused in the test of bad files.
  const std::set<std::string> unreadable{"data-10.3.1", "data-ppc-11.7.2"};
  options_.host = "h";
  std::map<std::string, std::size_t> compared;
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(kSamples)) {
    const std::string name = entry.path().filename();
    const auto expected = read_file(kSamples / ("expected." + name));
    if (!name.starts_with("data-") || unreadable.contains(name) || !expected || read_sar(*expected).empty()) {
      continue;
    }
    SCOPED_TRACE(name);
    sink_ = {};
    const ImportResult result = import({entry.path()});
    EXPECT_THAT(result.errors, IsEmpty());
    for (const auto& [column, count] : expect_equal_to_sar(sink_, "h", *expected)) compared[column] += count;
    ++files;
  }
  EXPECT_EQ(files, 4U);
  EXPECT_THAT(compared, AllOf(Contains(Pair("rkB/s", 38)), Contains(Pair("wkB/s", 38)),
                              Contains(Pair("await", 38)), Contains(Pair("rxkB/s", 20))));
}

TEST_F(SysstatImportTest, EveryBadFileGivesOneClearError) {
  if (!fs::exists(kSamples)) GTEST_SKIP() << "needs ../shared/data/sysstat";
  if (!sadf_is_here()) GTEST_SKIP() << "needs sadf (package sysstat)";
  const std::set<std::string> good{"data-9.1.6", "data-11.6.5", "data-12.0.0",
                                   "data-12.5.6-A_QUEUE_modified"};
  std::size_t bad = 0;
  for (const auto& entry : fs::directory_iterator(kSamples)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("data-") || good.contains(name)) continue;
    const std::string error = only_error(entry.path());
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    EXPECT_EQ(error.find(folder_.string()), std::string::npos) << "names a scratch file: " << error;
    EXPECT_THAT(error, HasSubstr(name + ": "));
    ++bad;
  }
  EXPECT_GE(bad, 25U);
  EXPECT_EQ(sink_.values(), 0U);
  EXPECT_THAT(only_error(kSamples / "data-ppc-11.7.2"), HasSubstr("a record of 2039-10-26T15:23:05Z"));
  EXPECT_THAT(only_error(kSamples / "data-9.1.5"), HasSubstr("Cannot convert the format of this file"));
  EXPECT_THAT(only_error(kSamples / "data-new.out"), HasSubstr("is no sysstat activity file"));
  EXPECT_THAT(only_error(kSamples / "data-trunc"), HasSubstr("End of system activity file unexpected"));
  EXPECT_TRUE(fs::is_empty(folder_)) << "scratch is left behind";
}

TEST_F(SysstatImportTest, ServersOfATraceAndTheInstalledSar) {
  const fs::path tar = kTraces / "ddw-disk-hog-s2" / "sysstat.tar.xz";
  if (!fs::exists(tar)) GTEST_SKIP() << "needs ../shared/traces";
  if (!sadf_is_here()) GTEST_SKIP() << "needs sadf (package sysstat)";
  const ImportResult result = import({tar});
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_EQ(result.sources, 9U);
  EXPECT_EQ(result.hosts, 9U);
  EXPECT_THAT(observer_.notices, IsEmpty());
  EXPECT_TRUE(sink_.series.contains("s9/loop29 ios"));
  EXPECT_THAT(sink_.described, Contains(::testing::Field(&DeviceInfo::device, "loop21")));
  // All nine recorded the same diskstats, but each its own interfaces.
  const std::string sar = (folder_ / "sar.txt").string();
  const std::string command = fmt::format(
      "cd '{0}' && tar xf '{1}' && for a in -d '-n DEV' '-n EDEV'; do LC_ALL=C TZ=UTC S_TIME_FORMAT=ISO sar "
      "$a -f "
      "\"$(find . -name s2.sa)\"; done > '{2}'",
      folder_.string(), fs::absolute(tar).string(), sar);
  ASSERT_EQ(std::system(command.c_str()), 0);  // NOLINT(cert-env33-c)
  const auto compared = expect_equal_to_sar(sink_, "s2", read_file(sar).value_or(""));
  EXPECT_GT(compared.at("await"), 500U);
  EXPECT_GT(compared.at("rxkB/s"), 150U);
}

constexpr const char* kHeader =
    "[ \"$1\" = -H ] && printf 'System activity data file: x (0x2175)\\nFile created by sar/sadc from "
    "sysstat version "
    "12.6.1\\nHost: Linux 6.1 (fs1) \\t11/20/26 \\t_x86_64_\\t(2 CPU)\\n11: [8c] A_DISK               "
    "Y:   1\\t(3,3,8)\\n' && exit 0\n";

std::string record(int uptime_cs, int ust, const std::string& rest, int type = 1) {
  return fmt::format(
      "# uptime_cs; {}; ust_time; {}; extra_next; 0; record_type; {}; HH:MM:SS; {:02}:{:02}:{:02}\n{}",
      uptime_cs, ust, type, ust / 3600 % 24, ust / 60 % 60, ust % 60, rest);
}
std::string disk(int ust, int before, int after, const std::string& tag = "",
                 const std::string& name = "sda") {
  return fmt::format("{}; major; 8; minor; 0; DEV{}; {}; tps; {}; {}; rkB/s; {}; {};\n", ust, tag, name,
                     before, after, before * 8, after * 8);
}
const std::string kOne = "# name; A_DISK; nr_curr; 1; nr_alloc; 1; nr_ini; 1\n";

/// Debian 12's `sadc -S DISK 1 4` on a machine of two busy processors; what is expected is what sadf's raw
/// lines say, in our units.
TEST_F(SysstatImportTest, ProcessorsMemoryAndPressureOfTheHost) {
  if (!sadf_is_here()) GTEST_SKIP() << "sysstat is not installed";
  EXPECT_THAT(import({fs::path(LAGGARD_SOURCE_DIR) / "src/collect/import/sysstat/fs1.sa.xz"}).errors,
              IsEmpty());
  const auto values = [&](const std::string& counter) {
    std::vector<double> out;
    for (const auto& [t, value] : sink_.series["fs1/host " + counter]) out.push_back(value);
    return out;
  };
  // Users' and lower priorities' ticks together: 1050622 + 1024214, and so on.
  EXPECT_THAT(values("cpu_user_ms"), ElementsAre(20748360, 20750090, 20751910, 20753750));
  EXPECT_THAT(values("cpu_system_ms"), ElementsAre(2947870, 2948150, 2948340, 2948500));
  EXPECT_THAT(values("cpu_irq_ms"), ElementsAre(212510, 212510, 212510, 212510));
  EXPECT_THAT(values("cpu_steal_ms"), ElementsAre(8930, 8930, 8930, 8930));
  EXPECT_THAT(values("cpu_iowait_ms"), SizeIs(4));
  EXPECT_THAT(values("cpu_idle_ms"), SizeIs(4));
  EXPECT_THAT(values("psi_cpu_us"), ElementsAre(6238982921, 6239972847, 6240950773, 6241901954));
  EXPECT_THAT(values("psi_io_us"), ElementsAre(1018928641, 1018928989, 1018930303, 1018930467));
  EXPECT_THAT(values("psi_io_full_us"), ElementsAre(551036881, 551036881, 551036881, 551036881));
  EXPECT_THAT(values("psi_memory_us"), ElementsAre(6636000, 6636000, 6636000, 6636000));
  EXPECT_THAT(values("psi_memory_full_us"), ElementsAre(6031537, 6031537, 6031537, 6031537));
  EXPECT_THAT(values("swap_out"), ElementsAre(4413, 4413, 4413, 4413));
  EXPECT_THAT(values("major_faults"), ElementsAre(15453, 15453, 15455, 15456));
  // sadf says what a gauge is, and not what it was at the sample before.
  EXPECT_THAT(values("mem_available_kb"), ElementsAre(22068140, 22044240, 22016824));
  EXPECT_THAT(values("procs_running"), ElementsAre(8, 7, 9));
  EXPECT_THAT(values("procs_blocked"), ElementsAre(0, 0, 0));
}

TEST_F(SysstatImportTest, SingleProcessorsArePassedOver) {
  fake_sadf(
      "case \"$*\" in -H*) echo 'File created by sar/sadc from sysstat version 12.6.1'\n"
      "echo 'Host: Linux 6.1.0 (fs1) \t11/20/26'\necho '01: [8b] A_CPU  Y: 3 \t(10,0,0)'\n"
      "echo '11: [8c] A_DISK  Y: 1 \t(3,3,8)'; exit;; *-u*) ;; *) exit;; esac\ncat <<'END'\n" +
      record(1000, 1000, "") +
      record(1100, 1001,
             "# name; A_CPU; nr_curr; 3; nr_alloc; 3; nr_ini; 3\n"
             "1001; CPU; -1; %usr; 30; 50; %guest; 1; 2; %idle; 5; 4;\n"
             "1001; CPU; 0; %usr; 10; 20; %guest; 1; 2; %idle; 5; 4;\n") +
      "END");
  EXPECT_THAT(import({sa_file()}).errors, IsEmpty());
  EXPECT_THAT(sink_.series["fs1/host cpu_user_ms"],
              ElementsAre(Pair(1000000 * kMs, 310), Pair(1001000 * kMs, 520)));
  EXPECT_THAT(sink_.series["fs1/host cpu_idle_ms"],
              ElementsAre(Pair(1000000 * kMs, 50), Pair(1001000 * kMs, 40)))
      << "the kernel says that idle time may go backwards";
}

TEST_F(SysstatImportTest, FirstSampleRestartsAndNewDevices) {
  fake_sadf(std::string(kHeader) + "cat <<'END'\n" + record(1000, 1000, "") +
            record(1101, 1001, kOne + disk(1001, 5, 7)) +
            record(1203, 1003, kOne + disk(1003, 0, 9, " [NEW]")) +
            record(0, 2000, "2000; LINUX-RESTART (2 CPU)\n", 2) + record(500, 2005, "") +
            record(600, 2006, kOne + disk(2006, 1, 2)) + "END");
  EXPECT_THAT(import({sa_file()}).errors, IsEmpty());
  EXPECT_THAT(sink_.series["fs1/sda ios"],
              ElementsAre(Pair(1000000 * kMs, 5), Pair(1001010 * kMs, 7), Pair(1002030 * kMs, 9),
                          Pair(2005000 * kMs, 1), Pair(2006000 * kMs, 2)));
  EXPECT_THAT(sink_.series["fs1/sda rd_sectors"], SizeIs(5));
  const auto& boots = sink_.boots["fs1/sda ios"];
  EXPECT_EQ(boots.begin()->second, "since 1970-01-01T00:16:00Z");
  EXPECT_EQ(boots.rbegin()->second, "since 1970-01-01T00:34:00Z");
}

TEST_F(SysstatImportTest, AClockThatWasSetBackBeginsAnew) {
  fake_sadf(std::string(kHeader) + "cat <<'END'\n" + record(1000, 5000, "") +
            record(1100, 5001, kOne + disk(5001, 5, 7)) + record(1200, 4902, kOne + disk(4902, 7, 9)) +
            record(1300, 4903, kOne + disk(4903, 9, 10)) + "END");
  EXPECT_THAT(import({sa_file()}).errors, IsEmpty());
  const auto& boots = sink_.boots["fs1/sda ios"];
  EXPECT_THAT(boots, SizeIs(4));
  EXPECT_THAT(boots.begin()->second, HasSubstr(" step 1"));
  EXPECT_EQ(boots.rbegin()->second.find("step"), std::string::npos);
}

TEST_F(SysstatImportTest, ASadfThatLiesIsCaught) {
  const std::string begin = std::string(kHeader) + "cat <<'END'\n" + record(1000, 1000, "") +
                            record(1100, 1001, kOne + disk(1001, 5, 7));
  const auto error = [&](const std::string& more) {
    fake_sadf(begin + more + "END");
    return only_error(sa_file());
  };
  EXPECT_THAT(error(record(1200, 1002, kOne + disk(1002, 6, 8))),
              HasSubstr("do not follow from the sample before"));
  EXPECT_THAT(error(record(1200, 1002, kOne)), HasSubstr("0 of the 1 devices"));
  EXPECT_THAT(error(record(1200, 1002, kOne + disk(1002, 7, 8) + disk(1002, 7, 8))),
              HasSubstr("two devices named sda"));
  EXPECT_THAT(error(record(1200, 1002, kOne + "1002; major; 8; minor; 0; DEV; sda; tps; 7; x;\n")),
              HasSubstr("no number after `tps`"));
  EXPECT_THAT(error("Segmentation fault\n"), HasSubstr("none of a device"));
  EXPECT_THAT(error("# uptime_cs; 1200; ust_time; 1002; extra_next; 0; record_type; 1; HH:MM:SS; 11:30:00\n"),
              HasSubstr("whose time of day is 11:30:00"));
  EXPECT_THAT(error("# uptime_cs; ; ust_time; 1002;\n"), HasSubstr("a record without a time"));
  EXPECT_EQ(sink_.series["fs1/sda ios"].size(), 3U) << "what came before a contradiction is kept";
}

TEST_F(SysstatImportTest, ASadfThatCrashesHangsOrIsNotThere) {
  fake_sadf("kill -SEGV $$");
  EXPECT_THAT(only_error(sa_file()), HasSubstr("sa01: sadf cannot read it: crashed (Segmentation fault)"));
  fake_sadf("echo 'Invalid system activity file: '\"$2\" >&2; exit 3");
  EXPECT_THAT(only_error(sa_file()),
              ::testing::EndsWith("sa01: sadf cannot read it: Invalid system activity file"));
  fake_sadf(std::string(kHeader) + "cat <<'END'\n" + record(1000, 1000, "") +
            record(1100, 1001, kOne + disk(1001, 5, 7)) + "END\nkill -ABRT $$");
  EXPECT_THAT(only_error(sa_file()), HasSubstr("could read only the beginning of it: crashed (Aborted)"));
  EXPECT_EQ(sink_.values(), 4U);

  fake_sadf("exec sleep 60");
  options_.patience = std::chrono::milliseconds(50);
  EXPECT_THAT(only_error(sa_file()), HasSubstr("said nothing for 50ms"));
  fake_sadf("exec sleep 60 >/dev/null 2>&1");
  EXPECT_THAT(only_error(sa_file()), HasSubstr("closed its output and did not end"));
  options_.sadf = folder_ / "none";
  EXPECT_THAT(import_sysstat(std::vector{sa_file()}, options_, sink_, observer_).error().message(),
              HasSubstr("is not installed"));
}

/// Whatever a child does instead of ending, it is killed, and one sentence says why.
TEST_F(SysstatImportTest, ASadfThatNeverStopsIsStopped) {
  const std::string sample = std::string(kHeader) + "cat <<'END'\n" + record(1000, 1000, "") +
                             record(1100, 1001, kOne + disk(1001, 5, 7)) + "END\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"exec yes 'Host: Linux 6.1 (fs1)'",
       "cannot read it: was stopped because it printed more than 1.05 MB"},
      {"exec tr '\\0' x </dev/zero", "cannot read it: was stopped because it printed more than 1.05 MB"},
      {"exec yes >&2", "cannot read it: was stopped because it complained without end"},
      {"trap '' TERM; while :; do echo x; sleep 0.05; done", "cannot read it: was stopped because it said"},
      {sample + "exec tr '\\0' x </dev/zero", "sadf prints what it never does: line 5 is longer than"},
      {sample + "exec yes '# more'",
       "could read only the beginning of it: was stopped because it printed more"},
      {sample + "while :; do echo '# more'; sleep 0.05; done",
       "could read only the beginning of it: was stopped"},
      {sample + "exec yes >&2", "was stopped because it complained without end"},
      {sample + "exec sleep 60 >&- 2>&-", "was stopped because it closed its output and did not end"}};
  options_.patience = std::chrono::milliseconds(400);
  for (const auto& [body, sentence] : cases) {
    fake_sadf(body);
    EXPECT_THAT(only_error(sa_file()), HasSubstr(sentence)) << body;
  }
}

/// Members are unpacked into files without a name: no other process can open or replace them, and none is
/// left.
TEST_F(SysstatImportTest, AMemberIsUnpackedWithoutAName) {
  const fs::path seen = folder_ / "seen";
  fake_sadf("[ -s /proc/self/fd/3 ] && ls -A " + (folder_ / "scratch").string() + " >" + seen.string() +
            "; kill -9 $PPID");
  sa_file("sa01");
  ASSERT_EQ(std::system(("cd " + folder_.string() + " && tar cf sa.tar sa01").c_str()), 0);  // NOLINT
  options_.scratch = folder_ / "scratch";
  fs::create_directory(options_.scratch);
  EXPECT_EXIT(
      {
        static_cast<void>(import_sysstat(std::vector{folder_ / "sa.tar"}, options_, sink_, observer_));
        std::_Exit(0);
      },
      ::testing::KilledBySignal(SIGKILL), "");
  EXPECT_TRUE(fs::exists(seen)) << "sadf was not asked";
  EXPECT_EQ(read_file(seen).value_or("?"), "") << "the member has a name";
  EXPECT_TRUE(fs::is_empty(options_.scratch));
}

/// A signal that kills us also kills our children, even those that ignore signals.
TEST_F(SysstatImportTest, SadfEndsWithUs) {
  const fs::path pid_file = folder_ / "pid";
  fake_sadf("trap '' TERM HUP INT; echo $$ >" + pid_file.string() + ".new; mv " + pid_file.string() +
            ".new " + pid_file.string() + "; kill -TERM $PPID; exec sleep 60");
  EXPECT_EXIT(
      {
        static_cast<void>(import_sysstat(std::vector{sa_file()}, options_, sink_, observer_));
        std::_Exit(0);
      },
      ::testing::KilledBySignal(SIGTERM), "");
  const auto pid = to_number<pid_t>(trim(read_file(pid_file).value_or("")));
  ASSERT_TRUE(pid);
  const auto alive = [&] {
    const std::string state = read_file(fmt::format("/proc/{}/stat", *pid)).value_or("");
    return state.find(") ") != std::string::npos && state.find(") Z") == std::string::npos;
  };
  for (int i = 0; i < 200 && alive(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(alive());
}

TEST_F(SysstatImportTest, APackedFileThatIsABombIsRefused) {
  const fs::path bomb = folder_ / "bomb";
  std::ofstream(bomb, std::ios::binary) << "\x96\xd5" << std::string(3U << 20U, '\0');
  const std::string pack = "cd " + folder_.string() +
                           " && gzip -k bomb && xz -k bomb && zstd -qk bomb && tar cf bomb.tar bomb && "
                           "bzip2 -c bomb.tar >bomb.tbz";
  ASSERT_EQ(std::system(pack.c_str()), 0);  // NOLINT(cert-env33-c)
  fake_sadf("echo sadf was asked >&2; exit 1");
  options_.unpack.always = 1U << 20U;
  for (const std::string name : {"bomb.gz", "bomb.xz", "bomb.zst", "bomb.tbz"}) {
    EXPECT_THAT(only_error(folder_ / name),
                AllOf(HasSubstr("unpacks to more than 1.05 MB"), HasSubstr("--max-unpacked")));
  }
  // The limit does not apply to a tar that is not compressed.
  EXPECT_THAT(only_error(folder_ / "bomb.tar"), HasSubstr("sadf was asked"));
  options_.unpack.most = 4U << 20U;
  EXPECT_THAT(only_error(folder_ / "bomb.xz"), HasSubstr("sadf was asked"));
  options_.unpack.most = 2U << 20U;
  EXPECT_THAT(only_error(folder_ / "bomb.xz"), HasSubstr("more than the 2.1 MB of --max-unpacked"));
}

TEST_F(SysstatImportTest, HostsAndDisksCanBeChosen) {
  fake_sadf(std::string(kHeader) + "cat <<'END'\n" + record(1000, 1000, "") +
            record(1900, 1010,
                   "# name; A_DISK; nr_curr; 2; nr_alloc; 1; nr_ini; 1\n" + disk(1001, 5, 7) +
                       disk(1001, 1, 2, "", "sdb")) +
            "END");
  options_.disks = {"sdb"};
  import({sa_file("oss3.sa")});
  EXPECT_THAT(sink_.series, SizeIs(2));
  EXPECT_TRUE(sink_.series.contains("oss3/sdb ios"));
  options_.host = "x";
  import({sa_file("oss3.sa")});
  EXPECT_TRUE(sink_.series.contains("x/sdb ios"));
  options_.host.clear();
  import({sa_file("sa01"), sa_file("sa02")});
  EXPECT_TRUE(sink_.series.contains("fs1/sdb ios"));
  EXPECT_THAT(observer_.notices, Contains(HasSubstr("both hold host fs1")));
}

}  // namespace
}  // namespace laggard::collect
