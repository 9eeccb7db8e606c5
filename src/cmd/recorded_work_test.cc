// Work that md arrays and Ceph's OSDs did by themselves explains what it made slow, in a finished recording
// and while it is watched. The recordings are constructed.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>

#include "base/state_codec.h"
#include "cmd/diagnose.h"
#include "cmd/watch.h"
#include "testing/cli.h"
#include "testing/replay.h"

namespace laggard::cmd {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using testing_support::Folder;
using testing_support::laggard;
using testing_support::Said;

constexpr int kSlowFrom = 120;
constexpr int kSlowTo = 280;

constexpr int kStart = 1'700'000'000;

/// Six servers with a disk each; that of s3 is slower for a while.
struct Slow {
  int from = kSlowFrom;
  int to = kSlowTo;
  int length = 400;  ///< The incident is still open then.
  int times = 4;
};

/// As arrays they say what they are busy with: that of s3 with `action` from `from` to `to`.
std::string samples(const std::string& disk, int action, int from, int to, const Slow& slow = {}) {
  std::string csv = "time,host,kind,device,counter,value\n";
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (int server = 1; server <= 6; ++server) {
    double requests = 0;
    double waited = 0;
    for (int t = 0; t < slow.length; ++t) {
      const double more = std::round(100 * std::exp(0.1 * normal(random)));
      const bool is_slow = server == 3 && t >= slow.from && t < slow.to;
      requests += more;
      waited += std::round(more * 12 * std::exp(0.1 * normal(random)) * (is_slow ? slow.times : 1));
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

/// Placement groups that `ceph pg dump` shows every 20 s in [from, to) and that move between these OSDs while
/// the disk is slow.
std::string dumps(const std::string& acting, const std::string& up, int from, int to, const Slow& slow = {}) {
  std::string pgs;
  for (int t = from; t < to; t += 20) {
    const bool moves = t >= slow.from && t < slow.to;
    pgs += fmt::format("{}\n", kStart + t) + R"({"pg_ready":true,"pg_stats":[{"pgid":"1.0","state":")" +
           (moves ? "active+remapped+backfilling" : "active+clean") + R"(","up":)" + up + R"(,"acting":)" +
           acting + "}]}\n";
  }
  return pgs;
}

/// Of which osd.N is on sN.
std::string osds() {
  std::string osds;
  for (int osd = 1; osd <= 6; ++osd) {
    osds += fmt::format(R"({}{{"id":{},"hostname":"s{}","devices":"sdb"}})", osd == 1 ? "[" : ",", osd, osd);
  }
  return osds + "]";
}

/// The only incident, where `ceph pg dump` was saved every 20 s.
nlohmann::ordered_json ceph_incident(const std::string& acting, const std::string& up) {
  const Folder folder;
  const std::string csv = folder.write("samples.csv", samples("sdb", 0, 0, 0));
  EXPECT_EQ(laggard({"import", "csv", csv, "--out", folder / "rec"}).status, kClean);
  const Said imported = laggard({"import", "ceph", folder.write("pgs", dumps(acting, up, 0, 400)), "--osds",
                                 folder.write("osds", osds()), "--out", folder / "rec"});
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

/// A watch over a recording that grows, killed and started again now and then when it is asked for.
class WatchedWork : public ::testing::Test {
 protected:
  static constexpr Slow kSlow{.from = 400, .to = 1000, .length = 1300};

  /// An array that is slow from 400 to 1000 s does `action` from `from` to `to`.
  void record(int action, int from, int to, int times = 4) {
    Slow slow = kSlow;
    slow.times = times;
    import("csv", samples("md0", action, from, to, slow), folder_ / "whole");
  }
  void import(const std::string& source, const std::string& text, const std::string& recording) {
    std::vector<std::string> command{"import", source, folder_.write(source, text), "--out", recording};
    if (source == "ceph") command.insert(command.end(), {"--osds", folder_.write("osds", osds())});
    const Said imported = laggard(command);
    ASSERT_EQ(imported.status, kClean) << imported.err;
  }

  /// The changes by number; the same number always says the same.
  /// \param meanwhile  told up to how many seconds have been recorded.
  std::map<std::uint64_t, Change> watch(bool killed, const std::function<void(int)>& meanwhile = {}) {
    std::filesystem::remove_all(folder_ / "rec");
    std::mt19937_64 growth(3);
    std::mt19937_64 kills(8);
    told_.clear();
    archive::testing::Replay replay(folder_ / "whole", folder_ / "rec");
    auto watching = start();
    WatchState state;
    for (WallTime now = replay.first(); now < replay.last(); now += std::chrono::seconds(30)) {
      replay.record_all(now, std::chrono::seconds(5), growth);
      if (meanwhile) meanwhile(static_cast<int>(std::lround(to_seconds(now - replay.first()))));
      const auto polled = watching->poll();
      EXPECT_TRUE(polled) << polled.error().message();
      state = watching->state();
      if (!killed || kills() % 3 != 0) continue;
      watching = start();
      watching->restore(state);
    }
    for (const std::string& host : replay.hosts()) replay.record(host, replay.last() + Duration{1});
    replay.close();
    EXPECT_TRUE(watching->finish());
    return told_;
  }

  /// What has been told and is not over, and what the finished recording says: `explained` or not, and why.
  static std::map<std::string, std::string> verdict_of(const std::map<std::uint64_t, Change>& changes) {
    std::map<std::string, std::string> last;
    for (const auto& [number, change] : changes) {
      if (is_gone(change.kind)) {
        last.erase(change.incident.id);
      } else {
        last[change.incident.id] = change.incident.why;
      }
    }
    return last;
  }
  [[nodiscard]] std::map<std::string, std::string> verdict() const {
    std::map<std::string, std::string> told;
    auto diagnosis = diagnose(testing_support::quiet_diagnosis({folder_ / "whole"}));
    EXPECT_TRUE(diagnosis);
    EXPECT_EQ(diagnosis->incidents.size(), 1U);
    for (const Incident& incident : diagnosis->incidents) {
      if (incident.status != IncidentStatus::kExplained) told[incident.id] = incident.why;
    }
    return told;
  }
  static std::string kinds(const std::map<std::uint64_t, Change>& changes) {
    std::string kinds;
    for (const auto& [number, change] : changes) kinds += std::string(to_name(change.kind)) + " ";
    return kinds;
  }

  Folder folder_;
  std::vector<std::filesystem::path> watched_{folder_ / "rec"};

 private:
  std::unique_ptr<Watch> start() {
    return std::make_unique<Watch>(
        Watch::Options{.diagnose = testing_support::quiet_diagnosis(watched_)},
        WatchListener{.change =
                          [this](const Change& change) {
                            const auto [same, added] = told_.emplace(change.number, change);
                            EXPECT_EQ(save_state({"change"}, same->second), save_state({"change"}, change));
                            return Status{};
                          },
                      .note = [](const std::string&) {}});
  }

  std::map<std::uint64_t, Change> told_;
};

TEST_F(WatchedWork, WhatItMakesSlowIsNoNews) {
  record(1, kSlow.from, kSlow.to);
  EXPECT_THAT(verdict(), IsEmpty());
  EXPECT_EQ(kinds(watch(false)), "");
  EXPECT_EQ(kinds(watch(true)), "") << "a checkpoint knows what goes on, and since when";
}

TEST_F(WatchedWork, WhatOutlastsItIsToldThen) {
  record(4, kSlow.from, kSlow.from + 200);
  const auto told = watch(false);
  EXPECT_EQ(verdict_of(told), verdict());
  ASSERT_THAT(kinds(told), StartsWith("opened "));
  EXPECT_GT(told.at(1).at, from_unix_ns(0) + std::chrono::seconds(kStart + kSlow.from + 200));
  EXPECT_EQ(verdict_of(watch(true)), verdict());
  EXPECT_EQ(kinds(watch(true)), kinds(told));
}

/// What is so slow is told within half a minute: sooner than a window of it has been seen.
TEST_F(WatchedWork, WhatItMakesVerySlowIsNoNewsEither) {
  record(1, kSlow.from, kSlow.to, 20);
  EXPECT_THAT(verdict(), IsEmpty());
  EXPECT_EQ(kinds(watch(false)), "");
}

/// Dumps are saved and imported from time to time: what they say comes when its time has been judged.
TEST_F(WatchedWork, WhatIsImportedLaterExplainsAllTheSame) {
  import("csv", samples("sdb", 0, 0, 0, kSlow), folder_ / "whole");
  watched_.emplace_back(folder_ / "work");  // Nobody else writes to what is being recorded.
  const auto import_late = [&](int now) {
    if (now == 0) std::filesystem::remove_all(watched_[1]);
    if (now % 240 == 120) import("ceph", dumps("[1,2]", "[1,3]", now - 240, now, kSlow), watched_[1]);
  };
  const auto told = watch(false, import_late);
  EXPECT_EQ(kinds(told), "opened explained ");
  EXPECT_THAT(told.at(2).incident.why, HasSubstr("; expected: sdb: Ceph backfill from 2023-11-14T22:20:00Z"));
  EXPECT_EQ(kinds(watch(true, import_late)), "opened explained ");
  import("ceph", dumps("[1,2]", "[1,3]", 0, kSlow.length, kSlow), folder_ / "whole");
  EXPECT_EQ(verdict_of(told), verdict());
}

}  // namespace
}  // namespace laggard::cmd
