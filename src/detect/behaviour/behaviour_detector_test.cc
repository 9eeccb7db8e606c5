#include "detect/behaviour/behaviour_detector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "detect/behaviour/behaviour_training.h"
#include "detect/behaviour/function_hints.h"
#include "testing/grouping.h"

namespace laggard::detect {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_support::GroupingBuilder;

constexpr WallTime kStart = from_unix_ns(1'800'000'000'000'000'000);
constexpr int kServers = 5;
constexpr Duration kPeriod = 10s;

/// Five servers that run the same daemon, sampled at 99 Hz, and a client.
class BehaviourDetectorTest : public testing::Test {
 protected:
  BehaviourDetectorTest() : grouping_(system()), detector_({grouping_, 30s}, default_behaviour()) {}

  static Grouping system() {
    GroupingBuilder builder;
    builder.servers(kServers, 1, false);
    Grouping grouping = builder.get();
    for (int server = 1; server <= kServers; ++server) {
      grouping.resolver.add_host("s" + std::to_string(server), SeriesResolver::Party::kServer);
    }
    grouping.resolver.add_host("c1", SeriesResolver::Party::kClient);
    return grouping;
  }

  /// \param besides  samples in ten seconds, of functions that s2 runs, too
  std::vector<ProfileTable> tables(Duration from, Duration to,
                                   const std::map<std::string, std::uint64_t>& besides = {}) {
    std::vector<ProfileTable> all;
    for (Duration at = from; at < to; at += kPeriod) {
      for (const std::string host : {"c1", "s1", "s2", "s3", "s4", "s5"}) {
        ProfileTable table(host, kind_);
        table.begin({.start = kStart + at,
                     .length = kPeriod,
                     .subject = kNoWord,
                     .each = kind_ == kSamplesKind ? Duration(10ms) : Duration()});
        for (int f = 0; f < 6; ++f) {
          std::poisson_distribution<std::uint64_t> samples(host == "c1" ? 500 : 20);
          table.add(table.intern("glusterfsd;[kernel];tcp_f" + std::to_string(f)).value(), samples(random_));
        }
        if (host == "s2") {
          for (const auto& [function, count] : besides) table.add(table.intern(function).value(), count);
        }
        all.push_back(std::move(table));
      }
    }
    return all;
  }

  void run(Duration from, Duration to, const std::map<std::string, std::uint64_t>& besides = {}) {
    for (const ProfileTable& table : tables(from, to, besides)) {
      detector_.complete(table.extent().from);
      detector_.take(table);
    }
    detector_.complete(kStart + to);
  }

  /// Of one comparison.
  [[nodiscard]] std::vector<Finding> found_by(std::string_view comparison) const {
    std::vector<Finding> all = detector_.findings();
    std::erase_if(all, [&](const Finding& finding) { return finding.evidence.detector != comparison; });
    return all;
  }

