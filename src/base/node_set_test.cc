#include "base/node_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "testing/property.h"

namespace laggard {
namespace {

using testing::ElementsAre;

TEST(NodeSet, Expands) {
  EXPECT_THAT(*expand_node_set("fs[1-3]"), ElementsAre("fs1", "fs2", "fs3"));
  EXPECT_THAT(*expand_node_set("fs[08-10,3]-ib, mds"),
              ElementsAre("fs08-ib", "fs09-ib", "fs10-ib", "fs3-ib", "mds"));
  EXPECT_THAT(*expand_node_set("r[1-2]n[1-2]"), ElementsAre("r1n1", "r1n2", "r2n1", "r2n2"));
}

TEST(NodeSet, RefusesNonsense) {
  for (const char* bad :
       {"", "a,,b", "fs[1-", "fs1]", "fs[3-1]", "fs[a-b]", "fs[0-99999999999]", "x[1-3000][1-3000]"}) {
    EXPECT_FALSE(expand_node_set(bad).has_value()) << bad;
  }
}

TEST(NodeSet, HoldsTheLimitThatIsGiven) {
  EXPECT_TRUE(expand_node_set("n[1-8]", 8).has_value());
  for (const char* big :
       {"n[1-9]", "n[1-4,1-5]", "n[1-3]m[1-3]", "n[1-4],m[1-5]", "n[0-18446744073709551615]"}) {
    EXPECT_FALSE(expand_node_set(big, 8).has_value()) << big;
  }
}

TEST(NodeSet, RefusesGigabytesOfNames) {
  const std::string zeros(1000, '0');
  const std::string word(1000, 'x');
  std::string terms = "a";
  for (int i = 0; i < 80; ++i) terms += "," + word + "[1-1000]";
  for (const std::string& big :
       {"n[" + zeros + "1-1000000]", "n[1-100000]" + word, word + "[1-1000][1-1000]", terms}) {
    const auto names = expand_node_set(big);
    ASSERT_FALSE(names.has_value());
    EXPECT_THAT(names.error().what, testing::HasSubstr("more than 16 MB of text"));
  }
}

TEST(NodeSet, Folds) {
  const std::vector<std::string> names{"fs3", "fs1", "fs2", "fs7", "mds", "fs3"};
  EXPECT_EQ(fold_node_set(names), "fs[1-3,7],mds");
  const std::vector<std::string> padded{"n01", "n02", "n10"};
  EXPECT_EQ(fold_node_set(padded), "n[01-02,10]");
}

TEST(NodeSet, FoldingAndExpandingKeepsTheSet) {
  expect_property("expand(fold(x)) is x without duplicates", [] {
    const auto numbers = *rc::gen::container<std::vector<unsigned>>(rc::gen::inRange(0U, 500U));
    std::vector<std::string> names{"mds"};
    for (const unsigned n : numbers) names.push_back("fs" + std::to_string(n));
    auto back = *expand_node_set(fold_node_set(names));
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::sort(back.begin(), back.end());
    RC_ASSERT(back == names);
  });
}

}  // namespace
}  // namespace laggard
