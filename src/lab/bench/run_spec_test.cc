#include "lab/bench/run_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace laggard::lab::bench {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(ParseFaults, OneOnOneServer) {
  const auto faults = parse_faults("disk-hog", "4");
  ASSERT_TRUE(faults);
  ASSERT_THAT(*faults, SizeIs(1));
  EXPECT_EQ(faults->at(0).fault.kind, FaultKind::kDiskHog);
  EXPECT_EQ(faults->at(0).fault.strength, Strength::kStrong);
  EXPECT_THAT(faults->at(0).numbers, ElementsAre(4));
  EXPECT_THAT(*parse_faults("none", ""), IsEmpty());
}

TEST(ParseFaults, SeveralOnSeveral) {
  const auto faults = parse_faults("disk-slow:mild+switch-loss+slow-client:strong", "2,6+1+3");
  ASSERT_TRUE(faults) << faults.error().message();
  ASSERT_THAT(*faults, SizeIs(3));
  EXPECT_THAT(faults->at(0).numbers, ElementsAre(2, 6));
  EXPECT_THAT(faults->at(1).numbers, ElementsAre(1));
  EXPECT_EQ(name_of(*faults, Layout{}), "disk-slow-mild-s2-s6+switch-loss+slow-client-strong-c3");
  EXPECT_THAT(faulty_servers(*faults, Layout{}), ElementsAre(2, 6, 7, 8, 9));
  // One list is that of all faults.
  EXPECT_THAT(parse_faults("disk-slow+cpu-quota", "5")->at(1).numbers, ElementsAre(5));
}

TEST(ParseFaults, SaysWhatItDoesNotUnderstand) {
  EXPECT_THAT(parse_faults("fire", "1").error().what,
              HasSubstr("\"fire\" is none of the faults none, disk-hog"));
  EXPECT_THAT(parse_faults("disk-hog:hard", "1").error().what, HasSubstr("with :mild, :medium or :strong"));
  EXPECT_THAT(parse_faults("disk-hog", "one").error().what, HasSubstr("\"one\" is not a server's number"));
  EXPECT_THAT(parse_faults("disk-hog", "1,").error().what, HasSubstr("\"\" is not a server's number"));
  EXPECT_THAT(parse_faults("disk-hog+disk-busy+link-mtu", "1+2").error().what,
              HasSubstr("3 faults for 2 lists"));
}

RunSpec run_of(std::string_view fault, std::string_view where) {
  RunSpec run;
  run.faults = *parse_faults(fault, where);
  return run;
}

TEST(CheckRun, TheFaultMustFit) {
  const Layout layout;
  EXPECT_TRUE(check(run_of("disk-hog", "9"), layout));
  EXPECT_FALSE(check(run_of("disk-hog", "10"), layout));
  EXPECT_FALSE(check(run_of("disk-hog", "0"), layout));
  EXPECT_FALSE(check(run_of("slow-client", "5"), layout));
  RunSpec run = run_of("disk-hog", "1");
  run.fault_for = 211s;
  EXPECT_FALSE(check(run, layout));
  run.faults.clear();
  EXPECT_TRUE(check(run, layout));
}

TEST(CheckRun, FewerThanHalfMustBeSickAndNoneTwice) {
  const Layout layout;
  EXPECT_TRUE(check(run_of("disk-slow", "1,2,3,4"), layout));
  EXPECT_FALSE(check(run_of("disk-slow", "1,2,3,4,5"), layout));
  EXPECT_FALSE(check(run_of("disk-slow", "1,1"), layout));
  EXPECT_FALSE(check(run_of("disk-slow+disk-stall", "1"), layout));
  EXPECT_TRUE(check(run_of("disk-slow+link-rate", "1"), layout));
  EXPECT_TRUE(check(run_of("disk-slow+disk-slow:mild", "1+2"), layout));
}

TEST(CheckRun, WhatNeedsFilesOnAServersDiskIsImpossibleOnCeph) {
  Layout layout;
  EXPECT_TRUE(check(run_of("disk-full", "1"), layout));
  layout.file_system = FileSystem::kCeph;
  for (const char* fault : {"disk-full", "memory-limit", "verbose-log", "read-ahead"}) {
    EXPECT_THAT(check(run_of(fault, "1"), layout).error().what,
                HasSubstr("needs a file system on the server's disk, and ceph has the disk to itself"))
        << fault;
  }
  for (const char* fault : {"disk-hog", "disk-busy", "write-network-hog", "send-pktloss", "cpu-quota"}) {
    EXPECT_TRUE(check(run_of(fault, "1"), layout)) << fault;
  }
}

TEST(CheckRun, ASmallBenchHasOneSwitch) {
  Layout layout;
  layout.servers = 5;
  EXPECT_THAT(check(run_of("switch-rate", "1"), layout).error().what, HasSubstr("needs a second switch"));
}

}  // namespace
}  // namespace laggard::lab::bench
