#include "analyse/judge/constants_table.h"

#include <gtest/gtest.h>

#include <set>

namespace laggard::analyse {
namespace {

TEST(ConstantsTable, EveryNameChangesItsOwnNumberAndNoOther) {
  std::set<std::string_view> names;
  for (const NamedConstant& constant : named_constants()) {
    EXPECT_TRUE(names.insert(constant.name).second) << constant.name << " is there twice";
    const Constants defaults;
    EXPECT_GE(constant.get(defaults), constant.least) << constant.name;
    EXPECT_LE(constant.get(defaults), constant.most) << constant.name;
    Constants changed;
    const double other = constant.get(defaults) == constant.least ? constant.most : constant.least;
    constant.set(changed, other);
    for (const NamedConstant& any : named_constants()) {
      EXPECT_EQ(any.get(changed), any.name == constant.name ? other : any.get(defaults))
          << constant.name << " changes " << any.name;
    }
  }
}

TEST(ConstantsTable, SetsWhatIsNamed) {
  Constants constants;
  ASSERT_TRUE(set_constant(constants, "latency.threshold = 4.5"));
  EXPECT_EQ(constants.latency.self_threshold, 4.5);
  ASSERT_TRUE(set_constant(constants, "filled-hole=5"));
  EXPECT_EQ(constants.longest_filled_hole, 5U);
  ASSERT_TRUE(set_constant(constants, "noise.await=2"));
  EXPECT_EQ(noise_floor(constants, *find_metric("await"), true), 2);
  EXPECT_EQ(noise_floor(constants, *find_metric("rd_sec"), true), find_metric("rd_sec")->noise_floor_flash);
  const std::string text = describe_constants(constants);
  EXPECT_NE(text.find("latency.threshold               4.5  latency: untrained"), std::string::npos) << text;
  EXPECT_NE(text.find("noise.await                       2  noise floor of await, ms"), std::string::npos)
      << text;
}

TEST(ConstantsTable, SaysWhatIsWrong) {
  const auto message = [](const char* assignment) {
    Constants constants;
    const Status status = set_constant(constants, assignment);
    return status ? std::string() : status.error().message();
  };
  EXPECT_EQ(message("latency"), "--set: 'latency' is not NAME=NUMBER such as latency.threshold=4");
  EXPECT_EQ(message("latency.threshold=nan"),
            "--set: 'latency.threshold=nan' is not NAME=NUMBER such as latency.threshold=4");
  EXPECT_EQ(message("threshold=4"), "--set: no constant is called 'threshold'; --constants lists them");
  EXPECT_EQ(message("kl.threshold=2"), "--set: kl.threshold must lie between 0 and 1");
  EXPECT_EQ(message("noise.speed=2"), "--set: noise.speed: there is no such metric");
  Constants few;
  ASSERT_TRUE(check_constants(few));
  ASSERT_TRUE(set_constant(few, "bias.blocks=1"));
  EXPECT_FALSE(check_constants(few));
  EXPECT_EQ(message("noise.await=-1"), "--set: noise.await cannot be below 0");
}

}  // namespace
}  // namespace laggard::analyse
