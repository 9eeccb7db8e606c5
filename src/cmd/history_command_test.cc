#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
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

/// What jobs have asked an MDT for: a sample every ten seconds, so many requests in each step.
std::string jobs_of_an_hour() {
  std::string table = "time,host,kind,device,counter,value\n";
  std::map<std::string, std::uint64_t> sums;
  const auto add = [&](int second, const std::string& job, std::uint64_t more) {
    sums[job] += more;
    table += fmt::format("{},mds1,job,l-MDT0000/{},md_open,{}\n", 1795202490 + second, job, sums[job]);
  };
  for (int second = 0; second <= 3600; second += 10) {
    // 2,000 a second for 50 s, 900 for long, and 10,000 a second twice with a sample of a pause.
    add(second, "cp.1", second > 100 && second <= 150 ? 20'000 : 10);
    add(second, "tar/2", 9000);
    const bool works = (second > 1000 && second <= 1200) || (second > 1210 && second <= 1230);
    add(second, "find.3", works ? 100'000 : 0);
    // From another count on after it was forgotten, and one that nobody saw begin.
    if (second == 2000) sums["rm.4"] = 0;
    if (second < 1500 || second >= 2000) add(second, "rm.4", second == 2000 ? 1'000'000 : 0);
  }
  return table;
}

TEST(History, HeavyMetadataWorkIsCountedByJob) {
  const Folder folder;
  const std::string rec = folder / "rec";
  ASSERT_EQ(laggard({"import", "csv", folder.write("jobs.csv", jobs_of_an_hour()), "--out", rec}).status,
            kClean);
  const auto said = laggard({"history", rec, "--json", "-"});
  ASSERT_EQ(said.status, kClean) << said.err;
  const auto work = nlohmann::json::parse(said.out)["heavy_work"];
  EXPECT_EQ(work["from_per_second"], 1000);
  EXPECT_EQ(work["jobs"], 4);
  EXPECT_EQ(work["stretches"], 3);
  EXPECT_EQ(work["median_s"], 50);
  EXPECT_EQ(work["longest_s"], 200);
  ASSERT_EQ(work["most"].size(), 3U);
  EXPECT_EQ(work["most"][0]["job"], "find.3");
  EXPECT_EQ(work["most"][0]["target"], "l-MDT0000");
  EXPECT_EQ(work["most"][0]["host"], "mds1");
  EXPECT_EQ(work["most"][0]["requests"], 2'000'000);
  EXPECT_EQ(work["most"][1]["requests"], 200'000);
  EXPECT_EQ(work["most"][2]["job"], "cp.1");
  EXPECT_EQ(work["most"][2]["requests"], 100'000);
  const auto lower = laggard({"history", rec, "--heavy", "900", "--json", "-"});
  const auto more = nlohmann::json::parse(lower.out)["heavy_work"];
  EXPECT_EQ(more["stretches"], 4);
  EXPECT_EQ(more["longest_s"], 3600);
  EXPECT_EQ(more["most"][0]["job"], "tar/2");
  const auto text = laggard({"history", rec});
  EXPECT_THAT(text.out, HasSubstr("Metadata work of 4 jobs from 1k requests/s on, 3 times"));
  EXPECT_THAT(laggard({"history", rec, "--heavy", "0"}).err, HasSubstr("--heavy"));
}

}  // namespace
}  // namespace laggard::cmd