  std::mt19937_64 random_{4};
  std::string kind_{kSamplesKind};
  Grouping grouping_;
  BehaviourDetector detector_;
};

TEST_F(BehaviourDetectorTest, ARogueProgramIsNamed) {
  run(0s, 5min);
  EXPECT_THAT(detector_.findings(), IsEmpty());
  run(5min, 10min, {{"dd;[kernel];submit_bio", 40}, {"dd;[kernel];copy_to_user", 10}});
  const auto findings = found_by("samples");
  ASSERT_THAT(findings, SizeIs(1));
  const Finding& finding = findings[0];
  EXPECT_EQ(finding.part.name, "s2");
  EXPECT_EQ(finding.symptom, Symptom::kComputing);
  EXPECT_EQ(finding.resource, Resource::kStorage);
  EXPECT_TRUE(finding.open);
  EXPECT_TRUE(finding.confirmed());
  EXPECT_LE(finding.faulty_since, kStart + 5min + 2min) << "B's latency is 90 s";
  EXPECT_GE(finding.since, kStart + 5min - 60s);
  EXPECT_EQ(finding.evidence.detector, "samples");
  EXPECT_EQ(finding.evidence.peer_count, 4U);
  EXPECT_THAT(finding.evidence.note, HasSubstr("dd runs there and on no peer"));
  EXPECT_THAT(finding.evidence.note, HasSubstr("submit_bio (dd)"));
  const auto& ranked = std::get<RankedPayload>(finding.evidence.payloads.at(0).shape);
  EXPECT_EQ(ranked.entries.at(0).name, "submit_bio (dd)");
  EXPECT_NEAR(ranked.entries.at(0).own, 4, 1) << "40 samples of 10 ms in 10 s are 4 % of a processor";
  EXPECT_EQ(ranked.entries.at(0).peers, 0);
  EXPECT_LE(ranked.entries.size(), BehaviourDetector::kMostShown);
}

/// Of the frame of this name the first one; of depth 99 where there is none.
FlamesPayload::Frame frame_named(const Evidence& evidence, std::string_view name) {
  const auto& frames = std::get<FlamesPayload>(evidence.payloads.at(1).shape).frames;
  const auto found = std::ranges::find(frames, name, &FlamesPayload::Frame::name);
  return found == frames.end() ? FlamesPayload::Frame{"", 99, 0, 0} : *found;
}

TEST_F(BehaviourDetectorTest, FlamesAreOfAllThatServersDoAndNotOfWhatDiffersAlone) {
  run(0s, 5min, {{"cron;[kernel];tick", 1}});
  run(5min, 10min, {{"dd;[kernel];submit_bio", 40}, {"cron;[kernel];tick", 1}});
  const auto findings = found_by("samples");
  ASSERT_THAT(findings, SizeIs(1));
  const Evidence& evidence = findings[0].evidence;
  EXPECT_NEAR(frame_named(evidence, "glusterfsd").own, 12, 1.5) << "6 functions of 20 samples in 10 s";
  EXPECT_NEAR(frame_named(evidence, "glusterfsd").peers, 12, 1.5);
  EXPECT_NEAR(frame_named(evidence, "dd").own, 4, 1);
  EXPECT_EQ(frame_named(evidence, "submit_bio").depth, 3U);
  EXPECT_NEAR(frame_named(evidence, "cron").own, 0.1, 0.01) << "though its function is below the floor";
  EXPECT_EQ(frame_named(evidence, "tick").depth, 99U);
  const FlamesPayload::Frame all = frame_named(evidence, "all");
  EXPECT_NEAR(all.own, frame_named(evidence, "glusterfsd").own + frame_named(evidence, "dd").own + 0.1, 0.01);
  EXPECT_NEAR(evidence.level.value(), all.own - 0.1, 0.01) << "but for cron, what was compared";
  const auto of_programs = found_by("programs");
  ASSERT_THAT(of_programs, SizeIs(1));
  EXPECT_THAT(of_programs[0].evidence.payloads, SizeIs(1)) << "programs are no flames";
}

TEST_F(BehaviourDetectorTest, RetransmissionsAreAFactWhereAServerHasMoreOfThem) {
  kind_ = kKernelCallsKind;
  run(0s, 5min);
  EXPECT_THAT(detector_.findings(), IsEmpty()) << "functions that all call by chance";
  run(5min, 10min, {{"[kernel];[kernel];tcp_retransmit_skb", 12}});
  const auto findings = found_by("kernel-calls");
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].part.name, "s2");
  EXPECT_TRUE(findings[0].confirmed());
  EXPECT_EQ(findings[0].resource, Resource::kNetwork);
  ASSERT_NE(findings[0].fact(kRetransmissions), nullptr);
  EXPECT_NEAR(findings[0].fact(kRetransmissions)->own, 1.2, 0.2) << "twelve in ten seconds";
  EXPECT_EQ(findings[0].fact(kRetransmissions)->peers, 0);
}

TEST_F(BehaviourDetectorTest, AProgramTellsWhereItsFunctionsAreSeenTooSeldom) {
  const auto spread_out = [](std::uint64_t each) {
    std::map<std::string, std::uint64_t> besides;
    for (int f = 0; f < 5; ++f) besides["socat;[kernel];f" + std::to_string(f)] = each;
    return besides;
  };
  run(0s, 5min);
  run(5min, 10min, spread_out(1));
  EXPECT_THAT(found_by("samples"), IsEmpty()) << "each function comes to 60 ms a window";
  const auto findings = found_by("programs");
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].part.name, "s2");
  EXPECT_THAT(findings[0].evidence.note,
              HasSubstr("socat runs there and on no peer; most in socat: 0.475 % CPU"));
}

TEST_F(BehaviourDetectorTest, CallsConfirmOnceTheyAreTrained) {
  kind_ = kCallsKind;
  const std::map<std::string, std::uint64_t> more{{"glusterfsd;[kernel];tcp_f9", 400}};
  run(0s, 5min);
  run(5min, 10min, more);
  const auto untrained = found_by(kCallsKind);
  ASSERT_THAT(untrained, SizeIs(1));
  EXPECT_FALSE(untrained[0].confirmed());
  auto comparisons = default_behaviour();
  for (BehaviourComparison& one : comparisons) one.parameters.trained = {{"s2", 300}};
  BehaviourDetector trained({grouping_, 30s}, std::move(comparisons));
  for (const ProfileTable& table : tables(10min, 15min, more)) trained.take(table);
  trained.complete(kStart + 15min);
  ASSERT_THAT(trained.findings(), SizeIs(1));
  EXPECT_TRUE(trained.findings()[0].confirmed());
  EXPECT_EQ(trained.findings()[0].evidence.detector, kCallsKind);
}

