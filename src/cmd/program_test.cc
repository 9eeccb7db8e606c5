// What is said where the system lacks something.
#include <sys/resource.h>

#include <functional>

#include "testing/cli.h"

namespace laggard::cmd {
namespace {

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

}  // namespace
}  // namespace laggard::cmd
