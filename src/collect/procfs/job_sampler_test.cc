#include "collect/procfs/job_sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "collect/procfs/proc_tables.h"
#include "testing/fake_machine.h"

namespace laggard::collect {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsNull;
using testing::NotNull;
using testing::SizeIs;
using enum TargetCounter;

// In the forms of Lustre 2.10 and 2.15; numbers our own.
constexpr const char* kOld =
    "job_stats:\n"
    "- job_id:          43\n"
    "  snapshot_time:   1510781837\n"
    "  open:            { samples:           7, unit:  reqs }\n"
    "  close:           { samples:           6, unit:  reqs }\n"
    "  samedir_rename:  { samples:           9, unit:  reqs }\n";
constexpr const char* kNew =
    "job_stats:\n"
    "- job_id:          \"cp.1000\"\n"
    "  snapshot_time:   1704924117.040584137 secs.nsecs\n"
    "  start_time:      1704403917.045921397 secs.nsecs\n"
    "  open:            { samples:          12, unit: usecs, min:       10, max:      900, sum:     3500, "
    "sumsq: 1 }\n"
    "  rename:          { samples:           3, unit: usecs, min:        0, max:        0, sum:        0 }\n"
    "  write_bytes:     { samples:           5, unit: bytes, min:       10, max:       20, sum:       60 }\n"
    "- job_id:          tar@c7\n"
    "  mkdir:           { samples:           1, unit: usecs, min:        0, max:        0, sum:        0 }\n";

TEST(JobStats, OfBothKinds) {
  const std::vector<JobRequests> old = read_job_stats(kOld);
  ASSERT_THAT(old, SizeIs(1));
  EXPECT_EQ(old[0].job, "43");
  EXPECT_EQ(old[0].requests.at(kOpen), 7U);
  EXPECT_EQ(old[0].requests.at(kClose), 6U);
  EXPECT_FALSE(old[0].requests.has(kRename)) << "a rename within a folder is told as a rename, too";
  EXPECT_FALSE(old[0].requests.has(kReads)) << "no sums";
  const std::vector<JobRequests> now = read_job_stats(kNew);
  ASSERT_THAT(now, SizeIs(2));
  EXPECT_EQ(now[0].job, "cp.1000");
  EXPECT_EQ(now[0].requests.at(kOpen), 12U);
  EXPECT_EQ(now[0].requests.at(kRename), 3U);
  EXPECT_EQ(now[1].job, "tar@c7");
  EXPECT_EQ(now[1].requests.at(kMkDir), 1U);
}

TEST(JobStats, WhatIsNoneAndWhatIsTorn) {
  EXPECT_THAT(read_job_stats(""), IsEmpty());
  EXPECT_THAT(read_job_stats("job_stats:\n"), IsEmpty()) << "no job yet";
  EXPECT_THAT(read_job_stats("- job_id: 43\n  open: { samples: 7, unit: reqs }\n"), IsEmpty());
  EXPECT_THAT(read_job_stats("job_stats:\n  open: { samples: 7, unit: reqs }\n"), IsEmpty()) << "of no job";
  EXPECT_THAT(read_job_stats("job_stats:\n- job_id:\n  open: { samples: 7 }\n"), IsEmpty()) << "no name";
  EXPECT_THAT(read_job_stats("job_stats:\n- job_id: 43\n  open: { samples: -7 }\n"), IsEmpty());
  const std::string whole = kNew;
  for (std::size_t end = 0; end < whole.size(); ++end) {
    for (const JobRequests& job : read_job_stats(std::string_view(whole).substr(0, end)))
      EXPECT_NE(job.requests.present, 0U) << end;
  }
}

class JobSamplerTest : public testing::Test {
 protected:
  std::unique_ptr<JobSampler> open() { return JobSampler::open(machine_.path(), "mds1", notices_); }
  std::vector<std::string> jobs_after_sampling(JobSampler& sampler) {
    sampler.sample(clock_);
    return sampler.batch().take("boot").devices();
  }

