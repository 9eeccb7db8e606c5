#include "collect/procfs/target_sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/fake_machine.h"

namespace laggard::collect {
namespace {

using testing::ElementsAre;
using testing::IsNull;
using testing::NotNull;
using testing::SizeIs;
using enum TargetCounter;

// In the forms of Lustre 2.10 and 2.15 and of ZFS 0.8 and 2.1; numbers our own.
constexpr const char* kStats210 =
    "snapshot_time             1510782606.789180921 secs.nsecs\n"
    "write_bytes               40 samples [bytes] 4096 4194304 1048576\n"
    "statfs                    124430 samples [reqs]\n";
constexpr const char* kStats215 =
    "snapshot_time             1704924117.040584137 secs.nsecs\n"
    "start_time                1704403917.045921397 secs.nsecs\n"
    "read_bytes                10 samples [bytes] 1048576 1048576 10485760 100\n"
    "read                      10 samples [usecs] 966 411413 25999 100\n";
constexpr const char* kBrwStats =
    "snapshot_time:         1510782606.797216394 (secs.nsecs)\n\n"
    "                           read      |     write\n"
    "disk I/Os in flight    ios   % cum % |  ios         % cum %\n"
    "1:\t\t        23 100 100   | 40  95  95\n\n"
    "                           read      |     write\n"
    "I/O time (1/1000s)     ios   % cum % |  ios         % cum %\n"
    "1:\t\t         0   0   0   |   20  50  50\n"
    "8:\t\t         0   0   0   |   10  25  75\n"
    "1K:\t\t         0   0   0   |   10  25 100\n\n"
    "                           read      |     write\n"
    "disk I/O size          ios   % cum % |  ios         % cum %\n"
    "4K:\t\t         0   0   0   |   40 100 100\n";
constexpr const char* kPoolIo =
    "12 3 0x00 1 80 843230000 1234560000\n"
    "nread    nwritten reads    writes   wtime    wlentime wupdate  rtime    rlentime rupdate  wcnt     "
    "rcnt\n"
    "5120 10240 5 6 0 3000000 0 7000000 4000000 0 1 2\n";

TEST(TargetStats, OstStatsOfBothKinds) {
  const TargetCounters old = read_ost_stats(kStats210);
  EXPECT_EQ(old.at(kReads), 0U) << "no line yet: no read yet";
  EXPECT_TRUE(old.has(kReads));
  EXPECT_EQ(old.at(kWrites), 40U);
  EXPECT_EQ(old.at(kWriteSectors), 2048U);
  EXPECT_FALSE(old.has(kWriteMs));
  const TargetCounters now = read_ost_stats(kStats215);
  EXPECT_EQ(now.at(kReadSectors), 20480U);
  EXPECT_EQ(now.at(kReadMs), 25U);
  EXPECT_TRUE(now.has(kWriteMs));
  EXPECT_EQ(read_ost_stats("x 1 samples [bytes] 1 1 1\n").present, 0U);
}

TEST(TargetStats, HistogramsOfTimesStandInForSums) {
  TargetCounters counters = read_ost_stats(kStats210);
  add_brw_times(kBrwStats, counters);
  // 20 x 0.5 ms + 10 x 6 ms + 10 x 768 ms.
  EXPECT_EQ(counters.at(kWriteMs), 10U + 60 + 7680);
  EXPECT_EQ(counters.at(kReadMs), 0U);
}

TEST(TargetStats, AHistogramThatMissesMostTransfersIsNotUsed) {
  TargetCounters counters = read_ost_stats(kStats210);
  counters.set(kWrites, 81);
  add_brw_times(kBrwStats, counters);
  EXPECT_FALSE(counters.has(kWriteMs));
}

// Lustre 2.15 in form; numbers our own.
constexpr const char* kMdStats =
    "snapshot_time             1704924117.040584137 secs.nsecs\n"
    "start_time                1704403917.045921397 secs.nsecs\n"
    "open                      4 samples [usecs] 100 9000 12000 1\n"
    "getattr                   6 samples [usecs] 10 900 3500 1\n"
    "unlink                    2 samples [usecs] 10 9000 9999 1\n"
    "rename                    3 samples [usecs] 10 900 1001 1\n"
    "samedir_rename            3 samples [usecs] 10 900 1001 1\n"
    "read_bytes                9 samples [bytes] 4096 4096 36864 1\n";

TEST(TargetStats, OperationsOfAnMdt) {
  const TargetCounters timed = read_mdt_stats(kMdStats);
  EXPECT_EQ(timed.at(kReads), 10U);
  EXPECT_EQ(timed.at(kWrites), 5U) << "a rename within a folder is one rename";
  EXPECT_EQ(timed.at(kReadMs), 15U);
  EXPECT_EQ(timed.at(kWriteMs), 11U);
  EXPECT_EQ(timed.at(kOpen), 4U);
  EXPECT_EQ(timed.at(kUnlink), 2U);
  EXPECT_TRUE(timed.has(kSetXattr)) << "no line yet: none yet";
  EXPECT_FALSE(timed.has(kReadSectors));
  const TargetCounters old = read_mdt_stats(
      "snapshot_time             1510781853.009826353 secs.nsecs\n"
      "open                      10 samples [reqs]\nmknod                     1 samples [reqs]\n");
  EXPECT_EQ(old.at(kReads), 10U);
  EXPECT_EQ(old.at(kMkNod), 1U);
  EXPECT_FALSE(old.has(kReadMs));
  EXPECT_EQ(read_mdt_stats("open 10 samples [reqs]\n").present, 0U);
}

TEST(TargetStats, PoolsOfZfs) {
  const TargetCounters io = read_pool_io(kPoolIo);
  EXPECT_EQ(io.at(kReadSectors), 10U);
  EXPECT_EQ(io.at(kWrites), 6U);
  EXPECT_EQ(io.at(kWeightedMs), 7U);
  EXPECT_EQ(io.at(kBusyMs), 7U);
  EXPECT_EQ(io.at(kInFlight), 3U);
  EXPECT_FALSE(io.has(kReadMs));
  EXPECT_EQ(read_pool_io("a\nnread nwritten\n1 2 3\n").present, 0U);
  TargetCounters sum;
  const char* const objset =
      "30 1 0x01 7 2160 5214787391 73405258558961\nname type data\ndataset_name 7 tank/a\n"
      "writes 4 3\nnwritten 4 2048\nreads 4 2\nnread 4 1024\nnunlinks 4 0\n";
  EXPECT_TRUE(add_pool_objset(objset, sum));
  EXPECT_TRUE(add_pool_objset(objset, sum));
  EXPECT_EQ(sum.at(kWrites), 6U);
  EXPECT_EQ(sum.at(kReadSectors), 4U);
  EXPECT_FALSE(add_pool_objset("writes 4 3\n", sum));
}

class TargetSamplerTest : public testing::Test {
 protected:
  std::unique_ptr<TargetSampler> open(std::vector<std::string> globs = {}) {
    return TargetSampler::open(machine_.path(), "oss1", std::move(globs), notices_);
  }
  std::vector<std::string> devices_after_sampling(TargetSampler& sampler) {
    sampler.sample(clock_);
    return sampler.batch().take("boot").devices();
  }

