#include "derive/event_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "testing/property.h"
#include "testing/samples.h"

namespace laggard::derive {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing_support::second;

constexpr std::array kCounters{
    DerivedCounter{.name = "asked"},
    DerivedCounter{.name = "waited_us", .counted = Counted::kDurations, .unit = 1us},
    DerivedCounter{.name = "reads", .what = "read"},
    DerivedCounter{.name = "le_4ms", .at_most = 4ms},
    DerivedCounter{.name = "bytes", .counted = Counted::kAttribute, .attribute = "size"},
};
constexpr Derivation kRow{.events = "call", .device = "self", .counters = kCounters, .mark = "here"};

/// An event, or a loss when `lost_for` is there.
struct Told {
  int host = 0;
  int part = 0;  ///< 0: none.
  std::int64_t ms = 0;
  std::optional<std::int64_t> took_us{};
  std::optional<std::int64_t> size{};
  std::string what = "read";
  std::optional<std::int64_t> lost_for{};
};

std::string host_of(const Told& one) { return "h" + std::to_string(one.host); }
std::string part_of(const Told& one) { return one.part == 0 ? "self" : "p" + std::to_string(one.part); }
WallTime time_of(const Told& one) { return from_unix_ns(one.ms * 1'000'000); }

EventTable table_of(const Told& one) {
  EventTable table(host_of(one), "call");
  if (one.lost_for) {
    table.add_loss({time_of(one), time_of(one) + std::chrono::milliseconds(*one.lost_for), 3, "full"});
    return table;
  }
  EventTable::Event event;
  event.time = time_of(one);
  if (one.took_us) event.duration = std::chrono::microseconds(*one.took_us);
  if (one.part != 0) event.subject = table.intern(part_of(one)).value();
  event.what = table.intern(one.what).value();
  table.append(event);
  if (one.size) table.set(table.attribute("size", AttributeForm::kInteger).value(), *one.size);
  return table;
}

/// What an event adds, from the definitions in derivation_table.h.
std::vector<std::uint64_t> amounts(const Told& one) {
  const auto took = static_cast<std::uint64_t>(one.took_us.value_or(0));
  return {1, took, one.what == "read" ? 1U : 0U, one.took_us && *one.took_us <= 4000 ? 1U : 0U,
          static_cast<std::uint64_t>(std::max<std::int64_t>(one.size.value_or(0), 0))};
}

/// Samples by host and second: of each device its counters; and which boot they are of.
struct Sampled {
  std::map<std::pair<std::string, std::int64_t>, std::map<std::string, std::vector<std::uint64_t>>> values;
  std::map<std::pair<std::string, std::int64_t>, std::string> boots;

