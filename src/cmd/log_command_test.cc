#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "detect/logs/log_matcher.h"
#include "testing/cli.h"

namespace laggard::cmd {
namespace {

using ::testing::HasSubstr;
using testing_support::Folder;
using testing_support::laggard;

class LogCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!detect::LogMatcher::available()) GTEST_SKIP() << "built without RE2";
  }
  Folder folder_;
};

TEST_F(LogCommand, SaysOfEachLineWhatItMatches) {
  const std::string log = folder_.write(
      "messages",
      "Nov 20 19:21:34 fs1 kernel: blk_update_request: critical medium error, dev sdb, sector 7\n"
      "\n"
      "Nov 20 19:21:35 fs1 sshd[7]: Accepted publickey for root\n"
      "no form: ata3: hard resetting link \x1b[2J\n");
  auto said = laggard({"log", "match", log, "--json"});
  EXPECT_EQ(said.status, kClean) << said.err;
  EXPECT_EQ(said.out,
            R"({"line":1,"pattern":"block-medium-error","class":"failure","part":"disk","severity":"error"}
{"line":2,"pattern":null,"class":null,"part":null,"severity":null}
{"line":3,"pattern":null,"class":null,"part":null,"severity":null}
{"line":4,"pattern":"ata-reset","class":"failure","part":"disk","severity":"error"}
)");
  said = laggard({"log", "match", log});
  EXPECT_EQ(
      said.out,
      "1: block-medium-error (disk failure, error): blk_update_request: critical medium error, dev sdb, "
      "sector 7\n4: ata-reset (disk failure, error): no form: ata3: hard resetting link \\x1b[2J\n");
}

TEST_F(LogCommand, ASitesPatternsAndWhatIsWrongInThem) {
  const std::string log = folder_.write("messages", "acme: v7 degraded\n");
  const std::string head = "[[pattern]]\nname = 'acme'\npart = 'array'\nmatch = 'acme: v\\d+ degraded'\n";
  const std::string good = folder_.write("good.toml", head + "samples = ['acme: v7 degraded']\n");
  EXPECT_THAT(laggard({"log", "match", log, "--patterns", good}).out,
              HasSubstr("acme (array failure, error)"));
  const std::string bad = folder_.write("bad.toml", head + "samples = ['acme: v degraded']\n");
  const auto said = laggard({"log", "match", log, "--patterns", bad});
  EXPECT_EQ(said.status, kBadUse);
  EXPECT_THAT(said.err, HasSubstr("bad.toml:5: the pattern 'acme' does not match this sample"));
  EXPECT_EQ(laggard({"log", "match", folder_ / "none"}).status, kBadUse);
}

}  // namespace
}  // namespace laggard::cmd
