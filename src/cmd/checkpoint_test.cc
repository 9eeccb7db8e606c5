// A checkpoint that was cut off anywhere is gone on with to the same windows; one that is damaged, or about
// something else, is refused.
#include "cmd/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "cmd/coordinator.h"
#include "testing/cli.h"
#include "testing/shards.h"

namespace laggard::cmd {
namespace {

using script::System;
using testing::HasSubstr;
using testing_support::Folder;
using testing_support::PostOffice;
using testing_support::Protocol;
using testing_support::read_text;
using testing_support::replaced;
using testing_support::setup_of;
using testing_support::ThreadRanks;

System a_stalled_system() {
  System system;
  system.servers = 3;
  system.length = 420;
  system.faults.push_back({"slow", "s2", "", 100, 300, 4});
  system.faults.push_back({"stall", "s3", "", 150, 260, 1});
  return system;
}

const Fingerprint kOwn{"0.1.0", 1, 2};

void put(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// What a diagnosis with this checkpoint hears, from whoever judged it.
Result<std::vector<std::string>> heard(AnalysisSetup& setup, const std::string& path) {
  auto checkpoint = Checkpoint::open(path, kOwn);
  if (!checkpoint) return forward(checkpoint);
  Protocol protocol(setup);
  Status replayed = checkpoint->replay(
      run_shape(setup), [&](detect::JudgedRun& run) { protocol.take(run); }, [](double) {});
  if (!replayed) return forward(replayed);
  if (checkpoint->ended()) return protocol.lines();
  PostOffice post;
  ThreadRanks ranks(post, 0, 1);
  Coordinator coordinator(ranks);
  Status judged = coordinator.judge(setup, checkpoint->last_cell().value_or(engine::Shard{}.after),
                                    [&](detect::JudgedRun& run) {
                                      Status kept = checkpoint->add(run);
                                      protocol.take(run);
                                      return kept;
                                    });
  if (!judged) return forward(judged);
  if (Status ended = checkpoint->end(); !ended) return forward(ended);
  return protocol.lines();
}

/// Where the frames of a log end.
std::vector<std::size_t> ends_of(const std::string& log) {
  std::vector<std::size_t> ends;
  engine::FrameLogReader reader(log);
  while (reader.next()) ends.push_back(reader.sound());
  return ends;
}

class Journal : public testing::Test {
 protected:
  void SetUp() override {
    const auto lines = heard(setup_, path_);
    ASSERT_TRUE(lines) << lines.error().message();
    lines_ = *lines;
    whole_ = read_text(path_);
    ASSERT_GE(ends_of(whole_).size(), 6U);
  }

  Folder folder_;
  std::string path_ = folder_ / "checkpoint";
  AnalysisSetup setup_ = setup_of(a_stalled_system(), "quick");
  std::vector<std::string> lines_;
  std::string whole_;
};

TEST_F(Journal, SaysWhatTheRecordingSays) {
  EXPECT_TRUE(lines_ == testing_support::judged_as_a_whole(setup_));
  const auto again = heard(setup_, path_);
  ASSERT_TRUE(again);
  EXPECT_TRUE(*again == lines_) << "nothing is judged twice";
  EXPECT_EQ(read_text(path_), whole_);
}

TEST_F(Journal, GoesOnAfterAKillAtAnyRecord) {
  std::set<std::size_t> cuts;
  for (const std::size_t end : ends_of(whole_)) {
    for (const std::size_t cut : {end - 1, end, end + 1, end + 30}) cuts.insert(std::min(cut, whole_.size()));
  }
  for (const std::size_t cut : cuts) {
    put(path_, whole_.substr(0, cut));
    const auto lines = heard(setup_, path_);
    ASSERT_TRUE(lines) << cut << ": " << lines.error().message();
    ASSERT_TRUE(*lines == lines_) << cut;
    const auto finished = heard(setup_, path_);
    ASSERT_TRUE(finished && *finished == lines_) << cut << ": what was written after the cut is sound";
  }
}

TEST_F(Journal, CutAtEveryLengthGivesABeginning) {
  const std::vector<std::size_t> ends = ends_of(whole_);
  Protocol whole(setup_);
  {
    auto sound = Checkpoint::open(path_, kOwn);
    ASSERT_TRUE(sound->replay(
        run_shape(setup_), [&](detect::JudgedRun& run) { whole.take(run); }, [](double) {}));
  }
  ASSERT_EQ(whole.lines(), lines_);
  for (std::size_t cut = 0; cut < whole_.size(); cut += cut < ends.front() + 100 ? 1U : 13U) {
    put(path_, whole_.substr(0, cut));
    auto checkpoint = Checkpoint::open(path_, kOwn);
    ASSERT_TRUE(checkpoint) << cut << ": " << checkpoint.error().message();
    Protocol protocol(setup_);
    const Status replayed = checkpoint->replay(
        run_shape(setup_), [&](detect::JudgedRun& run) { protocol.take(run); }, [](double) {});
    ASSERT_TRUE(replayed) << cut << ": " << replayed.error().message();
    ASSERT_TRUE(protocol.begins(whole)) << cut;
    const auto left = std::filesystem::file_size(path_);
    ASSERT_TRUE(left == cut || std::ranges::find(ends, left) != ends.end()) << cut;
    ASSERT_EQ(checkpoint->ended(), false);
  }
}

TEST_F(Journal, FlippedBitsAreRefusedOrCut) {
  const std::vector<std::size_t> ends = ends_of(whole_);
  for (std::size_t at = 0; at < whole_.size(); at += 17) {
    std::string flipped = whole_;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    put(path_, flipped);
    auto checkpoint = Checkpoint::open(path_, kOwn);
    const Status replayed = checkpoint ? checkpoint->replay(
                                             run_shape(setup_), [](detect::JudgedRun&) {}, [](double) {})
                                       : Status(forward(checkpoint));
    const bool in_last = at >= ends[ends.size() - 2];
    ASSERT_TRUE(!replayed || (in_last && checkpoint->cut_off() > 0)) << at;
  }
}

TEST_F(Journal, OthersAreRefused) {
  const auto refusal = [&](const Fingerprint& own) {
    const auto checkpoint = Checkpoint::open(path_, own);
    return checkpoint ? std::string() : replaced(checkpoint.error().message(), path_, "J");
  };
  EXPECT_THAT(refusal({"0.1.0", 3, 2}),
              HasSubstr("J: the checkpoint is of other recordings; name another file"));
  EXPECT_THAT(refusal({"0.1.0", 1, 3}), HasSubstr("J: the checkpoint is of other options"));
  EXPECT_THAT(refusal({"0.2.0", 1, 2}), HasSubstr("J: the checkpoint is of another version of laggard"));
  put(path_, "[[servers]]\nname = \"fs1\"\n");
  EXPECT_THAT(refusal(kOwn), HasSubstr("J: is no checkpoint of laggard"));
  EXPECT_EQ(read_text(path_), "[[servers]]\nname = \"fs1\"\n") << "nobody's file is touched";
  put(path_, "laggard tape 9\n..........");
  EXPECT_THAT(refusal(kOwn), HasSubstr("J: is a checkpoint by another version"));
}

TEST_F(Journal, OneAtATime) {
  const auto first = Checkpoint::open(path_, kOwn);
  ASSERT_TRUE(first);
  const auto second = Checkpoint::open(path_, kOwn);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message(), HasSubstr("another diagnosis is writing this checkpoint"));
}

TEST_F(Journal, RemembersWhatWasDamaged) {
  std::filesystem::remove(path_);
  {
    auto checkpoint = Checkpoint::open(path_, kOwn);
    ASSERT_TRUE(checkpoint && checkpoint->add_notices({"b is lost", "a is lost"}));
    ASSERT_TRUE(checkpoint->add_notices({"a is lost", "c is lost"}));
  }
  auto checkpoint = Checkpoint::open(path_, kOwn);
  ASSERT_TRUE(checkpoint && checkpoint->replay(
                                {}, [](detect::JudgedRun&) {}, [](double) {}));
  EXPECT_THAT(checkpoint->notices(), testing::ElementsAre("b is lost", "a is lost", "c is lost"));
}

TEST(FingerprintText, ComesBack) {
  const Fingerprint own{"1.2.3", 0xfedcba9876543210, 7};
  EXPECT_EQ(parse_fingerprint(fingerprint_text(own)), own);
  for (const char* bad : {"", "1.2.3", "1.2.3 x y", "1.2.3 1 2 3", "1.2.3 1 2g"}) {
    EXPECT_FALSE(parse_fingerprint(bad)) << bad;
  }
}

TEST(FingerprintOf, ChangesWithWhatWindowsDependOn) {
  const auto of = [](AnalysisSetup& setup) { return *fingerprint({}, setup); };
  AnalysisSetup setup = setup_of(a_stalled_system(), "quick");
  const Fingerprint own = of(setup);
  EXPECT_EQ(of(setup), own);
  AnalysisSetup other = setup_of(a_stalled_system(), "quick");
  EXPECT_EQ(of(other), own);
  other.preset.windows.size += 1;
  EXPECT_EQ(difference(own, of(other)), "other options");
  other = setup_of(a_stalled_system(), "quick");
  other.pipeline.parameters.stall_ms += 1e-9;
  EXPECT_EQ(difference(own, of(other)), "other options");
  other = setup_of(a_stalled_system(), "quick");
  other.grouping.groups.front().members.pop_back();
  EXPECT_EQ(difference(own, of(other)), "other options");
  other = setup_of(a_stalled_system(), "quick");
  other.inventory.devices.front().last += std::chrono::seconds(1);
  EXPECT_EQ(difference(own, of(other)), "other recordings");
}

}  // namespace
}  // namespace laggard::cmd
