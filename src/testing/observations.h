#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "model/event.h"
#include "model/profile.h"

/// Made-up events and profiles, and plain forms of them without a dictionary, so that tables with different
/// dictionaries can be compared.
namespace laggard::testing_support {

struct PlainEvent {
  std::int64_t time = 0;
  std::optional<std::int64_t> duration;
  std::optional<std::string> subject;
  std::string what;
  std::map<std::pair<std::string, AttributeForm>, std::string> attributes;
  auto operator<=>(const PlainEvent&) const = default;
};

struct PlainPeriod {
  std::int64_t start = 0;
  std::int64_t length = 0;
  std::optional<std::string> subject;
  std::int64_t each = 0;
  std::vector<std::pair<std::string, std::uint64_t>> counts;
  auto operator<=>(const PlainPeriod&) const = default;
};

template <typename Table>
std::optional<std::string> plain(const Table& table, Word word) {
  if (word == kNoWord) return std::nullopt;
  return std::string(table.words().text(word));
}

inline void add_plain(const EventTable& table, std::vector<PlainEvent>& events) {
  for (std::size_t e = 0; e < table.size(); ++e) {
    const EventTable::Event event = table.event(e);
    PlainEvent& out = events.emplace_back();
    out.time = to_unix_ns(event.time);
    if (event.duration) out.duration = event.duration->count();
    out.subject = plain(table, event.subject);
    out.what = table.words().text(event.what);
    for (const AttributeColumn& column : table.attributes()) {
      const std::optional<std::uint64_t> bits = column.bits(e);
      if (!bits) continue;
      out.attributes[{column.key, column.form}] = column.form == AttributeForm::kWord
                                                      ? *plain(table, Word{static_cast<std::uint32_t>(*bits)})
                                                      : std::to_string(*bits);
    }
  }
}

inline void add_plain(const ProfileTable& table, std::vector<PlainPeriod>& periods) {
  for (std::size_t p = 0; p < table.size(); ++p) {
    const ProfileTable::Period& period = table.periods()[p];
    PlainPeriod& out = periods.emplace_back();
    out.start = to_unix_ns(period.start);
    out.length = period.length.count();
    out.subject = plain(table, period.subject);
    out.each = period.each.count();
    for (std::size_t i = 0; i < table.seen(p).size(); ++i) {
      out.counts.emplace_back(*plain(table, table.seen(p)[i]), table.counts(p)[i]);
    }
  }
}

inline std::vector<PlainEvent> plain(const EventTable& table) {
  std::vector<PlainEvent> events;
  add_plain(table, events);
  return events;
}

inline std::vector<PlainPeriod> plain(const ProfileTable& table) {
  std::vector<PlainPeriod> periods;
  add_plain(table, periods);
  return periods;
}

/// Events as a syscall tracer might see them, about a millisecond apart, sometimes out of order, with
/// attributes that all, many or few of them have.
inline EventTable random_events(std::mt19937_64& random, const std::string& host, WallTime start,
                                std::size_t n, const std::string& kind = "syscall") {
  EventTable table(host, kind);
  table.set_boot("boot-1");
  const std::array<const char*, 4> calls{"read", "write", "fsync", ""};
  const std::size_t error = table.attribute("errno", AttributeForm::kInteger).value();
  const std::size_t path = table.attribute("path", AttributeForm::kWord).value();
  const std::size_t rate = table.attribute("rate", AttributeForm::kReal).value();
  for (std::size_t e = 0; e < n; ++e) {
    EventTable::Event event;
    event.time =
        start + std::chrono::milliseconds{e} + Duration{static_cast<std::int64_t>(random() % 3'000'000)};
    if (random() % 8 != 0) event.duration = Duration{static_cast<std::int64_t>(random() % 1'000'000)};
    event.what = table.intern(calls[random() % calls.size()]).value();
    if (random() % 3 != 0) event.subject = table.intern("ost" + std::to_string(random() % 5)).value();
    table.append(event);
    table.set(error, static_cast<std::int64_t>(random() % 3) - 1);
    if (random() % 2 == 0) table.set(path, table.intern("/f/" + std::to_string(random() % 40)).value());
    if (random() % 50 == 0) table.set(rate, static_cast<double>(random()) / 7);
  }
  return table;
}

/// Counts of stacks in periods of ten seconds.
inline ProfileTable random_profile(std::mt19937_64& random, const std::string& host, WallTime start,
                                   std::size_t n, const std::string& kind = "stacks") {
  ProfileTable table(host, kind);
  table.set_boot("boot-1");
  for (std::size_t p = 0; p < n; ++p) {
    ProfileTable::Period period;
    period.start = start + std::chrono::seconds{10 * p};
    period.length = std::chrono::seconds{random() % 11};
    if (random() % 2 == 0) period.subject = table.intern("pid " + std::to_string(random() % 3)).value();
    if (random() % 4 == 0) period.each = Duration{static_cast<std::int64_t>(random() % 10'101'010)};
    table.begin(period);
    for (std::uint64_t word = random() % 4; word < 30; word += 1 + random() % 9) {
      const Word stack = table.intern("main;f" + std::to_string(word)).value();
      table.add(stack, random() % 2 == 0 ? 1 : random() >> (random() % 64));
    }
  }
  return table;
}

}  // namespace laggard::testing_support
