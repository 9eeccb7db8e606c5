#include "collect/samples/sample_reader.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "testing/fake_machine.h"
#include "testing/made_up_elf.h"
#include "testing/perf_records.h"

namespace laggard::collect {
namespace {

using namespace std::chrono_literals;
using testing_support::MadeUpElf;
using testing_support::perf_record;
using testing_support::perf_text;
using testing_support::two_halves;
using Words = std::vector<std::uint64_t>;
using Counts = std::map<std::string, std::uint64_t>;

constexpr std::uint64_t kTcpSend = 0xffffffff81000110;
constexpr std::uint64_t kIdle = 0xffffffff81000210;
constexpr std::uint64_t kBase = 0x7f0000001000;  ///< Where the binary's code is mapped.

/// A machine with one binary and a kernel of two functions; what the kernel tells is made up, too.
class SampleReading : public testing::Test {
 protected:
  SampleReading() {
    root_.write("proc/kallsyms",
                "ffffffff81000100 T tcp_sendmsg\nffffffff81000200 t default_idle\nffffffff81000300 T last\n");
    root_.write("usr/bin/server", MadeUpElf()
                                      .function("work", MadeUpElf::kCodeAddress, 0x20)
                                      .function("main", MadeUpElf::kCodeAddress + 0x20, 0x20)
                                      .bytes());
    struct stat status {};
    ::stat((root_.path() / "usr/bin/server").c_str(), &status);
    inode_ = status.st_ino;
  }

  void add(const Words& record) { words_.insert(words_.end(), record.begin(), record.end()); }
  void sample(std::uint32_t process, std::uint64_t address, bool is_kernel, Words chain = {}) {
    Words body{address, two_halves(process, process), time_++};
    if (has_chains_) {
      body.push_back(chain.size());
      body.insert(body.end(), chain.begin(), chain.end());
    }
    add(perf_record(PERF_RECORD_SAMPLE, is_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER, body));
  }
  void executes(std::uint32_t process, std::string_view name) {
    Words body{two_halves(process, process)};
    const Words text = perf_text(name);
    body.insert(body.end(), text.begin(), text.end());
    body.insert(body.end(), {0, time_++});
    add(perf_record(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, body));
    body = {
        two_halves(process, process), kBase, 0x1000, MadeUpElf::kCodeOffset, two_halves(8, 1), inode_, 0, 0};
    const Words path = perf_text("/usr/bin/server");
    body.insert(body.end(), path.begin(), path.end());
    body.insert(body.end(), {0, time_++});
    add(perf_record(PERF_RECORD_MMAP2, 0, body));
  }

  Counts read() {
    SampleReader reader({.period = 10s,
                         .each = 10ms,
                         .has_chains = has_chains_,
                         .root = root_.path(),
                         .say = [&](const std::string& sentence) { said_.push_back(sentence); }});
    ProfileTable profile("h", "samples");
    const WallTime wall = from_unix_ns(1'700'000'003'000'000'000);
    reader.read(words_, MonoTime(1s), wall, profile);
    reader.finish(wall + 1s, profile);
    losses_ = reader.take_losses();
    idle_ = reader.idle();
    Counts counts;
    for (std::size_t p = 0; p < profile.size(); ++p) {
      EXPECT_EQ(profile.periods()[p].each, 10ms);
      for (std::size_t i = 0; i < profile.seen(p).size(); ++i) {
        counts[std::string(profile.words().text(profile.seen(p)[i]))] += profile.counts(p)[i];
      }
    }
    return counts;
  }