TEST_F(BehaviourDetectorTest, WhatIsOverIsClosedAndForgotten) {
  run(0s, 5min);
  run(5min, 8min, {{"dd;[kernel];submit_bio", 40}});
  run(8min, 12min);
  const auto findings = found_by("programs");
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_FALSE(findings[0].open);
  EXPECT_LE(findings[0].until, kStart + 8min + 60s);
  EXPECT_GE(findings[0].until, kStart + 8min);
  EXPECT_EQ(detector_.kept(), 2U);
  detector_.forget(std::vector<std::uint8_t>{0, 0});
  EXPECT_EQ(detector_.kept(), 0U);
}

TEST_F(BehaviourDetectorTest, WhatWasSoFromTheBeginningIsFound) {
  run(0s, 4min, {{"socat;[kernel];tcp_sendmsg", 60}});
  ASSERT_THAT(found_by("samples"), SizeIs(1));
  EXPECT_EQ(found_by("samples")[0].resource, Resource::kNetwork);
}

TEST_F(BehaviourDetectorTest, OtherCodeOfTheSameProgramIsToldByItsFunction) {
  run(0s, 5min);
  run(5min, 8min, {{"glusterfsd;libpthread.so.0;pthread_spin_lock", 60}});
  const auto findings = found_by("samples");
  ASSERT_THAT(findings, SizeIs(1));
  const Finding& finding = findings[0];
  EXPECT_EQ(finding.resource, std::nullopt) << "no name tells of a resource";
  EXPECT_THAT(finding.evidence.note, HasSubstr("most in pthread_spin_lock (glusterfsd)"));
}

TEST_F(BehaviourDetectorTest, WhatWasTrainedIsTheThreshold) {
  BehaviourTrainer trainer(grouping_);
  for (const ProfileTable& table : tables(0s, 5min)) trainer.add(table);
  const std::vector<GroupThresholds> trained = trainer.finish();
  ASSERT_THAT(trained, SizeIs(2)) << "there are no calls";
  EXPECT_EQ(trained[1].metric, "programs");
  EXPECT_EQ(trained[0].distance, "manhattan");
  EXPECT_EQ(trained[0].metric, kSamplesKind);
  EXPECT_THAT(trained[0].components, SizeIs(5)) << "the client is not compared";
  EXPECT_GT(trained[0].components.at("s2"), 0);
  Thresholds thresholds;
  thresholds.groups = trained;
  TrainedBehaviour learnt = trained_behaviour(thresholds, CodeMeasure{});
  EXPECT_THAT(trained_behaviour(thresholds, {.distance = CodeDistance::kKl}), IsEmpty())
      << "of another measure";
  ASSERT_EQ(learnt.at("samples"), trained[0].components);
  learnt.at("samples")["s2"] = 100;
  learnt.at("programs")["s2"] = 1000;
  const auto detector =
      BehaviourDetector::make({.grouping = grouping_, .step = 30s, .trained_behaviour = &learnt});
  for (const ProfileTable& table : tables(5min, 10min, {{"dd;[kernel];submit_bio", 60}})) {
    detector->take(table);
    detector->complete(table.extent().from);
  }
  EXPECT_THAT(detector->findings(), IsEmpty()) << "that much is normal for s2";
}

TEST_F(BehaviourDetectorTest, ASuspectOfOthersIsAskedWhatItDoesThatItsPeersDoNot) {
  run(0s, 3min);
  run(3min, 8min, {{"sgm_dd;[kernel];sg_read", 1}, {"glusterfsd;[kernel];sg_read", 3}});
  ASSERT_THAT(detector_.findings(), IsEmpty()) << "that is too little to accuse anybody";
  const auto suspicion = [](const std::string& server, Duration from) {
    Suspicion asked;
    asked.suspect = {PartKind::kServer, server};
    asked.interval = {kStart + from, kStart + 8min};
    for (const std::string host : {"s1", "s2", "s3", "s4", "s5"}) {
      if (host != server) asked.healthy.push_back({PartKind::kServer, host});
    }
    return asked;
  };
  const auto answers = detector_.examine(suspicion("s2", 3min));
  ASSERT_THAT(answers, SizeIs(1));
  EXPECT_EQ(answers[0].detector, "unlike-peers");
  EXPECT_THAT(answers[0].note, HasSubstr("sgm_dd runs there and on no peer"));
  EXPECT_THAT(answers[0].note, HasSubstr("; most in sg_read (glusterfsd)"));
  ASSERT_THAT(answers[0].payloads, SizeIs(2));
  EXPECT_NEAR(frame_named(answers[0], "glusterfsd").peers, 12, 1.5) << "in all its functions";
  EXPECT_NEAR(frame_named(answers[0], "sgm_dd").own, 0.1, 0.01) << "below the floor";
  EXPECT_THAT(detector_.examine(suspicion("s3", 3min)), IsEmpty());
  EXPECT_THAT(detector_.examine(suspicion("s2", 7min + 30s)), IsEmpty()) << "there is no whole window";
  Suspicion lonely = suspicion("s2", 3min);
  lonely.healthy.resize(2);
  EXPECT_THAT(detector_.examine(lonely), IsEmpty()) << "two peers tell nothing";
}

