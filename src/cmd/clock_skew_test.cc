// Clocks of hosts, from recordings to what is said of them: real recordings of which one host's times are
// moved. (Simulated sites, whose truth says which clocks were off: lab/cmd/simulate_scale_test.cc.)
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cmd/diagnose.h"
#include "cmd/shifted_source.h"
#include "testing/cli.h"

namespace laggard::cmd {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using std::chrono::seconds;
using testing_support::Folder;
using testing_support::kExample;
using testing_support::laggard;
using testing_support::read_text;
using testing_support::Said;

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