  FakeRoot machine_;
  FakeClock clock_;
  std::vector<std::string> said_;
  Notices notices_{[this](const std::string& sentence) { said_.push_back(sentence); }};
};

TEST_F(TargetSamplerTest, NothingWithoutLustreAndZfs) { EXPECT_THAT(open(), IsNull()); }

TEST_F(TargetSamplerTest, RecordsOstsAndPools) {
  machine_.write("proc/fs/lustre/obdfilter/l-OST0001/stats", kStats210);
  machine_.write("proc/fs/lustre/osd-ldiskfs/l-OST0001/brw_stats", kBrwStats);
  machine_.write("sys/kernel/debug/lustre/obdfilter/l-OST0002/stats", kStats215);
  machine_.write("proc/spl/kstat/zfs/tank/io", kPoolIo);
  machine_.write("proc/spl/kstat/zfs/vdev_mirror_stats", "x\n");
  const auto sampler = open();
  ASSERT_THAT(sampler, NotNull());
  sampler->sample(clock_);
  EXPECT_EQ(sampler->devices(), 3U);
  const SampleTable table = sampler->batch().take("boot");
  EXPECT_THAT(table.devices(), ElementsAre("l-OST0001", "l-OST0002", "zfs:tank"));
  EXPECT_FALSE(table.counter_index("md_open")) << "no MDT";
  const std::vector<DeviceInfo> facts = sampler->take_facts();
  ASSERT_THAT(facts, SizeIs(3));
  EXPECT_EQ(facts[0].facts.front(), std::pair(std::string("view"), std::string("lustre")));
  EXPECT_EQ(facts[2].facts.front(), std::pair(std::string("view"), std::string("zfs")));
  sampler->sample(clock_);
  EXPECT_THAT(sampler->take_facts(), SizeIs(0)) << "told once";
}

TEST_F(TargetSamplerTest, MdtsAreViewsOfTheirOwn) {
  machine_.write("sys/kernel/debug/lustre/mdt/l-MDT0000/md_stats", kMdStats);
  const auto sampler = open();
  ASSERT_THAT(sampler, NotNull());
  sampler->sample(clock_);
  const SampleTable table = sampler->batch().take("boot");
  EXPECT_THAT(table.devices(), ElementsAre("l-MDT0000"));
  EXPECT_TRUE(table.counter_index("md_sync"));
  EXPECT_FALSE(table.integer(1, 0, 0)) << "an operation has no sectors";
  const std::vector<DeviceInfo> facts = sampler->take_facts();
  ASSERT_THAT(facts, SizeIs(1));
  EXPECT_EQ(facts[0].facts.front(), std::pair(std::string("view"), std::string("mdt")));
}

TEST_F(TargetSamplerTest, TargetsComeAndGo) {
  machine_.write("proc/fs/lustre/obdfilter/l-OST0001/stats", kStats210);
  machine_.write("proc/fs/lustre/obdfilter/l-OST0002/stats", kStats210);
  const auto sampler = open({"l-OST*"});
  EXPECT_THAT(devices_after_sampling(*sampler), SizeIs(2));
  machine_.remove("proc/fs/lustre/obdfilter/l-OST0001");
  machine_.write("proc/fs/lustre/obdfilter/l-OST0003/stats", kStats210);
  EXPECT_THAT(devices_after_sampling(*sampler), ElementsAre("l-OST0002"));
  clock_.advance(std::chrono::seconds(11));
  EXPECT_THAT(devices_after_sampling(*sampler), ElementsAre("l-OST0002", "l-OST0003"));
  EXPECT_THAT(said_, SizeIs(0));
}

TEST_F(TargetSamplerTest, ReadsACapturedMachine) {
  const laggard::testing_support::LustreTree tree;
  if (!tree.is_there()) GTEST_SKIP() << tree.kArchive << " is not there";
  const auto sampler = TargetSampler::open(tree.path(), "oss1", {}, notices_);
  ASSERT_THAT(sampler, NotNull());
  sampler->sample(clock_);
  const SampleTable table = sampler->batch().take("boot");
  EXPECT_THAT(table.devices(), ElementsAre("lustrefs-OST0000", "lustrefs-OST0002", "lustrefs-OST0004",
                                           "lustrefs-OST0006", "lustrefs-MDT0000"));
  const auto setattr = table.counter_index("md_setattr");
  ASSERT_TRUE(setattr);
  EXPECT_EQ(table.integer(*setattr, 4, 0), 57U);
  EXPECT_FALSE(table.integer(*setattr, 0, 0).has_value()) << "an OST has none";
  EXPECT_EQ(table.integer(0, 4, 0), 38U) << "rd_ios: open, close, getattr, getxattr, statfs";
  EXPECT_EQ(table.integer(3, 4, 0), 58U) << "wr_ios: mknod, setattr";
  EXPECT_EQ(table.integer(3, 0, 0), 4298711U) << "wr_ios of the first";
  EXPECT_FALSE(table.integer(5, 0, 0).has_value()) << "no times: its histogram misses most transfers";
  EXPECT_THAT(said_, SizeIs(0));
}

}  // namespace
}  // namespace laggard::collect
