#include "derive/transfers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include "derive/derivation_table.h"
#include "derive/event_meter.h"
#include "testing/syscalls.h"

namespace laggard::derive {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::FieldsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::string_view kFile = "/data/brick/f";
constexpr std::string_view kSocket = "TCP:[10.0.0.1:49152->10.0.0.9:1021]";

WallTime at(Duration time) { return from_unix_ns(time.count()); }

struct Told {
  std::string_view name;
  std::string_view object;
  Duration from{};
  Duration took{};
  std::string_view result = "100";
  std::string_view arguments{};
  SyscallEnd end = SyscallEnd::kReturned;
  bool is_direct = false;
};

EventTable table_of(const std::vector<Told>& calls, const std::string& host = "s1") {
  EventTable table(host, std::string(kSyscallKind));
  for (const Told& call : calls) {
    testing_support::add_call(table, {at(call.from), call.took, call.name, std::string(call.object),
                                      call.result, call.end, call.arguments, call.is_direct});
  }
  return table;
}

/// What, of what, when and for how long; not the marks.
using Event = std::tuple<std::string, std::string, Duration, Duration>;

std::vector<Event> events_in(const std::vector<EventTable>& tables) {
  std::vector<Event> all;
  for (const EventTable& table : tables) {
    for (std::size_t e = 0; e < table.size(); ++e) {
      const EventTable::Event event = table.event(e);
      const std::string what(table.words().text(event.what));
      if (what == Transfers::kMark) continue;
      const std::string subject(event.subject == kNoWord ? "" : table.words().text(event.subject));
      all.emplace_back(what, subject, event.time - at(0s), *event.duration);
    }
  }
  std::ranges::sort(all, {}, [](const Event& e) { return std::get<2>(e); });
  return all;
}

std::vector<Event> events_of(const std::vector<Told>& calls) {
  Transfers transfers({}, 1s);
  transfers.add(table_of(calls));
  return events_in(transfers.take(WallTime::max()));
}

TEST(Transfers, ReadsAndWritesOfStorageCountWhenTheyAreOver) {
  EXPECT_THAT(events_of({{"pread64", kFile, 1s, 3ms},
                         {"writev", "/dev/sdb1", 2s, 40s},
                         {"read", "/etc/passwd", 3s, 1ms},
                         {"write", "/var/log/glusterfs/brick.log", 3s, 1ms},
                         {"write", "/dev/null", 3s, 1ms},
                         {"read", "pipe:[7]", 3s, 1ms},
                         {"fsync", kFile, 3s, 1ms, "0"}}),
              ElementsAre(FieldsAre("dread", "", 1s + 3ms, 3ms), FieldsAre("dwrite", "", 42s, 40s)));
}

TEST(Transfers, WhatFailedCountsAndWhatWasNotDoneDoesNot) {
  EXPECT_THAT(events_of({{"read", kFile, 1s, 30s, "-1 EIO (Input/output error)"},
                         {"read", kFile, 1s, 1us, "0"},
                         {"read", kFile, 1s, 1s, "-1 EINTR (Interrupted system call)"},
                         {"read", kFile, 1s, 1s, "?", {}, SyscallEnd::kUnfinished}}),
              ElementsAre(FieldsAre("dread", "", 31s, 30s)));
}

TEST(Transfers, WritesWithODirectAreApart) {
  EXPECT_THAT(
      events_of({{"openat", kFile, 1s, 1us, "3</data/brick/f>", "AT_FDCWD, \"f\", O_RDWR|O_DIRECT"},
                 {"openat", "/data/d", 1s, 1us, "4</data/d>", "AT_FDCWD, \"d\", O_RDONLY|O_DIRECTORY"},
                 {"pwrite64", kFile, 2s, 1ms},
                 {"pwrite64", "/data/d", 3s, 1ms},
                 {"close", kFile, 4s, 1us, "0"},
                 {"pwrite64", kFile, 5s, 1ms}}),
      ElementsAre(FieldsAre("direct-dwrite", "", 2s + 1ms, 1ms), FieldsAre("dwrite", "", 3s + 1ms, 1ms),
                  FieldsAre("dwrite", "", 5s + 1ms, 1ms)));
}

TEST(Transfers, OfAFileThatWasOpenBeforeTheRecorderSaysWhetherItIsDirect) {
  EXPECT_THAT(
      events_of({{.name = "pwrite64", .object = kFile, .from = 2s, .took = 1ms, .is_direct = true},
                 {.name = "pwrite64", .object = kFile, .from = 3s, .took = 1ms}}),
      ElementsAre(FieldsAre("direct-dwrite", "", 2s + 1ms, 1ms), FieldsAre("dwrite", "", 3s + 1ms, 1ms)));
}

TEST(Transfers, AMessageIsReadInPieces) {
  EXPECT_THAT(events_of({{"readv", kSocket, 1s, 10us, "80"},
                         {"readv", kSocket, 1s + 5ms, 10us, "-1 EAGAIN (Resource temporarily unavailable)"},
                         {"recvmsg", kSocket, 1s + 20ms, 10us, "4096"},
                         {"readv", kSocket, 1s + 40ms, 10us, "-1 EAGAIN (Resource temporarily unavailable)"},
                         {"sendmsg", kSocket, 1s + 50ms, 1ms}}),
              ElementsAre(FieldsAre("message", "10.0.0.1:0>10.0.0.9:0", 1s + 51ms, 20ms + 10us)));
}

TEST(Transfers, SocketsWithinAHostAndOthersThanTcpAreNone) {
  EXPECT_THAT(events_of({{"read", "TCP:[127.0.0.1:7->127.0.0.1:8]", 1s, 10us},
                         {"read", "TCPv6:[[::1]:7->[::1]:8]", 1s, 10us},
                         {"read", "TCP:[10.0.0.1:7->10.0.0.1:8]", 1s, 10us},
                         {"read", "UNIX:[77]", 1s, 10us},
                         {"read", "TCP:[123]", 1s, 10us},
                         {"recvfrom", "UDP:[10.0.0.1:7->10.0.0.2:8]", 1s, 10us}}),
              IsEmpty());
}

TEST(Transfers, RulesSayWhatCounts) {
  Transfers transfers({.storage = {"/etc/*"}, .ports = {{1000, 1100}}}, 1s);
  transfers.add(table_of({{"read", kFile, 1s, 1ms},
                          {"read", "/etc/a", 2s, 1ms},
                          {"read", kSocket, 3s, 10us},
                          {"read", "TCPv6:[[fd00::1]:22->[fd00::2]:999]", 4s, 10us}}));
  EXPECT_THAT(events_in(transfers.take(WallTime::max())),
              ElementsAre(FieldsAre("dread", "", 2s + 1ms, 1ms),
                          FieldsAre("message", "10.0.0.1:0>10.0.0.9:0", 4s + 10us, 10us)));
}

TEST(Transfers, ALossBreaksMessagesAndIsPassedOn) {
  Transfers transfers({}, 1s);
  transfers.add(table_of({{"read", kSocket, 1s, 10us}, {"read", kSocket, 1900ms, 10us}}));
  EventTable lost("s1", std::string(kSyscallKind));
  lost.add_loss({at(1500ms), at(1600ms), 7, "full"});
  transfers.add(lost);
  const auto tables = transfers.take(WallTime::max());
  EXPECT_THAT(events_in(tables), ElementsAre(FieldsAre("message", testing::_, 2900ms + 10us, 10us)));
  for (const EventTable& table : tables) EXPECT_THAT(table.losses(), SizeIs(1));
}

TEST(Transfers, WhatComesLateIsToldOf) {
  Transfers transfers({}, 1s);
  EXPECT_THAT(transfers.take(at(10s)), IsEmpty());
  transfers.add(table_of({{"read", kFile, 1s, 1s}, {"read", kFile, 1s, 20s}}));
  EXPECT_THAT(events_in(transfers.take(at(30s))), ElementsAre(FieldsAre("dread", "", 21s, 20s)));
  EXPECT_EQ(transfers.unused().at("s1").late, 1U);
}

TEST(Transfers, MoreSocketsThanThereIsRoomForAreALoss) {
  Transfers transfers({}, 1s);
  std::vector<std::string> sockets;
  for (std::size_t i = 0; i <= Transfers::kMostObjects; ++i) {
    sockets.push_back("TCP:[10.0.0.1:1->10.1." + std::to_string(i / 250) + "." + std::to_string(i % 250) +
                      ":7]");
  }
  std::vector<Told> calls;
  calls.reserve(sockets.size());
  for (const std::string& socket : sockets) calls.push_back({"read", socket, 1s, 10us});
  transfers.add(table_of(calls));
  const auto tables = transfers.take(WallTime::max());
  EXPECT_THAT(events_in(tables), SizeIs(Transfers::kMostObjects));
  EXPECT_EQ(transfers.unused().at("s1").no_room, 1U);
  EXPECT_THAT(tables.front().losses(), SizeIs(1));
  transfers.add(table_of({{"read", kSocket, 0s, 10us}}));
  EXPECT_EQ(transfers.unused().at("s1").no_room, 1U) << "late, and not without room";
}

std::vector<Told> random_calls(std::mt19937_64& random, std::span<const std::string> objects) {
  constexpr std::array<std::string_view, 5> kNames{"read", "write", "recvmsg", "sendmsg", "close"};
  std::vector<Told> calls;
  calls.reserve(400);
  for (int i = 0; i < 400; ++i) {
    calls.push_back({kNames.at(random() % kNames.size()), objects[random() % objects.size()],
                     Duration{static_cast<std::int64_t>(random() % 60'000'000'000)},
                     Duration{static_cast<std::int64_t>(random() % 900'000'000)}});
  }
  return calls;
}

/// By device of both rows, the totals at each time.
using Totals = std::map<std::tuple<std::string, WallTime, std::size_t>, std::uint64_t>;

void add_totals(const SampleTable& samples, Totals& totals) {
  for (std::size_t d = 0; d < samples.devices().size(); ++d) {
    for (std::size_t t = 0; t < samples.times().size(); ++t) {
      for (std::size_t c = 0; c < samples.counters().size(); ++c) {
        if (!samples.present(c, d, t)) continue;
        totals[{samples.devices()[d], samples.times()[t], c}] = samples.bits(c, d, t);
      }
    }
  }
}

/// Counts what a Transfers makes by the rows of the program.
class Counting {
 public:
  Counting() {
    for (const Derivation& row : derivation_table()) meters_.emplace_back(row, 1s);
  }

  void add(const EventTable& table) { transfers_.add(table); }
  void take(WallTime until) {
    for (const EventTable& made : transfers_.take(until)) {
      for (EventMeter& meter : meters_) {
        if (meter.kind() == made.kind()) meter.add(made);
      }
    }
    for (EventMeter& meter : meters_) {
      for (const SampleTable& samples : meter.take(until)) add_totals(samples, totals_);
      EXPECT_THAT(meter.unused(), IsEmpty()) << "nothing is late";
    }
  }
  [[nodiscard]] const Totals& totals() const { return totals_; }

 private:
  Transfers transfers_{{}, 1s};
  std::vector<EventMeter> meters_;
  Totals totals_;
};

/// \param step  how often samples are taken.
Totals totals_of(const std::vector<EventTable>& tables, Duration step) {
  Counting counting;
  WallTime due = at(0s) + step;
  for (const EventTable& table : tables) {
    for (; table.extent().from >= due; due += step) counting.take(due);
    counting.add(table);
  }
  counting.take(WallTime::max());
  return counting.totals();
}

TEST(Transfers, SamplesDoNotDependOnWhenTheyAreTakenNorOnTheTablesOrder) {
  std::mt19937_64 random(5);
  const std::vector<std::string> objects{std::string(kFile), std::string(kSocket),
                                         "TCP:[10.0.0.1:49152->10.0.0.8:1020]"};
  for (int run = 0; run < 20; ++run) {
    std::vector<EventTable> tables;
    for (const Told& call : random_calls(random, objects)) tables.push_back(table_of({call}));
    std::ranges::stable_sort(tables, {}, [](const EventTable& table) { return table.extent().from; });
    const Totals often = totals_of(tables, 370ms);
    EXPECT_FALSE(often.empty());
    EXPECT_EQ(totals_of(tables, 100s), often);
    std::vector<EventTable> shuffled = tables;
    std::ranges::shuffle(shuffled, random);
    EXPECT_EQ(totals_of(shuffled, 100s), often);
  }
}

}  // namespace
}  // namespace laggard::derive
