// What holds whatever the command: what is said where the system lacks something, and that names from
// outside, which may hold what a terminal would obey, arrive without it.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "base/terminal_text.h"
#include "testing/cli.h"

namespace laggard::cmd {
namespace {

using ::testing::HasSubstr;
using testing_support::Folder;
using testing_support::kExample;
using testing_support::laggard;
using testing_support::Said;

/// In a process of its own that has only so much of this.
[[noreturn]] void run_within(__rlimit_resource resource, rlim_t most, std::vector<std::string> words) {
  const rlimit limit{.rlim_cur = most, .rlim_max = most};
  if (::setrlimit(resource, &limit) != 0) ::_exit(77);
  words.insert(words.begin(), "laggard");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  ::_exit(run(laggard_program(), static_cast<int>(argv.size()), argv.data()));
}

TEST(ProgramDeathTest, TooSmallAStackIsToldBeforeItRunsOver) {
  EXPECT_EXIT(run_within(RLIMIT_STACK, 64 * 1024, {"diagnose", kExample}), ::testing::ExitedWithCode(kBadUse),
              "laggard: the stack may be only 64 KiB \\(ulimit -s\\); give it 1024 or more\n");
}

TEST(ProgramDeathTest, LackOfMemoryIsTheSystemsAndNoMistakeOfOurs) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers end a program that gets no memory";
#endif
  EXPECT_EXIT(run_within(RLIMIT_AS, 0, {"diagnose", kExample, "--threads", "4"}),
              ::testing::ExitedWithCode(kBadUse), "laggard: .*not enough memory");
}

TEST(Program, TheLabIsAProgramOfItsOwn) {
  const std::vector<std::vector<std::string>> typed{
      {"lab"}, {"lab", "--help"}, {"lab", "simulate", "--scale", "intrepid", "-o", "day"}};
  for (const std::vector<std::string>& words : typed) {
    const Said said = laggard(words);
    EXPECT_EQ(said.status, kBadUse) << words.back();
    EXPECT_EQ(said.out + said.err, "laggard: lab: is a program of its own: laggard-lab\n");
  }
  EXPECT_EQ(laggard({"--help"}).out.find("lab "), std::string::npos);
}

/// ESC ]0; sets a title, ESC [2J wipes the screen; NUL, BEL, CR, DEL, CSI of C1 in UTF-8 and as a bare byte,
/// an override of direction, a separator of lines, a tab.
const std::string kEvil = std::string(
    "x\x1b]0;owned\x07\x1b[2J\0\r\t\x7f\xc2\x9b"
    "31m\x9b\xe2\x80\xae\xe2\x80\xa8",
    34);

void expect_harmless(const Said& said, const std::string& command) {
  for (const std::string* text : {&said.out, &said.err}) {
    std::string line = *text;
    std::erase(line, '\n');
    EXPECT_TRUE(is_printable(line)) << command << ": " << printable(*text);
  }
}

std::string quoted_csv(const std::string& name) { return "\"" + name + "\""; }

/// Disks of hosts in which every name is hostile; one of them is slow, so that there is an incident to show.
std::string samples() {
  std::string text = "time,host,kind,device,counter,value\n";
  for (int t = 0; t < 200; ++t) {
    for (int h = 0; h < 4; ++h) {
      const std::string begin = std::to_string(1795202494 + t) + "," +
                                quoted_csv("h" + std::to_string(h) + kEvil) + ",disk," +
                                quoted_csv("sd" + kEvil) + ",";
      const int await = h == 2 && t > 60 ? 90 : 10;
      for (const auto& [counter, value] : {std::pair<std::string, int>{"rd_ios", 100 * t},
                                           {"rd_ms", 100 * t * await},
                                           {"rd_sectors", 800 * t},
                                           {"wr_ios", 0},
                                           {"wr_ms", 0},
                                           {"wr_sectors", 0},
                                           {"io_ms", 500 * t},
                                           {quoted_csv(kEvil), t}}) {
        text += begin + counter + "," + std::to_string(value) + "\n";
      }
    }
  }
  return text;
}

TEST(HostileNames, NothingThatATerminalObeysArrives) {
  const Folder folder;
  const std::string rec = folder / "rec";
  const std::string csv = folder.write("s\x1b[2J.csv", samples());
  const auto expect = [](const std::vector<std::string>& words) {
    const Said said = laggard(words);
    expect_harmless(said, words.front());
    return said;
  };
  const Said imported = expect({"import", "csv", csv, "--out", rec});
  ASSERT_EQ(imported.status, 0) << imported.err;
  EXPECT_THAT(imported.err, HasSubstr("\\x1b]0;owned"));
  EXPECT_THAT(expect({"info", rec, "--devices"}).out, HasSubstr("h2x\\x1b]0;owned\\x07\\x1b[2J\\x00"));
  const Said diagnosed = expect({"diagnose", rec, "--peers", "all"});
  EXPECT_THAT(diagnosed.out, HasSubstr("\\x1b]0;owned"));
  expect({"system", "discover", rec});
  expect({"incident", "list", rec, "--peers", "all"});
  expect({"incident", "exclude", "h1" + kEvil, rec, "--why", kEvil, "--by", kEvil, "--peers", "all"});
  expect({"incident", "list", rec, "--peers", "all"});
  expect({"train", rec, "--peers", "all", "--out", folder / "t.toml"});
  expect({"export", rec, "--metric", kEvil});
  expect({"info", folder / ("none" + kEvil)});
  expect({kEvil});
  expect({"diagnose", rec, "--" + kEvil});
  const std::string tar =
      "cd '" + (folder / "") + "' && printf x >'b\x1b[2J' && printf y >'c\x1b[2J' && tar cf odd.tar b* c* s*";
  ASSERT_EQ(std::system(tar.c_str()), 0);  // NOLINT(cert-env33-c)
  EXPECT_THAT(expect({"import", "csv", folder / "odd.tar", "--out", rec}).err, HasSubstr("b\\x1b[2J"));
  expect({"import", "sysstat", folder / "odd.tar", "--out", rec});
}

TEST(HostileNames, SystemFilesAndRules) {
  const Folder folder;
  const std::string name = "\\u001B]0;owned\\u0007\\u0000\\u009B\\u202E\\u2028\\r";
  const auto expect = [](const std::vector<std::string>& words) {
    const Said said = laggard(words);
    expect_harmless(said, words.front());
    EXPECT_THAT(said.out + said.err, HasSubstr("\\x1b]0;owned"));
  };
  expect({"system", "check",
          folder.write("a.toml",
                       "name = \"" + name + "\"\n[[servers]]\nname = \"s[1-3]\"\ndevice = \"sda\"\n")});
  expect({"system", "check", folder.write("b.toml", "\"" + name + "\" = 1\n")});
  expect({"diagnose", kExample, "--rules",
          folder.write("r.toml", "[[rule]]\nname = \"n\"\ncause = \"c\"\nany = [\"" + name + "\"]\n")});
  expect({"diagnose", kExample, "--thresholds", folder.write("t.toml", "format = \"" + name + "\"\n")});
}

/// JSON says exactly what the names are, with escapes for what a terminal would obey.
TEST(HostileNames, JsonStaysExact) {
  const Folder folder;
  const std::string rec = folder / "rec";
  // Without the byte that is no UTF-8, for which JSON has no word.
  std::string name =
      "h\x1b[2J\x07\x7f\xc2\x9b"
      "31m\xe2\x80\xae\xe2\x80\xa8";
  ASSERT_EQ(laggard({"import", "csv",
                     folder.write("s.csv", "time,host,kind,device,counter,value\n1795202494," + name +
                                               ",disk," + name + ",rd_ios,1\n"),
                     "--out", rec})
                .status,
            0);
  const Said said = laggard({"info", rec, "--json"});
  expect_harmless(said, "info --json");
  const auto json = nlohmann::json::parse(said.out);
  EXPECT_EQ(json["devices"][0]["host"], name);
  EXPECT_EQ(json["devices"][0]["device"], name);
  // CSV is exact to the byte.
  EXPECT_THAT(laggard({"export", rec}).out,
              HasSubstr("1795202494," + name + ",disk," + name + ",rd_ios,1\n"));
}

}  // namespace
}  // namespace laggard::cmd
