#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "testing/cli.h"

namespace laggard::cmd {
namespace {

using ::testing::HasSubstr;
using testing_support::Folder;
using testing_support::kExample;
using testing_support::laggard;
using testing_support::read_text;

TEST(History, SumsUpTheIncidentsOfARecording) {
  const Folder folder;
  const auto said =
      laggard({"history", kExample, "--json", folder / "history.json", "--html", folder / "page.html"});
  EXPECT_EQ(said.status, kClean) << said.err;
  EXPECT_THAT(said.out, HasSubstr("1 incident from 2026-11-20"));
  EXPECT_THAT(said.out, HasSubstr("disk-busy"));
  const auto json = nlohmann::json::parse(read_text(folder / "history.json"));
  EXPECT_EQ(json["incidents"], 1);
  EXPECT_EQ(json["causes"][0]["name"], "disk-busy");
  EXPECT_TRUE(json["probes"].empty());
  EXPECT_THAT(read_text(folder / "page.html"), HasSubstr("By cause"));
}

TEST(History, ProbesAreToldApartByWhetherTheirWayWasSick) {
  const Folder folder;
  std::string table = "time,client,target,operation,latency_ms\n";
  for (int second = 0; second < 900; second += 10) {
    for (const char* client : {"c1", "c2"}) {
      for (int target = 1; target <= 4; ++target) {
        const bool slow = target == 3 && second >= 300 && second < 600;
        table += fmt::format("{},{},ost{},WrEx,{}\n", 1795202494 + second, client, target, slow ? 4000 : 10);
      }
    }
  }
  const std::string rec = folder / "rec";
  ASSERT_EQ(laggard({"import", "pings", folder.write("a.csv", table), "--out", rec}).status, kClean);
  const auto said = laggard({"history", rec, "--json", "-"});
  const auto json = nlohmann::json::parse(said.out);
  ASSERT_EQ(json["incidents"], 1) << said.err;
  ASSERT_EQ(json["probes"].size(), 1U);
  const auto& probes = json["probes"][0];
  EXPECT_EQ(probes["operation"], "WrEx");
  EXPECT_NEAR(probes["sick"]["mean_ms"].get<double>(), 4000, 100);
  EXPECT_NEAR(probes["well"]["mean_ms"].get<double>(), 10, 1);
  EXPECT_EQ(probes["sick"]["done"].get<int>() + probes["well"]["done"].get<int>(), 90 * 2 * 4);
}

}  // namespace
}  // namespace laggard::cmd
