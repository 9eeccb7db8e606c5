// Clocks that are off: what ShiftedSource moves, and, in real recordings of which one host's times are moved,
// what is said of clocks. (Simulated sites, whose truth says which ones were off:
// lab/cmd/simulate_scale_test.cc.)
#include "cmd/shifted_source.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cmd/diagnose.h"
#include "model/series_source.h"
#include "testing/cli.h"

namespace laggard::cmd {
namespace {

using std::chrono::seconds;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using testing_support::Folder;
using testing_support::kExample;
using testing_support::laggard;
using testing_support::read_text;
using testing_support::Said;

WallTime instant(std::int64_t second) { return from_unix_ns(second * 1'000'000'000); }

SampleTable table_of(const std::string& host, std::int64_t first, std::size_t samples) {
  std::vector<WallTime> times;
  for (std::size_t t = 0; t < samples; ++t) times.push_back(instant(first + static_cast<std::int64_t>(t)));
  SampleTable table(host, DeviceKind::kDisk,
                    {{"rd_ios", CounterForm::kCumulative}, {"wr_ios", CounterForm::kCumulative}},
                    {"sda", "sdb"}, times);
  table.set_boot("boot");
  for (std::size_t t = 0; t < samples; ++t) table.set(0, 0, t, 10 * static_cast<std::uint64_t>(first) + t);
  table.set_uniform(1, 1, 77);
  return table;
}

ClockSkew skew(const std::string& host, std::int64_t ahead, WallTime from = WallTime::min(),
               WallTime to = WallTime::max()) {
  ClockSkew skew;
  skew.host = host;
  skew.from = from;
  skew.to = to;
  skew.ahead = seconds(ahead);
  return skew;
}

std::vector<SampleTable> all_tables(SeriesSource& source) {
  std::vector<SampleTable> tables;
  const auto reader = source.read({}).value();
  for (auto table = reader->next().value(); table; table = reader->next().value()) {
    tables.push_back(std::move(*table));
  }
  return tables;
}

std::unique_ptr<MemorySource> source_of(const std::vector<SampleTable>& tables) {
  auto source = std::make_unique<MemorySource>();
  for (const SampleTable& table : tables) EXPECT_TRUE(source->append(table));
  return source;
}

TEST(ShiftedSource, MovesWhatTheHostStampedAndNothingElse) {
  ShiftedSource source(source_of({table_of("a", 100, 5), table_of("b", 100, 5)}), {skew("b", 30)});
  const auto tables = all_tables(source);
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[0].host(), "b") << "now the earlier one";
  SampleTable expected = table_of("b", 100, 5);
  EXPECT_EQ(tables[0].times().front(), instant(70));
  EXPECT_EQ(tables[0].times().back(), instant(74));
  EXPECT_EQ(tables[0].boot(), "boot");
  EXPECT_EQ(tables[0].integer(1, 1, 2), std::optional<std::uint64_t>(77));
  EXPECT_EQ(tables[0].integer(0, 0, 3), expected.integer(0, 0, 3));
  EXPECT_FALSE(tables[0].present(0, 1, 0)) << "missing stays missing";
  EXPECT_EQ(tables[1], table_of("a", 100, 5));
}

TEST(ShiftedSource, AStretchIsMovedByItself) {
  ShiftedSource source(source_of({table_of("a", 100, 6)}), {skew("a", -10, WallTime::min(), instant(102)),
                                                            skew("a", 3, instant(104), WallTime::max())});
  const auto tables = all_tables(source);
  ASSERT_EQ(tables.size(), 1U);
  const std::vector<WallTime> expected{instant(110), instant(111), instant(102),
                                       instant(103), instant(101), instant(102)};
  EXPECT_EQ(tables[0].times(), expected);
}

/// Whatever is moved where, tables come by first time, and those of one host in the order of recording.
RC_GTEST_PROP(ShiftedSource, KeepsTheOrderOfATableReader, ()) {
  std::vector<SampleTable> tables;
  std::vector<ClockSkew> skews;
  for (const char* host : {"a", "b", "c", "d"}) {
    std::int64_t first = *rc::gen::inRange<std::int64_t>(1000, 1020);
    const auto count = *rc::gen::inRange<std::size_t>(0, 12);
    for (std::size_t i = 0; i < count; ++i) {
      const auto samples = *rc::gen::inRange<std::size_t>(1, 20);
      tables.push_back(table_of(host, first, samples));
      first += static_cast<std::int64_t>(samples);
    }
    if (*rc::gen::inRange<int>(0, 2) == 1)
      skews.push_back(skew(host, *rc::gen::inRange<std::int64_t>(-90, 90)));
  }
  ShiftedSource source(source_of(tables), skews);
  const auto moved = all_tables(source);
  RC_ASSERT(moved.size() == tables.size());
  for (std::size_t i = 1; i < moved.size(); ++i) {
    RC_ASSERT(moved[i - 1].times().front() <= moved[i].times().front());
  }
  for (const char* host : {"a", "b", "c", "d"}) {
    std::vector<std::uint64_t> before;
    std::vector<std::uint64_t> after;
    for (const SampleTable& table : tables) {
      if (table.host() == host) before.push_back(table.bits(0, 0, 0));
    }
    for (const SampleTable& table : moved) {
      if (table.host() == host) after.push_back(table.bits(0, 0, 0));
    }
    RC_ASSERT(before == after);
  }
}

const fs::path kTraces = fs::path(LAGGARD_SOURCE_DIR) / "../shared/traces";

class SkewedTraces : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::is_directory(kTraces)) GTEST_SKIP() << "no recordings in " << kTraces;
    for (const auto& entry : fs::directory_iterator(kTraces)) {
      if (entry.is_directory()) names_.push_back(entry.path().filename());
    }
    std::ranges::sort(names_);
  }

