// Work that md arrays and Ceph's OSDs did by themselves explains what it made slow. The recordings are
// constructed.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "testing/cli.h"

namespace laggard::cmd {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::Folder;
using testing_support::laggard;
using testing_support::Said;

constexpr int kSlowFrom = 120;
constexpr int kSlowTo = 280;

constexpr int kStart = 1'700'000'000;

/// Six servers with a disk each for 400 s, at whose end the incident is still open; that of s3 is four times
/// slower for a while. As arrays they say what they are busy with: that of s3 with `action` from `from` to
/// `to`.
std::string samples(const std::string& disk, int action, int from, int to) {
  std::string csv = "time,host,kind,device,counter,value\n";
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (int server = 1; server <= 6; ++server) {
    double requests = 0;
    double waited = 0;
    for (int t = 0; t < 400; ++t) {
      const double more = std::round(100 * std::exp(0.1 * normal(random)));
      const bool slow = server == 3 && t >= kSlowFrom && t < kSlowTo;
      requests += more;
      waited += std::round(more * 12 * std::exp(0.1 * normal(random)) * (slow ? 4 : 1));
      const int state = server == 3 && t >= from && t < to ? action : 0;
      const auto line = [&](const char* counter, double value) {
        csv += fmt::format("{},s{},disk,{},{},{:.0f}\n", kStart + t, server, disk, counter, value);
      };
      line("wr_ios", requests);
      line("wr_sectors", 64 * requests);
      line("wr_ms", waited);
      line("rd_ios", 0);
      line("rd_sectors", 0);
      line("rd_ms", 0);
      if (disk == "md0") line("sync_action", state);
    }
  }
  return csv;
}

nlohmann::ordered_json only_incident(const std::string& recording) {
  const Said said = laggard({"diagnose", recording, "--preset", "lab", "--json", "-"});
  EXPECT_EQ(said.status, kClean) << said.err;
  const auto diagnosis = nlohmann::ordered_json::parse(said.out);
  EXPECT_EQ(diagnosis["incidents"].size(), 1U);
  return diagnosis["incidents"].empty() ? nlohmann::ordered_json() : diagnosis["incidents"][0];
}

nlohmann::ordered_json first_incident(int action, int from, int to) {
  const Folder folder;
  const std::string csv = folder.write("samples.csv", samples("md0", action, from, to));
  const Said imported = laggard({"import", "csv", csv, "--out", folder / "rec"});
  EXPECT_EQ(imported.status, kClean) << imported.err;
  EXPECT_THAT(imported.err, Not(HasSubstr("not in the catalogue")));
  return only_incident(folder / "rec");
}

/// The only incident, where `ceph pg dump` was saved every 20 s: from kSlowFrom to kSlowTo a placement group
/// moves between these OSDs, of which osd.N is on sN.
nlohmann::ordered_json ceph_incident(const std::string& acting, const std::string& up) {
  const Folder folder;
  const std::string csv = folder.write("samples.csv", samples("sdb", 0, 0, 0));
  EXPECT_EQ(laggard({"import", "csv", csv, "--out", folder / "rec"}).status, kClean);
  std::string osds;
  for (int osd = 1; osd <= 6; ++osd) {
    osds += fmt::format(R"({}{{"id":{},"hostname":"s{}","devices":"sdb"}})", osd == 1 ? "[" : ",", osd, osd);
  }
  std::string pgs;
  for (int t = 0; t < 400; t += 20) {
    const bool moves = t >= kSlowFrom && t < kSlowTo;
    pgs += fmt::format("{}\n", kStart + t) + R"({"pg_ready":true,"pg_stats":[{"pgid":"1.0","state":")" +
           (moves ? "active+remapped+backfilling" : "active+clean") + R"(","up":)" + up + R"(,"acting":)" +
           acting + "}]}\n";
  }
  const Said imported = laggard({"import", "ceph", folder.write("pgs", pgs), "--osds",
                                 folder.write("osds", osds + "]"), "--out", folder / "rec"});
  EXPECT_EQ(imported.status, kClean) << imported.err;
  EXPECT_THAT(imported.out, HasSubstr("120 new samples"));
  return only_incident(folder / "rec");
}

TEST(RecordedWorkCommand, ACheckExplainsWhatItMakesSlow) {
  const auto incident = first_incident(1, kSlowFrom, kSlowTo);
  EXPECT_EQ(incident["status"], "explained");
  EXPECT_THAT(incident["why"].get<std::string>(),
              HasSubstr("; expected: md0: check from 2023-11-14T22:15:20Z"));
}

TEST(RecordedWorkCommand, WithoutOneItIsTrouble) {
  EXPECT_NE(first_incident(0, 0, 0)["status"], "explained");
}

TEST(RecordedWorkCommand, TroubleThatOutlastsTheWorkIsTrouble) {
  EXPECT_NE(first_incident(4, kSlowFrom, kSlowFrom + 20)["status"], "explained");
}

TEST(RecordedWorkCommand, AnOsdThatIsFilledIsSlow) {
  const auto incident = ceph_incident("[1,2]", "[1,3]");
  EXPECT_EQ(incident["status"], "explained");
  EXPECT_THAT(incident["why"].get<std::string>(),
              HasSubstr("; expected: sdb: Ceph backfill from 2023-11-14T22:15:20Z to 2023-11-14T22:18:00Z"));
}

TEST(RecordedWorkCommand, WhatOtherOsdsDoIsNoExcuse) {
  EXPECT_NE(ceph_incident("[1,2]", "[1,4]")["status"], "explained");
}

}  // namespace
}  // namespace laggard::cmd
