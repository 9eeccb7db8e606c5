#include "detect/peer/judge/parameters_table.h"

#include <gtest/gtest.h>

#include <string>

#include "testing/named_number.h"

namespace laggard::detect {
namespace {

TEST(ConstantsTable, EveryNameChangesItsOwnNumberAndNoOther) { expect_each_sets_its_own(named_parameters()); }

TEST(ConstantsTable, SetsWhatIsNamed) {
  Parameters parameters;
  ASSERT_TRUE(set_parameter(parameters, "latency.threshold = 4.5"));
  EXPECT_EQ(parameters.latency.self_threshold, 4.5);
  ASSERT_TRUE(set_parameter(parameters, "filled-hole=5"));
  EXPECT_EQ(parameters.longest_filled_hole, 5U);
  ASSERT_TRUE(set_parameter(parameters, "noise.await=2"));
  EXPECT_EQ(noise_floor(parameters, *find_metric("await"), true), 2);
  EXPECT_EQ(noise_floor(parameters, *find_metric("rd_sec"), true), find_metric("rd_sec")->noise_floor_flash);
  const std::string text = describe_parameters(parameters);
  EXPECT_NE(text.find("latency.threshold               4.5  latency: untrained"), std::string::npos) << text;
  EXPECT_NE(text.find("noise.await                       2  noise floor of await, ms"), std::string::npos)
      << text;
}

TEST(ConstantsTable, SaysWhatIsWrong) {
  const auto message = [](const char* assignment) {
    Parameters parameters;
    const Status status = set_parameter(parameters, assignment);
    return status ? std::string() : status.error().message();
  };
  EXPECT_EQ(message("latency"), "--set: 'latency' is not NAME=NUMBER such as latency.threshold=4");
  EXPECT_EQ(message("latency.threshold=nan"),
            "--set: 'latency.threshold=nan' is not NAME=NUMBER such as latency.threshold=4");
  EXPECT_EQ(message("threshold=4"), "--set: no parameter is called 'threshold'; --parameters lists them");
  EXPECT_EQ(message("kl.threshold=2"), "--set: kl.threshold must lie between 0 and 1");
  EXPECT_EQ(message("noise.speed=2"), "--set: noise.speed: there is no such metric");
  Parameters few;
  ASSERT_TRUE(check_parameters(few));
  ASSERT_TRUE(set_parameter(few, "bias.blocks=1"));
  EXPECT_FALSE(check_parameters(few));
  EXPECT_EQ(message("noise.await=-1"), "--set: noise.await cannot be below 0");
}

}  // namespace
}  // namespace laggard::detect