  std::string recording(const std::string& name) const {
    const std::string out = folder_ / name;
    if (!fs::exists(out)) {
      const Said said = laggard({"import", "csv", kTraces / name / "samples.csv.xz", "--out", out});
      EXPECT_EQ(said.status, kClean) << said.err;
    }
    return out;
  }

  /// With the clock of `host` ahead by so much in what is read.
  Diagnosis diagnosis(const std::string& name, const std::string& host, seconds ahead,
                      bool correct = false) const {
    DiagnoseOptions options;
    options.analysis.recordings = {recording(name)};
    options.analysis.preset = "quick";
    options.correct_skew = correct;
    options.quiet = true;
    auto setup = prepare_diagnosis(options);
    EXPECT_TRUE(setup) << setup.error().message();
    ClockSkew back;
    back.host = host;
    back.from = WallTime::min();
    back.to = WallTime::max();
    back.ahead = -ahead;
    setup->source = std::make_unique<ShiftedSource>(std::move(setup->source), std::vector{back});
    auto diagnosis = diagnose(options, *setup);
    EXPECT_TRUE(diagnosis);
    return std::move(*diagnosis);
  }

  static std::vector<std::string> findings(const Diagnosis& diagnosis) {
    std::vector<std::string> found;
    for (const Incident& incident : diagnosis.incidents) {
      if (incident.status != IncidentStatus::kExplained)
        found.push_back(incident.blame.name + " " + incident.cause);
    }
    return found;
  }

  Folder folder_;
  std::vector<std::string> names_;
};

TEST_F(SkewedTraces, NobodysClockIsOffAsTheyWereRecorded) {
  std::size_t agree = 0;
  for (const std::string& name : names_) {
    const Clocks clocks = diagnosis(name, "", seconds(0)).coverage.clocks;
    EXPECT_TRUE(clocks.skewed.empty()) << name << ": " << clocks.skewed.front().host;
    EXPECT_EQ(clocks.agree + clocks.unknown.size(), 9U) << name;
    agree += clocks.agree;
  }
  EXPECT_GE(agree, 150U) << "of 198, most of them seen for a minute and a half";
}

TEST_F(SkewedTraces, AShiftedHostIsFoundWithSignAndSize) {
  for (const std::string& name : names_) {
    if (name.find("-L") == std::string::npos) continue;
    for (const int ahead : {-40, -3, 15}) {
      const Clocks clocks = diagnosis(name, "s4", seconds(ahead)).coverage.clocks;
      ASSERT_EQ(clocks.skewed.size(), 1U) << name << " " << ahead;
      EXPECT_EQ(clocks.skewed[0].host, "s4") << name;
      EXPECT_EQ(clocks.skewed[0].ahead, seconds(ahead)) << name;
    }
  }
}

