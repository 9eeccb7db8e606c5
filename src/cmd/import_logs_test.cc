#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "testing/cli.h"

namespace laggard::cmd {
namespace {

using ::testing::HasSubstr;
using testing_support::Folder;
using testing_support::laggard;

TEST(ImportLogs, TheSecondTimeAddsNothingAndALongerLogItsEnd) {
  const Folder folder;
  const std::string rec = folder / "rec";
  const std::string two = "Nov 20 19:21:34 fs1 kernel: sd 1: lost\nNov 20 19:21:34 fs1 kernel: sd 1: lost\n";
  const std::string log = folder.write("messages", two);
  const auto import = [&] { return laggard({"import", "logs", log, "--year", "2026", "-o", rec}); };
  auto said = import();
  EXPECT_EQ(said.status, kClean) << said.err;
  EXPECT_THAT(said.out, HasSubstr(": 2 new lines, 2026-11-20T19:21:34Z to 2026-11-20T19:21:34Z"));
  EXPECT_THAT(import().out, HasSubstr(": 0 new lines (2 already there)"));
  EXPECT_EQ(folder.write("messages", two + "Nov 21 00:00:01 fs1 kernel: sd 2: lost\nwhat\n"), log);
  said = laggard({"import", "logs", log, "--year", "2026", "--out", rec, "--json"});
  EXPECT_THAT(said.out, HasSubstr(R"("new":1,"already_there":2)"));
  EXPECT_THAT(said.out, HasSubstr(R"("passed_over":1)"));
  said = laggard({"export", rec, "--events", "log"});
  EXPECT_EQ(said.status, kClean) << said.err;
  EXPECT_THAT(said.out, HasSubstr("fs1,log,,sd <d>: lost,,"));
}

TEST(ImportLogs, NothingImportedLeavesNothingBehind) {
  const Folder folder;
  const std::string rec = folder / "rec";
  const auto said = laggard({"import", "logs", folder.write("numbers", "1,2\n"), "--out", rec});
  EXPECT_EQ(said.status, kBadUse);
  EXPECT_THAT(said.err, HasSubstr("has no line of a log whose form is known"));
  EXPECT_FALSE(std::filesystem::exists(rec));
  EXPECT_EQ(laggard({"import", "logs", folder / "numbers", "--out", rec, "--tz", "CET"}).status, kBadUse);
}

}  // namespace
}  // namespace laggard::cmd