  void add(const SampleTable& table) {
    for (std::size_t t = 0; t < table.times().size(); ++t) {
      const std::pair key{table.host(), to_unix_ns(table.times()[t]) / 1'000'000'000};
      RC_ASSERT(second(static_cast<double>(key.second)) == table.times()[t]);
      RC_ASSERT(boots.emplace(key, table.boot()).second);
      for (std::size_t d = 0; d < table.devices().size(); ++d) {
        for (std::size_t c = 0; c < table.counters().size(); ++c) {
          RC_ASSERT(table.present(c, d, t) == table.present(0, d, t));
          if (table.present(c, d, t)) values[key][table.devices()[d]].push_back(table.bits(c, d, t));
        }
      }
    }
  }
  void add(const std::vector<SampleTable>& tables) {
    for (const SampleTable& table : tables) add(table);
  }
};

bool lost_in(const std::vector<Told>& all, int host, std::int64_t from_ms, std::int64_t to_ms) {
  return std::ranges::any_of(all, [&](const Told& one) {
    return one.lost_for && one.host == host && one.ms < to_ms && one.ms + *one.lost_for >= from_ms;
  });
}

/// The meter's definition, second by second and event by event.
Sampled by_definition(const std::vector<Told>& all) {
  Sampled out;
  for (int host = 0; host < 2; ++host) {
    std::int64_t last = -1;
    int boot = 0;
    for (std::int64_t end = 1; end <= 40; ++end) {
      std::map<std::string, std::vector<std::uint64_t>> devices;
      bool told = false;
      for (const Told& one : all) {
        if (one.lost_for || one.host != host || one.ms >= end * 1000) continue;
        told = told || one.ms >= (end - 1) * 1000;
        if (one.what == "here") continue;
        std::vector<std::uint64_t>& sums = devices[part_of(one)];
        sums.resize(kCounters.size(), 0);
        for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += amounts(one)[c];
      }
      if (!told || lost_in(all, host, (end - 1) * 1000, end * 1000)) continue;
      if (lost_in(all, host, last * 1000, end * 1000)) ++boot;
      last = end;
      const std::pair key{"h" + std::to_string(host), end};
      if (devices.empty()) continue;
      out.boots[key] = std::to_string(boot);
      out.values[key] = devices;
    }
  }
  return out;
}

rc::Gen<Told> anything() {
  return rc::gen::map(
      rc::gen::tuple(rc::gen::inRange(0, 2), rc::gen::inRange(0, 4),
                     rc::gen::inRange<std::int64_t>(0, 30'000), rc::gen::inRange<std::int64_t>(-3000, 9000),
                     rc::gen::inRange<std::int64_t>(-9, 100), rc::gen::inRange(0, 40)),
      [](const auto& drawn) {
        const auto& [host, part, ms, took, size, which] = drawn;
        Told one{host, part, ms, {}, {}};
        if (took >= 0) one.took_us = took;
        if (size > -5) one.size = size;
        if (which < 10) one.what = "write";
        if (which > 35) one.what = "here";
        if (which == 20) one.lost_for = ms / 10;
        return one;
      });
}

/// Whether two samples are of one boot is all that a boot's name says.
std::set<std::pair<std::int64_t, std::int64_t>> breaks(const Sampled& sampled, const std::string& host) {
  std::set<std::pair<std::int64_t, std::int64_t>> found;
  const std::pair<const std::pair<std::string, std::int64_t>, std::string>* before = nullptr;
  for (const auto& one : sampled.boots) {
    if (one.first.first != host) continue;
    if (before != nullptr && before->second != one.second)
      found.emplace(before->first.second, one.first.second);
    before = &one;
  }
  return found;
}

TEST(EventMeter, CountsWhatItsDefinitionCountsInAnyOrderWithinTheLateness) {
  expect_property("the meter and its definition agree", [] {
    std::vector<Told> all = *rc::gen::container<std::vector<Told>>(anything());
    constexpr std::int64_t kLateness = 3000;
    std::vector<std::pair<std::int64_t, const Told*>> arrivals;
    for (const Told& one : all) {
      arrivals.emplace_back(one.ms + (one.lost_for ? 0 : *rc::gen::inRange<std::int64_t>(0, kLateness)),
                            &one);
    }
    std::ranges::sort(arrivals);
    EventMeter meter(kRow, 1s);
    Sampled sampled;
    for (const auto& [at, one] : arrivals) {
      sampled.add(meter.take(from_unix_ns((at - kLateness) * 1'000'000)));
      meter.add(table_of(*one));
    }
    sampled.add(meter.take_all());
    const Sampled expected = by_definition(all);
    RC_ASSERT(sampled.values == expected.values);
    for (const char* host : {"h0", "h1"}) RC_ASSERT(breaks(sampled, host) == breaks(expected, host));
    RC_ASSERT(meter.unused().empty());
  });
}

TEST(EventMeter, GivesTheSameDifferencesWhereverReadingBegins) {
  expect_property("differences do not depend on where reading began", [] {
    const std::vector<Told> all = *rc::gen::container<std::vector<Told>>(anything());
    const auto begin = *rc::gen::inRange<std::int64_t>(0, 20) * 1000;
    std::vector<SeriesKey> known;
    for (const char* host : {"h0", "h1"}) {
      for (const char* part : {"self", "p1", "p2", "p3"}) known.push_back({host, kRow.kind, part});
    }
    EventMeter whole(kRow, 1s);
    EventMeter rest(kRow, 1s);
    whole.count_only(known);
    rest.count_only(known);
    for (const Told& one : all) {
      whole.add(table_of(one));
      if (one.ms >= begin || one.lost_for) rest.add(table_of(one));
    }
    Sampled of_whole;
    Sampled of_rest;
    of_whole.add(whole.take_all());
    of_rest.add(rest.take_all());
    const std::pair<const std::pair<std::string, std::int64_t>,
                    std::map<std::string, std::vector<std::uint64_t>>>* before = nullptr;
    for (const auto& now : of_rest.values) {
      RC_ASSERT(of_whole.values.contains(now.first));
      if (before != nullptr && before->first.first == now.first.first) {
        for (const auto& [device, counts] : now.second) {
          for (std::size_t c = 0; c < counts.size(); ++c) {
            RC_ASSERT(counts[c] - before->second.at(device)[c] ==
                      of_whole.values.at(now.first).at(device)[c] -
                          of_whole.values.at(before->first).at(device)[c]);
          }
        }
      }
      before = &now;
    }
  });
}

TEST(EventMeter, AHostThatToldOfNothingHasNoSampleAndOneThatDidHasThemOfAllDevices) {
  EventMeter meter(kRow, 1s);
  for (const Told& one :
       {Told{.part = 1, .ms = 100}, Told{.part = 2, .ms = 1100}, Told{.ms = 3500, .what = "here"}}) {
    meter.add(table_of(one));
  }
  const std::vector<SampleTable> tables = meter.take(second(10));
  ASSERT_THAT(tables, SizeIs(1));
  const SampleTable& table = tables.front();
  EXPECT_THAT(table.devices(), ElementsAre("p1", "p2"));
  EXPECT_THAT(table.times(), ElementsAre(second(1), second(2), second(4)))
      << "of the third second nobody knows";
  EXPECT_EQ(table.integer(0, 0, 2), 1U) << "nothing happened to it, and the host was recorded";
  EXPECT_EQ(table.integer(0, 1, 0), std::nullopt) << "nobody had heard of it";
  EXPECT_EQ(table.integer(0, 1, 1), 1U);
}

TEST(EventMeter, WhatComesLateIsNotCountedButNoted) {
  EventMeter meter(kRow, 1s);
  meter.add(table_of({.part = 1, .ms = 500}));
  EXPECT_THAT(meter.take(second(2)), SizeIs(1));
  meter.add(table_of({.part = 1, .ms = 1900}));
  meter.add(table_of({.part = 1, .ms = 2100}));
  const std::vector<SampleTable> rest = meter.take_all();
  ASSERT_THAT(rest, SizeIs(1));
  EXPECT_THAT(rest.front().times(), ElementsAre(second(3)));
  EXPECT_EQ(rest.front().integer(0, 0, 0), 2U);
  ASSERT_TRUE(meter.unused().contains("h0"));
  EXPECT_EQ(meter.unused().at("h0").late, 1U);
  EXPECT_EQ(meter.unused().at("h0").from, second(1.9));
}

TEST(EventMeter, ADeviceThatIsNotAskedForIsAStranger) {
  EventMeter meter(kRow, 1s);
  const std::array known{SeriesKey{"h0", DeviceKind::kDisk, "p1"}};
  meter.count_only(known);
  meter.add(table_of({.part = 2, .ms = 500}));
  const std::vector<SampleTable> tables = meter.take_all();
  ASSERT_THAT(tables, SizeIs(1));
  EXPECT_THAT(tables.front().devices(), ElementsAre("p1"));
  EXPECT_EQ(tables.front().integer(0, 0, 0), 0U);
  EXPECT_THAT(meter.unknown_devices(), ElementsAre(SeriesKey{"h0", DeviceKind::kDisk, "p2"}));
}

TEST(EventMeter, RoundsEachEventByItself) {
  constexpr std::array kInMs{DerivedCounter{.name = "rd_ms", .counted = Counted::kDurations, .unit = 1ms}};
  EventMeter meter({.events = "call", .device = "self", .counters = kInMs}, 1s);
  for (const std::int64_t took : {400, 500, 1499, 1500}) {
    Told one{.ms = 100};
    one.took_us = took;
    meter.add(table_of(one));
  }
  const std::vector<SampleTable> tables = meter.take_all();
  ASSERT_THAT(tables, SizeIs(1));
  EXPECT_EQ(tables.front().integer(0, 0, 0), 0U + 1U + 1U + 2U);
}

}  // namespace
}  // namespace laggard::derive