TEST_F(SkewedTraces, ShortOnesAreNeverToldWrong) {
  for (const std::string& name : names_) {
    if (name.find("-L") != std::string::npos) continue;
    for (const int ahead : {-15, 3}) {
      for (const ClockSkew& skew : diagnosis(name, "s4", seconds(ahead)).coverage.clocks.skewed) {
        EXPECT_EQ(skew.host, "s4") << name;
        EXPECT_EQ(skew.ahead, seconds(ahead)) << name;
      }
    }
  }
}

TEST_F(SkewedTraces, CorrectedTheVerdictIsThatOfRightClocks) {
  const std::string name = "ddr-disk-busy-s2-L";
  const Diagnosis right = diagnosis(name, "s4", seconds(0));
  const Diagnosis corrected = diagnosis(name, "s4", seconds(-15), true);
  EXPECT_EQ(findings(corrected), findings(right));
  EXPECT_TRUE(corrected.coverage.clocks.corrected);
  ASSERT_EQ(corrected.coverage.clocks.skewed.size(), 1U) << "what was corrected is still said";
  EXPECT_EQ(corrected.coverage.clocks.skewed[0].ahead, seconds(-15));
  ASSERT_EQ(corrected.incidents.size(), right.incidents.size());
  for (std::size_t i = 0; i < right.incidents.size(); ++i) {
    EXPECT_EQ(corrected.incidents[i].why, right.incidents[i].why);
    EXPECT_EQ(corrected.incidents[i].since, right.incidents[i].since);
  }
}

/// The times of one host moved in what `laggard export` writes: time,host,kind,...
std::string with_moved(const std::string& exported, const std::string& host, double by_s) {
  std::istringstream lines(exported);
  std::ostringstream moved;
  for (std::string line; std::getline(lines, line);) {
    const auto comma = line.find(',');
    if (line.compare(comma + 1, host.size() + 1, host + ",") == 0)
      moved << std::fixed << std::setprecision(3) << std::stod(line) + by_s << line.substr(comma) << '\n';
    else
      moved << line << '\n';
  }
  return moved.str();
}

TEST(SkewedExample, TheCommandSaysAndCorrectsIt) {
  const Folder folder;
  const Said exported = laggard({"export", kExample});
  ASSERT_EQ(exported.status, kClean) << exported.err;
  const std::string csv = folder.write("moved.csv", with_moved(exported.out, "s4", 15));
  const std::string moved = folder / "moved";
  ASSERT_EQ(laggard({"import", "csv", csv, "--out", moved}).status, kClean);
  const auto diagnosed = [](std::vector<std::string> words) {
    words.insert(words.begin(), "diagnose");
    words.insert(words.end(), {"--json", "-"});
    const Said said = laggard(words);
    EXPECT_EQ(said.status, kClean) << said.err;
    return Json::parse(said.out);
  };
  const Json right = diagnosed({kExample});
  const Json off = diagnosed({moved});
  const Json corrected = diagnosed({moved, "--correct-skew"});

  EXPECT_TRUE(right["coverage"]["clocks"]["skewed"].empty());
  for (const Json& said : {off, corrected}) {
    const Json& skewed = said["coverage"]["clocks"]["skewed"];
    ASSERT_EQ(skewed.size(), 1U);
    EXPECT_EQ(skewed[0]["host"], "s4");
    EXPECT_EQ(skewed[0]["ahead_s"], 15);
  }
  EXPECT_FALSE(off["coverage"]["clocks"]["corrected"].get<bool>());
  EXPECT_TRUE(corrected["coverage"]["clocks"]["corrected"].get<bool>());
  EXPECT_NE(off["ranking"], right["ranking"]) << "the wrong clock is felt, or correcting it proves nothing";
  EXPECT_EQ(corrected["ranking"], right["ranking"]);
  EXPECT_EQ(corrected["incidents"], right["incidents"]);
}

}  // namespace
}  // namespace laggard::cmd
