#include "cmd/did_you_mean.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace laggard::cmd {
namespace {

std::string hint(std::vector<std::string> words) {
  CLI::App app;
  app.require_subcommand(1);
  CLI::App* command = app.add_subcommand("diagnose");
  std::string value;
  command->add_option("--thresholds", value);
  command->add_option("recording", value);
  app.add_subcommand("incident")->require_subcommand(1);
  std::reverse(words.begin(), words.end());
  try {
    app.parse(words);
  } catch (const CLI::ParseError&) {
    return did_you_mean(app);
  }
  return "nothing is wrong";
}

TEST(DidYouMean, OptionsAndCommands) {
  EXPECT_EQ(hint({"diagnos", "rec"}), "; did you mean diagnose instead of diagnos?");
  EXPECT_EQ(hint({"diagnos", "incident"}), "; did you mean diagnose instead of diagnos?") << "a command, too";
  EXPECT_EQ(hint({"diagnose", "--treshold", "3"}), "; did you mean --thresholds instead of --treshold?");
  EXPECT_EQ(hint({"diagnose", "--tresholds=3"}), "; did you mean --thresholds instead of --tresholds?");
  EXPECT_EQ(hint({"diagnose", "--colour"}), "");
  EXPECT_EQ(hint({}), "");
}

}  // namespace
}  // namespace laggard::cmd
