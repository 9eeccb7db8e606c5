#include "analyse/judge/constants_table.h"

#include <gtest/gtest.h>

#include <string>

#include "base/testing_named_number.h"

namespace laggard::analyse {
namespace {

TEST(ConstantsTable, EveryNameChangesItsOwnNumberAndNoOther) { expect_each_sets_its_own(named_constants()); }

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
