#include "collect/import/ceph/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "model/background_work.h"
#include "testing/import_fixture.h"

namespace laggard::collect {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using enum CephWork;

// Captured from Ceph 16.2.15 (Debian 12), four OSDs on one machine that scrubbed, recovered, trimmed and
// backfilled for real; the dumps are shortened to some placement groups, and the metadata was edited as four
// machines with a disk each would have it.
const std::string kCorpus = LAGGARD_SOURCE_DIR "/fuzz/corpus/";
const std::string kDumps = kCorpus + "ceph_work_fuzz/pg-dump-16.2.15";
const std::string kListings = kCorpus + "ceph_work_fuzz/pg-ls-16.2.15";

const OsdDisks kDisks{
    {0, {"node1", "sdb"}}, {1, {"node2", "sdb"}}, {2, {"node3", "sdb"}}, {3, {"node4", "sdb"}}};

class CephWorkImportTest : public FolderTest {
 protected:
  ImportResult import(const std::vector<std::filesystem::path>& files, const OsdDisks& osds) {
    auto result = import_ceph_work(files, osds, sink_, observer_);
    EXPECT_TRUE(result) << result.error().message();
    return result ? *result : ImportResult{};
  }
  std::string only_error(const std::string& text) {
    const ImportResult result = import({write("pgs", text)}, kDisks);
    EXPECT_THAT(result.errors, SizeIs(1));
    const std::string message = result.errors.empty() ? "" : result.errors.front().message();
    return message.substr(std::min(message.find("pgs:"), message.size()));
  }
  /// Levels of a disk in time order.
  std::vector<double> levels(const std::string& disk) {
    std::vector<double> out;
    for (const auto& [time, level] : sink_.series[disk + " ceph_work"]) out.push_back(level);
    return out;
  }

  MemorySink sink_;
  QuietObserver observer_;
};

constexpr double as_level(std::initializer_list<CephWork> works) {
  std::uint64_t level = 0;
  for (const CephWork work : works) level |= bit_of(work);
  return static_cast<double>(level);
}

TEST_F(CephWorkImportTest, DumpsSayWhichOsdsWork) {
  const auto result = import({kDumps}, kDisks);
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(observer_.notices, IsEmpty());
  EXPECT_EQ(result.values, 20U);
  EXPECT_EQ(result.hosts, 4U);
  // Idle, deep scrub of [3,1,0], recovery of [1,3,2] and [3,1,0], snapshot trimming of [1,3,2] and [3,1,0]
  // with recovery of [1,0,3], backfill from [0,1,2] to [3,1,0].
  const double trims = as_level({kSnapTrim, kRecovery});
  EXPECT_THAT(levels("node1/sdb"),
              ElementsAre(0, as_level({kDeepScrub}), as_level({kRecovery}), trims, as_level({kBackfill})));
  EXPECT_THAT(levels("node2/sdb"),
              ElementsAre(0, as_level({kDeepScrub}), as_level({kRecovery}), trims, as_level({kBackfill})));
  EXPECT_THAT(levels("node3/sdb"),
              ElementsAre(0, 0, as_level({kRecovery}), as_level({kSnapTrim}), as_level({kBackfill})));
  EXPECT_THAT(levels("node4/sdb"),
              ElementsAre(0, as_level({kDeepScrub}), as_level({kRecovery}), trims, as_level({kBackfill})));
  EXPECT_EQ(to_iso8601(*result.first), "2026-11-22T02:09:34.521429Z");
}

TEST_F(CephWorkImportTest, ListingsHaveTheirTimeBeforeThem) {
  const auto result = import({kListings}, kDisks);
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_EQ(result.values, 12U);
  EXPECT_EQ(to_iso8601(*result.first), "2026-11-22T02:10:08Z");
}

TEST_F(CephWorkImportTest, OsdsOfOneDiskWorkTogetherAndUnknownOnesAreSaid) {
  import({write("pgs",
                "2026-11-22T00:00:00Z\n"
                R"({"pg_ready":true,"pg_stats":[)"
                R"({"pgid":"1.0","state":"active+clean+scrubbing","up":[0,2],"acting":[0,2]},)"
                R"({"pgid":"1.1","state":"active+recovering","up":[1,2147483647],"acting":[1,-1]}]})")},
         {{0,
           { "a",
             "nvme0n1" }},
          { 1,
            { "a",
              "nvme0n1" } }});
  EXPECT_THAT(levels("a/nvme0n1"), ElementsAre(as_level({kScrub, kRecovery})));
  EXPECT_THAT(observer_.notices, ElementsAre("OSDs that worked, on no known disk, were left out: osd.2"));
}

TEST_F(CephWorkImportTest, AManagerThatHasJustBegunKnowsNothing) {
  const auto result =
      import({write("pgs", R"({"pg_ready":false,"pg_map":{"stamp":"2026-11-22T02:09:34.5+0000",
      "pg_stats":[]}})")},
             kDisks);
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_EQ(result.values, 0U);
  EXPECT_THAT(observer_.notices,
              ElementsAre(HasSubstr("not heard of all placement groups were left out: 1")));
}

TEST_F(CephWorkImportTest, SaysWhatIsWrongAndWhereAndKeepsWhatWasBefore) {
  EXPECT_EQ(only_error("2026-11-22T00:00:00Z\n{\"pg_stats\":[]}\n\n{\"pg_stats\":[\n"),
            "pgs:5: is no JSON from here on");
  EXPECT_EQ(sink_.values(), 4U);
  EXPECT_EQ(only_error("{\"nodes\":[]}"), "pgs:1: is neither `ceph pg dump` nor `ceph pg ls` with -f json");
  EXPECT_EQ(only_error("{\"pg_stats\":[]}"),
            "pgs:1: a listing does not say when: write a line with the time before it (date -u +%FT%TZ)");
  EXPECT_EQ(only_error("Error EACCES: access denied\n"),
            "pgs:1: is neither a time nor what `ceph pg dump -f json` prints");
  EXPECT_THAT(only_error(R"({"pg_map":{"stamp":"2019-11-22 02:09:34.521429","pg_stats":[]}})"),
              HasSubstr("is no time"));
  EXPECT_EQ(only_error(std::string(100, '[')), "pgs:1: is nested deeper than Ceph does");
  EXPECT_THAT(import({write("none", "")}, kDisks).errors, SizeIs(1));
}

TEST(CephPgStates, WaitingIsNoWork) {
  using enum CephWork;
  EXPECT_EQ(ceph_work_of("active+clean"), 0U);
  EXPECT_EQ(ceph_work_of("active+recovery_wait+undersized+degraded+remapped"), 0U);
  EXPECT_EQ(ceph_work_of("active+remapped+backfill_wait+forced_backfill"), 0U);
  EXPECT_EQ(ceph_work_of("active+clean+snaptrim_wait"), 0U);
  EXPECT_EQ(ceph_work_of("active+clean+scrubbing"), bit_of(kScrub));
  EXPECT_EQ(ceph_work_of("active+clean+scrubbing+deep+repair"), bit_of(kDeepScrub) | bit_of(kRepair));
  EXPECT_EQ(ceph_work_of("active+remapped+backfilling"), bit_of(kBackfill));
  EXPECT_EQ(ceph_work_of(""), 0U);
}

}  // namespace
}  // namespace laggard::collect
