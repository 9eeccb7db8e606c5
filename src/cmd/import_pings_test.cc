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
using testing_support::laggard;

/// Ten minutes of probes by two clients of four targets, of which ost3 answers nobody from minute five on.
std::string probes() {
  std::string text = "time,client,target,operation,latency_ms\n";
  for (int second = 0; second < 600; second += 10) {
    for (const char* client : {"c1", "c2"}) {
      for (int target = 1; target <= 4; ++target) {
        const bool hangs = target == 3 && second >= 300;
        text += fmt::format("{},{},ost{},WrEx,{}\n", 1795202494 + second, client, target, hangs ? "" : "12");
      }
    }
  }
  return text;
}

TEST(ImportPings, WhatAnotherProgramProbedIsJudged) {
  const Folder folder;
  const std::string rec = folder / "rec";
  const std::string table = folder.write("probes.csv", probes());
  const auto said = laggard({"import", "pings", table, "--out", rec});
  EXPECT_EQ(said.status, kClean) << said.err;
  EXPECT_THAT(said.out, HasSubstr(": 480 new probes, 2026-11-20T19:21:34Z to 2026-11-20T19:31:24Z"));
  EXPECT_THAT(laggard({"import", "pings", table, "--out", rec}).out,
              HasSubstr(": 0 new probes (480 already there)"));
  const auto verdict = laggard({"diagnose", rec, "--json", "-"});
  const auto incidents = nlohmann::json::parse(verdict.out)["incidents"];
  ASSERT_EQ(incidents.size(), 1U) << verdict.err;
  EXPECT_EQ(incidents[0]["blame"]["name"], "ost3");
  EXPECT_EQ(incidents[0]["state"], "confirmed");
}

TEST(ImportPings, AnExportIsTheSameRecordingAgain) {
  const Folder folder;
  const std::string first = folder / "first";
  const std::string second = folder / "second";
  ASSERT_EQ(laggard({"import", "pings", folder.write("a.csv", probes()), "--out", first}).status, kClean);
  const std::string exported = laggard({"export", first, "--events", "ping"}).out;
  ASSERT_EQ(laggard({"import", "pings", folder.write("b.csv", exported), "--out", second}).status, kClean);
  EXPECT_EQ(laggard({"export", second, "--events", "ping"}).out, exported);
}

TEST(ImportPings, BadUseIsOneSentence) {
  const Folder folder;
  const std::string table = folder.write("a.csv", "time,client,target,latency_ms\n1,c1,a,1\n");
  EXPECT_THAT(laggard({"import", "pings", table, "--out", folder / "rec", "--slo", "soon"}).err,
              HasSubstr("--slo"));
  EXPECT_THAT(laggard({"import", "pings", table, "--out", folder / "rec", "--tz", "CET"}).err,
              HasSubstr("CET"));
  const auto none = laggard({"import", "pings", folder / "missing.csv", "--out", folder / "rec"});
  EXPECT_EQ(none.status, kBadUse);
  EXPECT_THAT(none.err, HasSubstr("missing.csv"));
}

}  // namespace
}  // namespace laggard::cmd
