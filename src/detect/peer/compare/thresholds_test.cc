#include "detect/peer/compare/thresholds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <random>

#include "testing/property.h"

namespace laggard::detect {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

Thresholds example() {
  Thresholds t;
  t.header = {.preset = "lab",
              .windows = {.interval = seconds(1), .size = 64, .shift = 32, .smoothing = 5, .k = 3},
              .from = *parse_time("2011-05-09T00:00:05Z"),
              .to = *parse_time("2011-05-10T00:00:05Z"),
              .recordings = 4};
  t.groups.push_back(
      {"cdf",
       "await",
       "sdb of fs",
       3.4,
       12.5,
       {{"fs1/sdb", 2.4}, {"fs2/sdb", 2.4}, {"fs3/sdb", 2.4}, {"fs4/sdb", 3.4}, {"a,b", 0.2}}});
  t.groups.push_back({"cwnd", "cwnd", "servers", 0.7, 0, {}});
  t.groups.push_back({"deviation",
                      "dread",
                      "daemons storage-calls",
                      12.345,
                      0,
                      {{"s1/storage-calls", 0.001}},
                      {"a,b", "s2/storage-calls"}});
  return t;
}

constexpr std::string_view kText =
    R"(# Thresholds as `laggard train` and --learn write them. A component is anomalous in a window when its
# distance to more than half of its peers exceeds its threshold.
format = "laggard.thresholds/1"
preset = "lab"
from = "2011-05-09T00:00:05Z"
to = "2011-05-10T00:00:05Z"
recordings = 4
form = "filtered"
factor = 2.0
step = 0.1

[windows]
interval = "1s"
size = 64
shift = 32
smoothing = 5
k = 3

[[group]]
distance = "cdf"
metric = "await"
name = "sdb of fs"
others = 3.4
windows = 12.5
[group.thresholds]
"fs4/sdb" = 3.4
"fs[1-3]/sdb" = 2.4
[group.exact]
"a,b" = 0.2

[[group]]
distance = "cwnd"
metric = "cwnd"
name = "servers"
others = 0.7

[[group]]
distance = "deviation"
metric = "dread"
name = "daemons storage-calls"
others = 12.345
saturated = ["a,b", "s2/storage-calls"]
[group.thresholds]
"s1/storage-calls" = 0.001
)";

TEST(Thresholds, AreReadableText) {
  EXPECT_EQ(*write_thresholds(example()), kText);
  EXPECT_EQ(*read_thresholds(kText, "t.toml"), example());
}

TEST(Thresholds, OfSeveralPresetsAreInOneFile) {
  Thresholds both = example();
  Thresholds quick = example();
  quick.header.preset = "quick";
  quick.header.windows.size = 16;
  quick.header.windows.shift = 8;
  quick.groups[0].others = 7.5;
  both.beside.push_back(quick);
  const std::string text = *write_thresholds(both);
  EXPECT_TRUE(text.starts_with(kText)) << "programs that know of one part read the first";
  EXPECT_EQ(*read_thresholds(text, "t.toml"), both);
  EXPECT_EQ(*both.of_preset("quick"), quick);
  EXPECT_EQ(both.of_preset("lab"), &both);
  EXPECT_EQ(both.of_preset("production"), nullptr);
  both.beside.front().header.preset = "lab";
  EXPECT_FALSE(write_thresholds(both)) << "two parts of one preset";
}

TEST(Thresholds, FindsAndFallsBack) {
  const Thresholds t = example();
  const GroupThresholds* const group = t.find("cdf", "await", "sdb of fs");
  ASSERT_NE(group, nullptr);
  EXPECT_EQ(group->of("fs2/sdb"), 2.4);
  EXPECT_EQ(group->of("fs9/sdb"), 3.4);
  EXPECT_EQ(t.find("kl", "await", "sdb of fs"), nullptr);
}

std::string draw_name(std::mt19937_64& random) {
  static constexpr std::string_view kPieces[] = {"fs", "0",  "1",  "23", "/", "sd", "a", ",", "[1-3]", "]",
                                                 " ",  "\"", "\\", "\n", "é", "#",  "=", ".", "007"};
  std::string name;
  for (std::size_t i = 0; i < 1 + random() % 5; ++i) name += kPieces[random() % std::size(kPieces)];
  return name;
}

