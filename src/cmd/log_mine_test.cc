#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "detect/logs/log_matcher.h"
#include "testing/cli.h"

namespace laggard::cmd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing_support::Folder;
using testing_support::laggard;

class LogMine : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!detect::LogMatcher::available()) GTEST_SKIP() << "built without RE2";
  }
  Folder folder_;
};

const std::string kLog =
    "<12>Nov 20 19:21:34 fs1 acme: volume alpha (sd 3) is odd, can't say why\n"
    "<11>Nov 20 19:21:35 fs1 acme: volume alpha (sd 12) is odd, can't say why\n"
    "<14>Nov 20 19:21:36 fs1 acme: all is well\n"
    "<11>Nov 20 19:21:37 fs1 kernel: blk_update_request: critical medium error, dev sdb, sector 7\n"
    "\n"
    "Nov 20 19:21:38 fs1 acme: cache of node n7 lost 12 pages\n"
    "<11>Nov 20 19:21:39 fs1 acme: a 7\n"
    "<11>Nov 20 19:21:39 fs1 acme: \x1b[2J of the escaping kind\n";

TEST_F(LogMine, WritesAFileOfPatternsForLinesThatNoneKnows) {
  const std::string log = folder_.write("messages", kLog);
  const auto said = laggard({"log", "mine", log});
  EXPECT_EQ(said.status, kClean) << said.err;
  EXPECT_THAT(said.out, HasSubstr(R"(# 2 lines
[[pattern]]
name = "volume-alpha-odd"
part = "server"
severity = "error"
class = "failure"
match = "volume\\s+alpha\\s+\\(sd\\s+\\w+\\)\\s+is\\s+odd,\\s+can't\\s+say\\s+why"
samples = ["volume alpha (sd 3) is odd, can't say why"]
)"));
  EXPECT_THAT(said.out, HasSubstr(R"(match = 'cache\s+of\s+node\s+n\w+\s+lost\s+\w+\s+pages')"));
  EXPECT_THAT(said.out,
              HasSubstr("# 1 line; too little of it stays the same for a pattern\n# [[pattern]]\n"));
  EXPECT_THAT(said.out, AllOf(Not(HasSubstr("well")), Not(HasSubstr("medium")), Not(HasSubstr("\x1b"))));
  // What it writes is a file of patterns: with it nothing of the log is unknown any more.
  const std::string patterns = folder_.write("site.toml", said.out);
  EXPECT_THAT(laggard({"log", "match", log, "--patterns", patterns}).out,
              AllOf(HasSubstr("1: volume-alpha-odd (server failure, error): volume alpha"),
                    HasSubstr("2: volume-alpha-odd"), HasSubstr("6: cache-node-lost")));
  EXPECT_THAT(laggard({"log", "mine", log, "--patterns", patterns, "--severity", "warning"}).out,
              Not(HasSubstr("\n[[pattern]]")));
}

TEST_F(LogMine, ChoosesByCountAndSeverityAndNumbersEachLine) {
  const std::string log = folder_.write("messages", kLog);
  auto said = laggard({"log", "mine", log, "--least", "2"});
  EXPECT_THAT(said.out, AllOf(HasSubstr("volume-alpha-odd"), Not(HasSubstr("cache"))));
  said = laggard({"log", "mine", log, "--severity", "debug", "--known", "--json"});
  EXPECT_EQ(said.out,
            "{\"line\":1,\"template\":0}\n{\"line\":2,\"template\":0}\n{\"line\":3,\"template\":1}\n"
            "{\"line\":4,\"template\":2}\n{\"line\":5,\"template\":null}\n{\"line\":6,\"template\":3}\n"
            "{\"line\":7,\"template\":4}\n{\"line\":8,\"template\":5}\n");
  said = laggard({"log", "mine", log, "--severity", "loud"});
  EXPECT_EQ(said.status, kBadUse);
  EXPECT_THAT(said.err, HasSubstr("--severity: loud is none of emergency, alert"));
  EXPECT_EQ(laggard({"log", "mine", folder_ / "none"}).status, kBadUse);
}

}  // namespace
}  // namespace laggard::cmd