  FakeRoot root_;
  Words words_;
  std::uint64_t time_ = 900'000'000;
  std::uint64_t inode_ = 0;
  std::uint64_t idle_ = 0;
  SampleReader::Losses losses_;
  std::vector<std::string> said_;
  bool has_chains_ = false;
};

TEST_F(SampleReading, AProcessThatIsGoneIsKnownFromRecords) {
  executes(7, "server");
  sample(7, kBase + 4, false);
  sample(7, kBase + 8, false);
  sample(7, kBase + 0x50, false);
  sample(7, kTcpSend, true);
  add(perf_record(PERF_RECORD_FORK, 0, {two_halves(8, 7), two_halves(8, 7), time_, 0, time_}));
  sample(8, kBase + 0x20, false);
  EXPECT_EQ(read(), (Counts{{"server;server;work", 2},
                            {"server;server;near main", 1},
                            {"server;server;main", 1},
                            {"server;[kernel];tcp_sendmsg", 1}}));
  EXPECT_TRUE(said_.empty());
}

TEST_F(SampleReading, IdleProcessorsAreLeftOutAndNobodysWorkIsNot) {
  root_.write("proc/3/comm", "ksoftirqd/0\n");
  root_.write("proc/3/maps", "");
  root_.write("proc/4/comm", "kworker/0\n");  // A program that calls itself so.
  root_.write("proc/4/maps", "1000-2000 rw-p 0 0:0 0\n");
  sample(0, kIdle, true);
  sample(0, kTcpSend, true);
  sample(3, kTcpSend, true);
  sample(4, kTcpSend, true);
  sample(5, 0x1234, false);  // Nothing is known of it.
  EXPECT_EQ(read(), (Counts{{"[kernel];[kernel];tcp_sendmsg", 2},
                            {"kworker/0;[kernel];tcp_sendmsg", 1},
                            {"[unknown];;", 1}}));
  EXPECT_EQ(idle_, 1U);
}

TEST_F(SampleReading, AKernelThatHidesItsAddressesIsSaidOnce) {
  root_.write("proc/kallsyms", "0000000000000000 T tcp_sendmsg\n");
  executes(7, "server");
  sample(7, kTcpSend, true);
  sample(7, kTcpSend, true);
  sample(0, kTcpSend, true);  // Who knows whether it is idle.
  EXPECT_EQ(read(), (Counts{{"server;[kernel];", 2}}));
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_NE(said_[0].find("CAP_SYSLOG"), std::string::npos);
}

TEST_F(SampleReading, WholeStacks) {
  has_chains_ = true;
  executes(7, "server");
  const auto kernel = static_cast<std::uint64_t>(PERF_CONTEXT_KERNEL);
  const auto user = static_cast<std::uint64_t>(PERF_CONTEXT_USER);
  // What `work` returns to begins where it ends, as the call was its last instruction.
  sample(7, kTcpSend, true, {kernel, kTcpSend, user, kBase + 4, kBase + 0x20, kBase + 0x30});
  EXPECT_EQ(read(), (Counts{{"server;main;work;work;tcp_sendmsg", 1}}));
}

TEST_F(SampleReading, AnotherFileOfTheSamePathIsNotTakenForTheOldOne) {
  executes(7, "server");
  root_.write("usr/bin/new", MadeUpElf().function("other", MadeUpElf::kCodeAddress, 0x20).bytes());
  std::filesystem::rename(root_.path() / "usr/bin/new", root_.path() / "usr/bin/server");
  sample(7, kBase + 4, false);
  EXPECT_EQ(read(), (Counts{{"server;server;", 1}}));
}

TEST_F(SampleReading, CodeThatAProcessHasCompiledInItsContainer) {
  root_.write("proc/9/comm", "java\n");
  root_.write("proc/9/maps", "5000-6000 r-xp 00000000 00:00 0 \n");
  root_.write("proc/9/status", "Name:\tjava\nNSpid:\t9\t1\n");
  root_.write("proc/9/root/tmp/perf-1.map", "5000 100 Lfoo;::bar\n");
  sample(9, 0x5010, false);
  sample(9, 0x5200, false);  // Behind all that it tells of.
  EXPECT_EQ(read(), (Counts{{"java;[compiled];Lfoo:::bar", 1}, {"java;[compiled];", 1}}));
}

TEST_F(SampleReading, AListOfCompiledCodeThatIsALinkIsNotFollowed) {
  root_.write("proc/9/comm", "java\n");
  root_.write("proc/9/maps", "5000-6000 r-xp 00000000 00:00 0 \n");
  root_.write("elsewhere", "5000 100 f\n");
  root_.link("proc/9/root/tmp/perf-9.map", (root_.path() / "elsewhere").string());
  sample(9, 0x5010, false);
  EXPECT_EQ(read(), (Counts{{"java;[compiled];", 1}}));
}

TEST_F(SampleReading, LossesAreTold) {
  add(perf_record(PERF_RECORD_LOST, 0, {1, 23, 0, time_}));
  add(perf_record(PERF_RECORD_THROTTLE, 0, {1, 2, 3, 0, time_}));
  EXPECT_EQ(read(), Counts{});
  EXPECT_EQ(losses_.no_room, 23U);
  EXPECT_EQ(losses_.throttled, 1U);
}

TEST(SampleCounts, PeriodsBeginAtMultiplesOfTheirLength) {
  SampleCounts counts(10s, 1ms);
  ProfileTable profile("h", "samples");
  const WallTime begin = from_unix_ns(1'700'000'003'000'000'000);
  counts.advance(begin, profile);
  counts.count("b");
  counts.count("a");
  counts.advance(begin + 7s, profile);
  counts.advance(begin + 6999ms, profile);  // Told late.
  counts.count("a");
  counts.finish(begin + 9s, profile);
  ASSERT_EQ(profile.size(), 2U);
  EXPECT_EQ(profile.periods()[0].start, begin);
  EXPECT_EQ(profile.periods()[0].length, 7s);
  EXPECT_EQ(profile.words().text(profile.seen(0)[0]), "a");
  EXPECT_EQ(profile.periods()[1].start, begin + 7s);
  EXPECT_EQ(profile.periods()[1].length, 2s);
  EXPECT_EQ(profile.counts(1)[0], 1U);
}

TEST(SampleCounts, MoreWordsThanThereIsRoomForAreLostAndCounted) {
  SampleCounts counts(10s, 1ms);
  ProfileTable profile("h", "samples");
  counts.advance(from_unix_ns(1'700'000'003'000'000'000), profile);
  for (std::size_t i = 0; i < SampleCounts::kMostWords + 5; ++i) counts.count(std::to_string(i));
  counts.finish(from_unix_ns(1'700'000'004'000'000'000), profile);
  EXPECT_EQ(profile.entries(), SampleCounts::kMostWords);
  ASSERT_EQ(profile.losses().size(), 1U);
  EXPECT_EQ(profile.losses()[0].count, 5U);
}

}  // namespace
}  // namespace laggard::collect