TEST(Thresholds, AnyNamesComeBack) {
  expect_property("read(write(t)) is t", [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Thresholds t = example();
    t.groups.clear();
    for (std::size_t g = 0; g < random() % 4; ++g) {
      GroupThresholds group{"cdf", "m" + std::to_string(g), draw_name(random), 0.1, 0, {}};
      for (std::size_t i = 0; i < random() % 20; ++i) {
        group.components[draw_name(random)] = static_cast<double>(random() % 5) * 0.3;
      }
      for (std::size_t i = 0; i < random() % 3; ++i) group.saturated.insert(draw_name(random));
      t.groups.push_back(group);
    }
    for (std::size_t i = 0; i < random() % 3; ++i) t.normal_errors.insert(draw_name(random));
    const auto text = write_thresholds(t);
    RC_ASSERT(text.has_value());
    RC_ASSERT(*read_thresholds(*text, "") == t);
  });
}

TEST(Thresholds, RefusesToWriteWhatIsNotText) {
  Thresholds t = example();
  t.groups[0].components["\xff"] = 1;
  const auto text = write_thresholds(t);
  ASSERT_FALSE(text.has_value());
  EXPECT_THAT(text.error().message(), HasSubstr("cannot be written"));
}

std::string with(std::string_view from, std::string_view to) {
  std::string text(kText);
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(Thresholds, ErrorsNameTheLine) {
  const auto message = [](const std::string& text) {
    const auto read = read_thresholds(text, "t.toml");
    return read ? std::string("no error") : read.error().message();
  };
  EXPECT_EQ(message(with("others = 3.4\n", "")), "t.toml:19: 'others' is missing; it is a number");
  EXPECT_EQ(message(with("\"fs4/sdb\" = 3.4", "\"fs[2-4]/sdb\" = 3.4")),
            "t.toml:26: 'fs[2-4]/sdb' names 'fs2/sdb' a second time");
  EXPECT_EQ(message(with("= 2.4", "= -1")), "t.toml:27: 'fs[1-3]/sdb' must be a number that is not negative");
  EXPECT_THAT(message(with("[1-3]", "[3-1]")), HasSubstr("runs backwards"));
  EXPECT_THAT(message(with("= 2.4", "= nan")), HasSubstr("must be a number"));
  EXPECT_THAT(message(with("= 64", "= 0")), HasSubstr("t.toml:14: 'size' must be a whole number from 1"));
  EXPECT_THAT(message(with("1s", "soon")), HasSubstr("t.toml:13: 'interval'"));
  EXPECT_THAT(message(with("filtered", "other")), HasSubstr("'form' must be filtered or single"));
  EXPECT_THAT(message(with("thresholds/1", "thresholds/2")), HasSubstr("this laggard reads"));
  EXPECT_THAT(message(with("[[group]]", "[group]")), HasSubstr("t.toml:"));
  EXPECT_EQ(message(with("\"a,b\", \"s2", "2, \"s2")), "t.toml:42: 'saturated' must be a list of names");
  EXPECT_THAT(message(with("[\"a,b\", \"s2/storage-calls\"]", "true")), HasSubstr("must be a list of names"));
  EXPECT_THAT(message("x = "), HasSubstr("t.toml:1: "));
  EXPECT_THAT(message(""), HasSubstr("'format' is missing"));
}

TEST(Thresholds, MismatchNamesBothValues) {
  const Thresholds t = example();
  PlannedUse use{.preset = "lab", .windows = t.header.windows, .distances = {"cdf", "cwnd"}};
  EXPECT_TRUE(check_use(t, use, "t.toml").has_value());
  use.windows.size = 60;
  EXPECT_EQ(check_use(t, use, "t.toml").error().message(),
            "t.toml: trained with windows of 64 samples, but this run has 60 samples; use the same, or train "
            "again");
  use.windows.size = 64;
  use.windows.interval = seconds(15);
  EXPECT_THAT(check_use(t, use, "t.toml").error().message(),
              HasSubstr("samples of 1s, but this run has 15s"));
  use.windows = t.header.windows;
  use.preset = "production";
  EXPECT_THAT(check_use(t, use, "t.toml").error().message(),
              HasSubstr("preset lab, but this run has production"));
  use.preset = "lab";
  use.distances = {"kl"};
  EXPECT_EQ(
      check_use(t, use, "t.toml").error().message(),
      "t.toml: trained for the distance cdf, cwnd, deviation, but this run uses kl; use the same, or train "
      "again");
}

}  // namespace
}  // namespace laggard::detect
