#include "derive/call_counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>

#include "derive/derivation_table.h"
#include "derive/event_meter.h"
#include "testing/property.h"
#include "testing/syscalls.h"

namespace laggard::derive {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

constexpr std::string_view kStored = "/data/brick/f";
constexpr std::string_view kConnection = "TCP:[10.0.0.1:3334->10.0.0.9:700]";

WallTime at(Duration time) { return from_unix_ns(1'700'000'000'000'000'000) + time; }

struct Told {
  std::string_view name;
  std::string_view object;
  Duration over{};  ///< When it returned.
  std::optional<Duration> took = 1ms;
  std::string_view result = "100";
  SyscallEnd end = SyscallEnd::kReturned;
};

EventTable table_of(std::span<const Told> calls) {
  EventTable table("s1", std::string(kSyscallKind));
  for (const Told& call : calls) {
    testing_support::add_call(table, {at(call.over - call.took.value_or(0ms)), call.took, call.name,
                                      std::string(call.object), call.result, call.end});
  }
  return table;
}

/// Of the tables of one kind: the attributes of each event by second, subject and what.
using Attributes = std::map<std::string, std::uint64_t>;
using Counted = std::map<std::tuple<Duration, std::string, std::string>, Attributes>;

Counted counted(const std::vector<EventTable>& tables, std::string_view kind) {
  Counted all;
  for (const EventTable& table : tables) {
    if (table.kind() != kind) continue;
    for (std::size_t e = 0; e < table.size(); ++e) {
      const EventTable::Event event = table.event(e);
      const std::string subject(event.subject == kNoWord ? "" : table.words().text(event.subject));
      Attributes& of_event = all[{event.time - at(0s), subject, std::string(table.words().text(event.what))}];
      for (const AttributeColumn& column : table.attributes()) {
        if (const auto bits = column.bits(e)) of_event[column.key] += *bits;
      }
    }
  }
  return all;
}

TEST(CallCounts, ACallIsCountedInItsSecondByObjectAndName) {
  CallCounts counts("s1", {});
  counts.add(table_of(std::array<Told, 6>{{{"pread64", kStored, 100ms, 3us},
                                           {"pread64", kStored, 200ms, 5us},
                                           {"pread64", kStored, 900ms, std::nullopt},
                                           {"futex", "", 950ms, 1000s},
                                           {"read", "/etc/hostname", 960ms, 500ns},
                                           {"pread64", kStored, 1100ms, 5us}}}));
  const Counted all = counted(counts.take_all(), CallCounts::kCallCountKind);
  const Attributes reads{{"calls", 3}, {"ns", 8000}, {"below_2^12", 1}, {"below_2^13", 1}};
  EXPECT_THAT(
      all, UnorderedElementsAre(
               Pair(std::tuple(0s, "storage", "pread64"), reads),
               Pair(std::tuple(0s, "none", "futex"),
                    Attributes{{"calls", 1}, {"ns", 1'000'000'000'000}, {"below_2^35", 1}}),
               Pair(std::tuple(0s, "file", "read"), Attributes{{"calls", 1}, {"ns", 500}, {"below_2^10", 1}}),
               Pair(std::tuple(1s, "storage", "pread64"),
                    Attributes{{"calls", 1}, {"ns", 5000}, {"below_2^13", 1}})));
}

TEST(CallCounts, WhatIsNoReturnedCallIsNotCounted) {
  CallCounts counts("s1", {});
  counts.add(table_of(std::array<Told, 3>{{{"SIGCHLD", "", 1s, std::nullopt, "", SyscallEnd::kSignal},
                                           {"read", kStored, 1s, 40s, "?", SyscallEnd::kUnfinished},
                                           {"idle", "", 1s, std::nullopt, "", SyscallEnd::kIdle}}}));
  EXPECT_THAT(counts.take_all(), IsEmpty());
}

TEST(CallCounts, ASecondIsToldOnceAndWhenItIsOver) {
  CallCounts counts("s1", {});
  counts.add(table_of(std::array<Told, 2>{{{"pread64", kStored, 100ms}, {"pread64", kStored, 1100ms}}}));
  EXPECT_THAT(counts.take(at(900ms)), IsEmpty());
  const Counted first = counted(counts.take(at(1s)), CallCounts::kStorageCountKind);
  EXPECT_THAT(first,
              UnorderedElementsAre(Pair(std::tuple(0s, "", "dread"),
                                        Attributes{{"calls", 1}, {"ns", 1'000'000}, {"below_2^20", 1}}),
                                   Pair(std::tuple(0s, "", "recorded"), Attributes{})));
  EXPECT_EQ(counted(counts.take_all(), CallCounts::kStorageCountKind).size(), 2U);
  EXPECT_THAT(counts.take_all(), IsEmpty());
  EXPECT_EQ(counts.transferred().storage, 2U);
  EXPECT_EQ(counts.transferred().other_files, 0U);
}

TEST(CallCounts, WhatFindsNoRoomIsOneLoss) {
  CallCounts counts("s1", {});
  EventTable table("s1", std::string(kSyscallKind));
  for (std::size_t i = 0; i < CallCounts::kMostSums + 7; ++i) {
    testing_support::add_call(table, {at(0s), 1us, "call" + std::to_string(i), "", "0"});
  }
  counts.add(table);
  std::vector<Loss> losses;
  for (const EventTable& told : counts.take_all()) {
    losses.insert(losses.end(), told.losses().begin(), told.losses().end());
  }
  ASSERT_EQ(losses.size(), 3U) << "of calls, and of the two marks that came behind them";
  EXPECT_EQ(losses.back().count, 7U);
}

TEST(CallCounts, KnowsKindsOfObjects) {
  const TransferRules rules;
  EXPECT_EQ(object_class(kStored, rules), "storage");
  EXPECT_EQ(object_class("/etc/passwd", rules), "file");
  EXPECT_EQ(object_class(kConnection, rules), "tcp");
  EXPECT_EQ(object_class("UNIX:[123]", rules), "socket");
  EXPECT_EQ(object_class("pipe:[7]", rules), "pipe");
  EXPECT_EQ(object_class("anon_inode:[eventpoll]", rules), "descriptor");
  EXPECT_EQ(object_class("", rules), "none");
}

/// The samples of a row: by time and device, each counter.
using Samples = std::map<std::tuple<WallTime, std::string, std::string>, std::vector<std::uint64_t>>;

Samples samples_of(EventMeter& meter) {
  Samples all;
  for (const SampleTable& table : meter.take_all()) {
    for (std::size_t d = 0; d < table.devices().size(); ++d) {
      for (std::size_t t = 0; t < table.times().size(); ++t) {
        std::vector<std::uint64_t> counters;
        for (std::size_t c = 0; c < table.counters().size(); ++c) counters.push_back(table.bits(c, d, t));
        all[{table.times()[t], table.boot(), table.devices()[d]}] = counters;
      }
    }
  }
  return all;
}

const Derivation& row_of(std::string_view events) {
  return *std::ranges::find(derivation_table(), events, &Derivation::events);
}

std::vector<Told> any_calls() {
  static constexpr std::array<std::string_view, 7> kNames{"pread64", "read",  "write", "recvfrom",
                                                          "sendto",  "close", "futex"};
  static constexpr std::array<std::string_view, 4> kObjects{kStored, kConnection, "/etc/x", ""};
  static constexpr std::array<std::string_view, 3> kResults{"0", "1", "65536"};
  const auto call = rc::gen::map(
      rc::gen::tuple(rc::gen::inRange<std::size_t>(0, kNames.size()),
                     rc::gen::inRange<std::size_t>(0, kObjects.size()), rc::gen::inRange(0, 9000),
                     rc::gen::inRange(-100'000, 3'000'000),
                     rc::gen::inRange<std::size_t>(0, kResults.size())),
      [](const auto& drawn) {
        const auto& [name, object, over_ms, took_us, result] = drawn;
        Told told{.name = kNames.at(name), .object = kObjects.at(object), .result = kResults.at(result)};
        told.over = std::chrono::milliseconds(over_ms);
        told.took = took_us < 0 ? std::nullopt : std::optional<Duration>(std::chrono::microseconds(took_us));
        return told;
      });
  std::vector<Told> calls = *rc::gen::container<std::vector<Told>>(call);
  std::ranges::stable_sort(calls, {}, &Told::over);
  return calls;
}

TEST(CallCounts, TheSameSeriesFollowFromCountsAsFromCalls) {
  expect_property("counts and calls give the same samples", [] {
    const std::vector<Told> calls = any_calls();
    const auto split = *rc::gen::inRange<std::size_t>(0, calls.size() + 1);
    const bool loses = *rc::gen::arbitrary<bool>();
    Transfers transfers({}, CallCounts::kPeriod);
    CallCounts counts("s1", {});
    std::vector<EventTable> of_calls;
    std::vector<EventTable> of_counts;
    const auto keep = [](std::vector<EventTable> some, std::vector<EventTable>& all) {
      std::ranges::move(some, std::back_inserter(all));
    };
    for (const auto& part : {std::span(calls).first(split), std::span(calls).subspan(split)}) {
      EventTable table = table_of(part);
      if (loses && !table.empty()) table.add_loss({table.extent().from, table.extent().from, 1, "full"});
      if (table.empty()) continue;
      transfers.add(table);
      counts.add(table);
      const WallTime known = floor_to(table.extent().to, 1s);
      keep(transfers.take(known), of_calls);
      keep(counts.take(known), of_counts);
    }
    keep(transfers.take(WallTime::max()), of_calls);
    keep(counts.take_all(), of_counts);
    for (const auto& [recorded, derived] :
         {std::pair(CallCounts::kStorageCountKind, Transfers::kStorageCallKind),
          std::pair(CallCounts::kMessageCountKind, Transfers::kMessageKind)}) {
      EventMeter from_counts(row_of(recorded), 1s);
      EventMeter from_calls(row_of(derived), 1s);
      for (const EventTable& table : of_counts)
        if (table.kind() == recorded) from_counts.add(table);
      for (const EventTable& table : of_calls)
        if (table.kind() == derived) from_calls.add(table);
      RC_ASSERT(samples_of(from_counts) == samples_of(from_calls));
    }
  });
}

}  // namespace
}  // namespace laggard::derive
