// Clocks of simulated production sites, whose truth says which ones were off when.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "cmd/diagnose.h"
#include "testing/lab_cli.h"

namespace laggard::lab {
namespace {

using Json = nlohmann::ordered_json;

/// Before a step by `by_s`, a simulated server's clock is behind by that much.
struct Off {
  WallTime until;
  double ahead = 0;
};
std::map<std::string, Off> truth_of(const std::string& folder) {
  std::map<std::string, Off> off;
  const Json truth = Json::parse(read_text(folder + "/truth.json"));
  for (const Json& step : truth["clock_steps"]) {
    off[step["server"]] = {parse_time(step["at"].get<std::string>()).value(), -step["by_s"].get<double>()};
  }
  return off;
}

/// Every clock that is reported as wrong was wrong at that time, and by about that much.
void expect_true(const Clocks& clocks, const std::map<std::string, Off>& truth) {
  for (const ClockSkew& skew : clocks.skewed) {
    ASSERT_TRUE(truth.contains(skew.host)) << skew.host << " is said to be off and never was";
    const Off& off = truth.at(skew.host);
    EXPECT_NEAR(to_seconds(skew.ahead), off.ahead, 8.5) << skew.host;
    EXPECT_LT(skew.from, off.until) << skew.host;
  }
}

TEST(SkewedSites, OnlyClocksThatWereOffAreSaidToBe) {
  for (const char* seed : {"1", "2", "3"}) {
    const Folder folder;
    const std::string day = folder / "day";
    const Said made = laggard_lab({"simulate", "--scale", "surveyor", "--seed", seed, "-o", day});
    ASSERT_EQ(made.status, cmd::kClean) << made.err;
    cmd::DiagnoseOptions options;
    options.analysis.recordings = {day};
    options.analysis.system = day + "/system.toml";
    options.quiet = true;
    const auto diagnosis = cmd::diagnose(options);
    ASSERT_TRUE(diagnosis) << diagnosis.error().message();
    expect_true(diagnosis->coverage.clocks, truth_of(day));
  }
}

}  // namespace
}  // namespace laggard::lab
