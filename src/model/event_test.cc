#include "model/event.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "model/profile.h"
#include "testing/observations.h"
#include "testing/property.h"

namespace laggard {
namespace {

using testing_support::plain;
using testing_support::PlainEvent;
using testing_support::PlainPeriod;
using testing_support::random_events;
using testing_support::random_profile;

WallTime at_second(std::int64_t s) { return from_unix_ns(s * 1'000'000'000); }

TEST(Dictionary, NumbersWordsInTheOrderOfTheirComing) {
  Dictionary words;
  EXPECT_EQ(words.find("read"), std::nullopt);
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t i = 0; i < 1000; ++i) {
      ASSERT_EQ(words.intern("word " + std::to_string(i)), Word{i});
    }
  }
  EXPECT_EQ(words.intern(""), Word{1000}) << "a word like any other";
  EXPECT_EQ(words.text(Word{0}), "word 0");
  EXPECT_EQ(words.text(Word{999}), "word 999");
  EXPECT_EQ(words.text(Word{1000}), "");
  EXPECT_EQ(words.find("word 7"), Word{7});
  EXPECT_EQ(words.find("word"), std::nullopt);
  const Dictionary copy = words;
  EXPECT_EQ(copy.find("word 999"), Word{999});
}

TEST(Dictionary, IsBounded) {
  Dictionary words;
  EXPECT_EQ(words.intern(std::string(Dictionary::kLongestWord + 1, 'x')), std::nullopt);
  std::size_t n = 0;
  while (words.intern(std::to_string(n) + std::string(4000, 'x'))) ++n;
  EXPECT_GT(n, Dictionary::kMostBytes / 4096);
  EXPECT_LE(words.bytes(), Dictionary::kMostBytes);
  EXPECT_EQ(words.intern("0" + std::string(4000, 'x')), Word{0}) << "what is known needs no room";
  Dictionary small;
  for (std::size_t i = 0; i < Dictionary::kMostWords; ++i) ASSERT_TRUE(small.intern(std::to_string(i)));
  EXPECT_EQ(small.intern("one more"), std::nullopt);
}

TEST(EventTable, WhatIsMissingIsNotZero) {
  EventTable table("fs1", "log");
  const Word what = table.intern("disk failed").value();
  const std::size_t code = table.attribute("code", AttributeForm::kInteger).value();
  table.append({.time = at_second(1), .duration = {}, .what = what});
  table.append({.time = at_second(2), .duration = Duration{0}, .what = what});
  table.set(code, std::int64_t{-5});
  EXPECT_EQ(table.event(0).duration, std::nullopt);
  EXPECT_EQ(table.event(1).duration, Duration{0});
  EXPECT_EQ(table.attributes()[code].bits(0), std::nullopt);
  EXPECT_EQ(table.attributes()[code].bits(1), static_cast<std::uint64_t>(-5));
  EXPECT_EQ(table.event(0).subject, kNoWord);
}

TEST(EventTable, AttributesAreFoundByNameAndForm) {
  EventTable table("fs1", "ping");
  const Word ok = table.intern("ok").value();
  table.append({.time = at_second(1), .duration = {}, .what = ok});
  EXPECT_EQ(table.find_attribute("operation", AttributeForm::kWord), nullptr);
  table.set(*table.attribute("operation", AttributeForm::kWord), *table.intern("WrEx"));
  table.append({.time = at_second(2), .duration = {}, .what = ok});
  const AttributeColumn* operation = table.find_attribute("operation", AttributeForm::kWord);
  ASSERT_NE(operation, nullptr);
  EXPECT_EQ(table.word(operation, 0), "WrEx");
  EXPECT_EQ(table.word(operation, 1), "") << "that event has none";
  EXPECT_EQ(table.word(nullptr, 0), "");
  EXPECT_EQ(table.find_attribute("operation", AttributeForm::kInteger), nullptr);
}

TEST(EventTable, TakesNoColumnThatDoesNotFit) {
  EventTable table("fs1", "log");
  const Word what = table.intern("x").value();
  for (int e = 0; e < 3; ++e) table.append({.time = at_second(e), .duration = {}, .what = what});
  const auto column = [](std::vector<std::uint32_t> events, std::vector<std::uint64_t> values) {
    return AttributeColumn{
        .key = "a", .form = AttributeForm::kWord, .events = std::move(events), .values = std::move(values)};
  };
  EXPECT_FALSE(table.add_attribute(column({0, 0}, {0, 0}))) << "an event has it twice";
  EXPECT_FALSE(table.add_attribute(column({0, 3}, {0, 0}))) << "there is no such event";
  EXPECT_FALSE(table.add_attribute(column({0, 1}, {0, 1}))) << "there is no such word";
  EXPECT_FALSE(table.add_attribute(column({0, 1}, {0}))) << "a value is missing";
  EXPECT_TRUE(table.attributes().empty());
  EXPECT_TRUE(table.add_attribute(column({0, 2}, {0, 0})));
  EXPECT_FALSE(table.add_attribute(column({1}, {0}))) << "it is there already";
}

TEST(EventTable, AttributesAreBounded) {
  EventTable table("fs1", "log");
  for (std::size_t i = 0; i < EventTable::kMostAttributes; ++i) {
    ASSERT_TRUE(table.attribute(std::to_string(i), AttributeForm::kInteger));
  }
  EXPECT_EQ(table.attribute("one more", AttributeForm::kInteger), std::nullopt);
  EXPECT_TRUE(table.attribute("7", AttributeForm::kInteger));
}

TEST(EventTable, PartsPutTogetherAreWhatTheyWere) {
  expect_property("any rows of any tables", [] {
    std::mt19937_64 random{*rc::gen::arbitrary<std::uint64_t>()};
    EventTable all("fs1", "syscall");
    std::vector<PlainEvent> expected;
    for (int part = 0; part < 3; ++part) {
      const EventTable table = random_events(random, "fs1", at_second(part), random() % 60);
      std::vector<std::uint32_t> chosen;
      for (std::uint32_t e = 0; e < table.size(); ++e) {
        if (random() % 3 != 0) chosen.push_back(e);
      }
      if (random() % 2 == 0) std::ranges::shuffle(chosen, random);
      RC_ASSERT(all.has_room_for(table));
      all.append_from(table, chosen);
      const std::vector<PlainEvent> rows = plain(table);
      for (const std::uint32_t e : chosen) expected.push_back(rows[e]);
    }
    RC_ASSERT(plain(all) == expected);
  });
}

TEST(EventTable, ACutKeepsWhatBeganInsideAndLossesThatTouch) {
  std::mt19937_64 random{1};
  EventTable table = random_events(random, "fs1", at_second(100), 3000);
  table.add_loss({.from = at_second(90), .to = at_second(101), .count = 7, .reason = "ring full"});
  table.add_loss({.from = at_second(102), .to = at_second(103), .count = 8, .reason = "ring full"});
  EXPECT_EQ(table.extent().from, at_second(90));
  const EventTable part = cut(table, at_second(101), at_second(102));
  std::vector<PlainEvent> expected;
  for (const PlainEvent& event : plain(table)) {
    if (event.time >= to_unix_ns(at_second(101)) && event.time < to_unix_ns(at_second(102)))
      expected.push_back(event);
  }
  EXPECT_EQ(plain(part), expected);
  ASSERT_EQ(part.losses().size(), 1U);
  EXPECT_EQ(part.losses()[0].count, 7U);
  EXPECT_EQ(part.boot(), "boot-1");
}

TEST(ProfileTable, PartsPutTogetherAreWhatTheyWere) {
  expect_property("any periods of any tables", [] {
    std::mt19937_64 random{*rc::gen::arbitrary<std::uint64_t>()};
    ProfileTable all("fs1", "stacks");
    std::vector<PlainPeriod> expected;
    for (int part = 0; part < 3; ++part) {
      const ProfileTable table = random_profile(random, "fs1", at_second(100 * part), random() % 9);
      std::vector<std::uint32_t> chosen(table.size());
      std::iota(chosen.begin(), chosen.end(), 0U);
      std::shuffle(chosen.begin(), chosen.end(), random);
      chosen.resize(chosen.size() / 2);
      all.append_from(table, chosen);
      const std::vector<PlainPeriod> rows = plain(table);
      for (const std::uint32_t p : chosen) expected.push_back(rows[p]);
    }
    RC_ASSERT(plain(all) == expected);
  });
}

TEST(ProfileTable, APeriodMayHaveSeenNothing) {
  ProfileTable table("fs1", "stacks");
  const Word stack = table.intern("main").value();
  table.begin({.start = at_second(0), .length = std::chrono::seconds{10}});
  table.begin({.start = at_second(10), .length = std::chrono::seconds{10}});
  table.add(stack, 3);
  EXPECT_TRUE(table.seen(0).empty());
  ASSERT_EQ(table.seen(1).size(), 1U);
  EXPECT_EQ(table.counts(1)[0], 3U);
  const ProfileTable part = cut(table, at_second(10), {});
  EXPECT_EQ(plain(part), std::vector<PlainPeriod>{plain(table)[1]});
}

}  // namespace
}  // namespace laggard