TEST_F(BehaviourDetectorTest, AProgramThatIsSeldomSeenIsNamedAllTheSame) {
  run(0s, 3min);
  for (Duration minute = 3min; minute < 8min; minute += 1min) {
    run(minute, minute + 10s, {{"dd;[kernel];submit_bio", 1}});
    run(minute + 10s, minute + 1min);
  }
  Suspicion asked;
  asked.suspect = {PartKind::kServer, "s2"};
  asked.interval = {kStart + 3min, kStart + 8min};
  for (const char* host : {"s1", "s3", "s4"}) asked.healthy.push_back({PartKind::kServer, host});
  const auto answers = detector_.examine(asked);
  ASSERT_THAT(answers, SizeIs(1));
  EXPECT_EQ(answers[0].note, "dd runs there and on no peer") << "its functions come to no floor";
  ASSERT_THAT(answers[0].payloads, SizeIs(1)) << "nothing to rank";
  EXPECT_TRUE(std::holds_alternative<FlamesPayload>(answers[0].payloads[0].shape));
}

TEST_F(BehaviourDetectorTest, OtherDistancesFindARogueProgramToo) {
  for (const char* distance : {"manhattan", "relative", "scaled", "kl"}) {
    const auto detector =
        BehaviourDetector::make({.grouping = grouping_, .step = 30s, .code_measure = distance});
    std::vector<ProfileTable> all = tables(0s, 5min);
    for (ProfileTable& table : tables(5min, 10min, {{"dd;[kernel];submit_bio", 60}}))
      all.push_back(std::move(table));
    for (const ProfileTable& table : all) {
      detector->take(table);
      detector->complete(table.extent().from);
    }
    const auto findings = detector->findings();
    ASSERT_THAT(findings, testing::Not(IsEmpty())) << distance;
    for (const Finding& finding : findings) EXPECT_EQ(finding.part.name, "s2") << distance;
  }
}

TEST_F(BehaviourDetectorTest, NobodyIsAskedInWordsThatAreNoMore) {
  run(0s, 3min, {{"sgm_dd;[kernel];sg_read", 1}});
  ProfileTable endless("s1", std::string(kSamplesKind));
  endless.begin({.start = kStart + 3min, .length = kPeriod, .subject = kNoWord, .each = 10ms});
  for (std::size_t f = 0; f < Dictionary::kMostWords; ++f) {
    endless.add(endless.intern("x;y;" + std::to_string(f)).value(), 1);
  }
  detector_.take(endless);
  detector_.complete(kStart + 3min + 10s);
  Suspicion asked;
  asked.suspect = {PartKind::kServer, "s2"};
  asked.interval = {kStart, kStart + 3min};
  for (const char* host : {"s1", "s3", "s4"}) asked.healthy.push_back({PartKind::kServer, host});
  EXPECT_THAT(detector_.examine(asked), IsEmpty());
}

TEST(FunctionHints, NamesTellWhatAFunctionWorksFor) {
  const auto kernel = [](std::string_view function) { return resource_of({"x", "[kernel]", function}); };
  EXPECT_EQ(kernel("tcp_v4_rcv"), Resource::kNetwork);
  EXPECT_EQ(kernel("__netif_receive_skb_core"), Resource::kNetwork);
  EXPECT_EQ(kernel("submit_bio"), Resource::kStorage);
  EXPECT_EQ(kernel("blkdev_direct_IO"), Resource::kStorage);
  EXPECT_EQ(kernel("shrink_node"), Resource::kMemory);
  EXPECT_EQ(kernel("do_syscall_64"), std::nullopt);
  EXPECT_EQ(resource_of({"glusterfsd", "libc.so.6", "pread64"}), Resource::kStorage);
  EXPECT_EQ(resource_of({"pvfs2-server", "pvfs2-server", "dbpf_pread"}), Resource::kStorage);
  EXPECT_EQ(resource_of({"x", "x", "near pread"}), std::nullopt) << "it may be anything";
}

}  // namespace
}  // namespace laggard::detect
