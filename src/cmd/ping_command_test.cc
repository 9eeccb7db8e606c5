#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file.h"
#include "testing/cli.h"

namespace laggard::cmd {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing_support::Folder;
using testing_support::laggard;
using testing_support::Said;

class PingPlan : public testing::Test {
 protected:
  PingPlan() {
    EXPECT_TRUE(write_file(file_, R"(
[[servers]]
name = "fs[1-3]"
devices = "sd[1-2]"
[[clients]]
name = "c[1-8]"
)"));
  }
  Folder folder_;
  const std::string file_ = folder_ / "system.toml";
};

TEST_F(PingPlan, ChoosesClientsAndSaysWhatTheyCannotTell) {
  const Said said = laggard({"ping", "plan", file_});
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out,
              AllOf(HasSubstr("Probe 6 targets from 2 clients (1 of 1 class of clients)"),
                    HasSubstr("chosen at random from c[1-8]"),
                    HasSubstr("Load: 36 probes a minute, 6 of them to each target"),
                    HasSubstr("disk fs1/sd1, disk fs1/sd2: nobody knows while server fs1 has failed")));
  EXPECT_EQ(laggard({"ping", "plan", file_}).out, said.out);
  const Said one = laggard({"ping", "plan", file_, "--client", "c3", "--target", "fs1/sd1", "--json", "-"});
  const auto plan = nlohmann::json::parse(one.out);
  EXPECT_EQ(plan["monitors"][0]["chosen"], (std::vector<std::string>{"c3"}));
  EXPECT_EQ(plan["targets"], (std::vector<std::string>{"fs1/sd1"}));
  EXPECT_EQ(plan["parts"], 2);
  EXPECT_EQ(plan["hidden"].size(), 2U);
  EXPECT_EQ(plan["hidden"][0]["always"], true);
  const Said none = laggard({"ping", "plan", file_, "--k", "0"});
  EXPECT_THAT(none.out, HasSubstr("probes tell of each of the 9 parts whether it works"));
}

TEST_F(PingPlan, MistakesAreOneSentence) {
  EXPECT_THAT(laggard({"ping", "plan", file_, "--client", "x*"}).err, HasSubstr("no client to probe from"));
  EXPECT_THAT(laggard({"ping", "plan", file_, "--target", "x*"}).err, HasSubstr("nothing to probe"));
  EXPECT_THAT(laggard({"ping", "plan", file_, "--k", "9"}).err, HasSubstr("--k: is 3 at most"));
  EXPECT_EQ(laggard({"ping", "plan", "/nonexistent"}).status, 2);
  EXPECT_EQ(laggard({"ping", "plan", file_, "--interval", "0s"}).status, 2);
}

}  // namespace
}  // namespace laggard::cmd