  FakeRoot machine_;
  FakeClock clock_;
  std::vector<std::string> said_;
  Notices notices_{[this](const std::string& sentence) { said_.push_back(sentence); }};
};

TEST_F(JobSamplerTest, NothingWithoutAnMdt) {
  EXPECT_THAT(open(), IsNull());
  machine_.write("proc/fs/lustre/obdfilter/l-OST0001/job_stats", kOld);
  EXPECT_THAT(open(), IsNull());
}

TEST_F(JobSamplerTest, RecordsTheJobsOfAllMdts) {
  machine_.write("proc/fs/lustre/mdt/l-MDT0000/job_stats", kOld);
  machine_.write("sys/kernel/debug/lustre/mdt/l-MDT0001/job_stats", kNew);
  const auto sampler = open();
  ASSERT_THAT(sampler, NotNull());
  sampler->sample(clock_);
  EXPECT_EQ(sampler->devices(), 3U);
  const SampleTable table = sampler->batch().take("boot");
  EXPECT_EQ(table.kind(), DeviceKind::kJob);
  EXPECT_THAT(table.devices(), ElementsAre("l-MDT0000/43", "l-MDT0001/cp.1000", "l-MDT0001/tar@c7"));
  const auto opens = table.counter_index("md_open");
  ASSERT_TRUE(opens);
  EXPECT_EQ(table.integer(*opens, 0, 0), 7U);
  EXPECT_EQ(table.integer(*opens, 1, 0), 12U);
  EXPECT_FALSE(table.integer(*opens, 2, 0)) << "not said is not none";
}

TEST_F(JobSamplerTest, JobsAndTargetsComeAndGo) {
  machine_.folder("proc/fs/lustre/mdt");
  const auto sampler = open();
  ASSERT_THAT(sampler, NotNull());
  EXPECT_THAT(jobs_after_sampling(*sampler), IsEmpty());
  clock_.advance(kLookEvery);
  machine_.write("proc/fs/lustre/mdt/l-MDT0000/job_stats", kNew);
  EXPECT_THAT(jobs_after_sampling(*sampler), ElementsAre("l-MDT0000/cp.1000", "l-MDT0000/tar@c7"));
  machine_.write("proc/fs/lustre/mdt/l-MDT0000/job_stats", kOld);
  EXPECT_THAT(jobs_after_sampling(*sampler), ElementsAre("l-MDT0000/43"));
  machine_.remove("proc/fs/lustre/mdt/l-MDT0000");
  clock_.advance(kLookEvery);
  EXPECT_THAT(jobs_after_sampling(*sampler), IsEmpty());
  EXPECT_EQ(sampler->devices(), 0U);
  EXPECT_THAT(said_, IsEmpty());
}

/// On it a reading takes so long, from one look at the clock to the next.
class SlowClock final : public Clock {
 public:
  [[nodiscard]] WallTime wall() override { return WallTime{now_.time_since_epoch()}; }
  [[nodiscard]] MonoTime mono() override { return std::exchange(now_, now_ + kReading); }
  void sleep_until(MonoTime deadline) override { now_ = deadline; }
  [[nodiscard]] Duration suspended() override { return {}; }

  static constexpr Duration kReading = std::chrono::milliseconds(30);

 private:
  MonoTime now_;
};

TEST_F(JobSamplerTest, ReadingTakesAHundredthOfTheTimeAtMost) {
  machine_.write("proc/fs/lustre/mdt/l-MDT0000/job_stats", kOld);
  const auto sampler = open();
  ASSERT_THAT(sampler, NotNull());
  SlowClock clock;
  const MonoTime begin = clock.mono();
  for (int second = 1; second <= 61; ++second) {
    clock.sleep_until(begin + std::chrono::seconds(second));
    sampler->sample(clock);
    EXPECT_EQ(sampler->devices(), 1U);
  }
  EXPECT_EQ(sampler->batch().rows(), 21U) << "every three seconds";
}

TEST_F(JobSamplerTest, ReadsACapturedMachine) {
  const laggard::testing_support::LustreTree tree;
  if (!tree.is_there()) GTEST_SKIP() << tree.kArchive << " is not there";
  const auto sampler = JobSampler::open(tree.path(), "mds1", notices_);
  ASSERT_THAT(sampler, NotNull());
  sampler->sample(clock_);
  EXPECT_EQ(sampler->devices(), 15U);
  const SampleTable table = sampler->batch().take("boot");
  EXPECT_EQ(table.devices().front(), "lustrefs-MDT0000/43");
  EXPECT_EQ(table.integer(*table.counter_index("md_setattr"), 0, 0), 1U);
}

}  // namespace
}  // namespace laggard::collect
