#include "collect/pings/ping_source.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace laggard::collect {
namespace {

using namespace std::chrono_literals;
using Words = std::map<std::string, std::vector<std::string>, std::less<>>;

EventSourceSetup setup(const Words& given) {
  EventSourceSetup setup{.host = "c1"};
  for (const EventSourceOption& option : PingSource::options()) {
    if (!option.initial.empty()) setup.options[std::string(option.name)] = {std::string(option.initial)};
  }
  setup.options["operation"] = {"CrWr", "WrEx", "RmEx"};
  for (const auto& [name, values] : given) setup.options[name] = values;
  return setup;
}

TEST(PingSource, TakesWhatTheCommandLineSays) {
  const auto plan = ping_plan(setup({{"target", {"ost1=/mnt/a=b", "ost2=/mnt/c"}},
                                     {"operation", {"WrEx", "WrEx"}},
                                     {"interval", {"30s"}},
                                     {"slo", {"250ms"}}}));
  ASSERT_TRUE(plan) << plan.error().message();
  ASSERT_EQ(plan->targets.size(), 2U);
  EXPECT_EQ(plan->targets[0].name, "ost1");
  EXPECT_EQ(plan->targets[0].place, "/mnt/a=b");
  EXPECT_EQ(plan->operations, std::vector{PingOperation::kWriteExisting});
  EXPECT_EQ(plan->interval, 30s);
  EXPECT_EQ(plan->deadline, 250ms);
}

TEST(PingSource, MistakesAreOneSentence) {
  const std::vector<std::string> good{"ost1=/mnt/a"};
  const std::vector<std::pair<Words, std::string>> cases{
      {{}, "--target: is missing"},
      {{{"target", {"ost1"}}}, "--target: ost1 is not NAME=PLACE"},
      {{{"target", {"=/mnt"}}}, "is not NAME=PLACE"},
      {{{"target", {"ost1=mnt"}}}, "names no absolute directory"},
      {{{"target", {"a=/x", "a=/y"}}}, "a is given twice"},
      {{{"target", good}, {"operation", {"Write"}}}, "--operation: Write is none of"},
      {{{"target", good}, {"backend", {"nfs"}}},
       "--backend: nfs is none of dirs, gluster, ceph, lustre, gpfs, moosefs"},
      {{{"backend", {"gluster"}}}, "--mount: is needed"},
      {{{"backend", {"gluster"}}, {"mount", {"/"}}}, "/: is not on a mounted volume of GlusterFS"},
      {{{"backend", {"ceph"}}, {"target", {"a=3"}}}, "--target: a=3 names no OSD such as osd.3"},
      {{{"backend", {"lustre"}}}, "--mount: is needed: where Lustre is mounted"},
      {{{"backend", {"lustre"}}, {"mount", {"/"}}}, "/: is not on a mounted Lustre"},
      {{{"backend", {"lustre"}}, {"mount", {"/"}}, {"target", {"a=OST1"}}},
       "names no target such as scratch-OST0003"},
      {{{"backend", {"moosefs"}}, {"mount", {"/"}}}, "/: is not on a mounted MooseFS"},
      {{{"backend", {"moosefs"}}, {"mount", {"/"}}, {"target", {"a=s1"}}}, "names no label of a chunkserver"},
      {{{"backend", {"gpfs"}}, {"target", {"p1=p1"}}}, "names no directory, nor a pool and its directory"},
      {{{"backend", {"gpfs"}}, {"mount", {"/gpfs"}}, {"target", {"p1=/gpfs"}}},
       "--mount: is not for the backend gpfs"},
      {{{"target", good}, {"mount", {"/mnt"}}}, "--mount: is not for the backend dirs"},
      {{{"target", good}, {"interval", {"1h"}}}, "--interval: 1h is not between 1s and 10m"},
      {{{"target", good}, {"interval", {"5s"}}, {"slo", {"6s"}}}, "--slo: 6s is not between 1ms and 5s"},
      {{{"target", good}, {"slo", {"soon"}}}, "--slo: soon is no duration"},
  };
  for (const auto& [given, sentence] : cases) {
    const auto plan = ping_plan(setup(given));
    ASSERT_FALSE(plan) << sentence;
    EXPECT_NE(plan.error().message().find(sentence), std::string::npos) << plan.error().message();
  }
}

}  // namespace
}  // namespace laggard::collect
