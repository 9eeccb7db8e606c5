#include "model/event.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/error.h"

namespace laggard {

void Unused::add(std::uint64_t Unused::*why, std::uint64_t count, TimeSpan when) {
  this->*why += count;
  from = std::min(from, when.from);
  to = std::max(to, when.to);
}

std::vector<std::string> Unused::sentences(std::string_view kind, std::string_view host,
                                           std::string_view done) const {
  std::vector<std::string> all;
  const auto say = [&](std::uint64_t count, const std::string& what) {
    if (count == 0) return;
    all.push_back(fmt::format("{} observations ({}) of {} between {} and {} {}", count, kind, host,
                              to_iso8601(from), to_iso8601(to), what));
  };
  say(late, fmt::format("came late and were not {}", done));
  say(no_room, fmt::format("were too many at once and were not {}", done));
  say(lost, reason.empty() ? "were lost" : "were lost (" + reason + ")");
  return all;
}

std::optional<std::uint64_t> AttributeColumn::bits_of_some(std::size_t e) const {
  const auto at = std::ranges::lower_bound(events, e);
  if (at == events.end() || *at != e) return std::nullopt;
  return values[static_cast<std::size_t>(at - events.begin())];
}

std::optional<std::size_t> EventTable::attribute(std::string_view key, AttributeForm form) {
  const auto same = [&](const AttributeColumn& column) { return column.form == form && column.key == key; };
  const auto known = std::ranges::find_if(attributes_, same);
  if (known != attributes_.end()) return static_cast<std::size_t>(known - attributes_.begin());
  if (attributes_.size() == kMostAttributes || key.size() > Dictionary::kLongestWord) return std::nullopt;
  attributes_.push_back({.key = std::string(key), .form = form, .events = {}, .values = {}});
  return attributes_.size() - 1;
}

bool EventTable::add_attribute(AttributeColumn column) {
  const auto is_no_word = [&](std::uint64_t value) { return value >= words_.size(); };
  const bool grows = std::ranges::adjacent_find(column.events, std::greater_equal<>{}) == column.events.end();
  if (!grows || column.events.size() != column.values.size()) return false;
  if (!column.events.empty() && column.events.back() >= size()) return false;
  if (column.form == AttributeForm::kWord && std::ranges::any_of(column.values, is_no_word)) return false;
  const std::size_t before = attributes_.size();
  const std::optional<std::size_t> made = attribute(column.key, column.form);
  if (!made || *made != before) return false;
  attributes_[*made] = std::move(column);
  return true;
}

EventTable::Event EventTable::event(std::size_t e) const {
  return {.time = times_[e],
          .duration = durations_[e] == kNoDuration ? std::nullopt : std::optional(Duration{durations_[e]}),
          .subject = subjects_[e],
          .what = whats_[e]};
}

const AttributeColumn* EventTable::find_attribute(std::string_view key, AttributeForm form) const {
  const auto found = std::ranges::find_if(
      attributes_, [&](const AttributeColumn& column) { return column.form == form && column.key == key; });
  return found == attributes_.end() ? nullptr : &*found;
}

std::string_view EventTable::word(const AttributeColumn* column, std::size_t e) const {
  const auto bits = column == nullptr ? std::nullopt : column->bits(e);
  return bits ? words_.text(Word{static_cast<std::uint32_t>(*bits)}) : std::string_view{};
}

TimeSpan EventTable::extent() const {
  LAGGARD_CHECK(!empty());
  TimeSpan extent{WallTime::max(), WallTime::min()};
  for (const WallTime t : times_) extent = {std::min(extent.from, t), std::max(extent.to, t)};
  for (const Loss& loss : losses_) {
    extent = {std::min(extent.from, loss.from), std::max(extent.to, loss.to)};
  }
  return extent;
}

bool EventTable::has_room_for(const EventTable& other) const {
  const auto is_new = [&](const AttributeColumn& theirs) {
    return std::ranges::none_of(attributes_, [&](const AttributeColumn& ours) {
      return ours.form == theirs.form && ours.key == theirs.key;
    });
  };
  const auto added = static_cast<std::size_t>(std::ranges::count_if(other.attributes_, is_new));
  return words_.has_room_for(other.words_) && attributes_.size() + added <= kMostAttributes;
}

namespace {

/// Events that follow one another: from `begin` on and before `end`.
struct Run {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

std::vector<Run> runs_of(std::span<const std::uint32_t> events) {
  std::vector<Run> runs;
  for (const std::uint32_t e : events) {
    if (runs.empty() || runs.back().end != e) {
      runs.push_back({e, e + 1});
    } else {
      ++runs.back().end;
    }
  }
  return runs;
}

/// The first place in a column of an event that is `e` or later. \param near  where one was found before:
/// events mostly grow.
std::size_t place_of(std::uint32_t e, const std::vector<std::uint32_t>& events, std::size_t near) {
  if (e < events.size() && events[e] == e) return e;
  const bool is_behind = near == 0 || events[near - 1] < e;
  const auto from = events.begin() + (is_behind ? static_cast<std::ptrdiff_t>(near) : 0);
  return static_cast<std::size_t>(std::lower_bound(from, events.end(), e) - events.begin());
}

template <typename To, typename From, typename Map>
void append_mapped(std::vector<To>& to, std::span<const From> from, Map&& map) {
  const auto before = static_cast<std::ptrdiff_t>(to.size());
  to.resize(to.size() + from.size());
  std::ranges::transform(from, to.begin() + before, map);
}

template <typename Value>
void append_run(std::vector<Value>& to, const std::vector<Value>& from, const Run& run) {
  to.insert(to.end(), from.begin() + run.begin, from.begin() + run.end);
}

template <typename Value>
std::span<const Value> part_of(const std::vector<Value>& values, std::size_t begin, std::size_t end) {
  return std::span(values).subspan(begin, end - begin);
}

/// Where in a column the events of a run are.
struct Part {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// \param shift  what the numbers of events grow by, modulo 2^32
void append_part(AttributeColumn& to, const AttributeColumn& from, const Part& part, std::uint32_t shift,
                 WordMap& map) {
  append_mapped(to.events, part_of(from.events, part.begin, part.end),
                [&](std::uint32_t e) { return e + shift; });
  const std::span<const std::uint64_t> values = part_of(from.values, part.begin, part.end);
  if (from.form == AttributeForm::kWord) {
    append_mapped(to.values, values, [&](std::uint64_t word) {
      return std::uint64_t{map(Word{static_cast<std::uint32_t>(word)}).value};
    });
  } else {
    to.values.insert(to.values.end(), values.begin(), values.end());
  }
}

}  // namespace

void EventTable::append_from(const EventTable& other, std::span<const std::uint32_t> events) {
  WordMap map{other.words_, words_};
  const auto before = static_cast<std::uint32_t>(size());
  const std::vector<Run> runs = runs_of(events);
  for (const Run& run : runs) {
    append_run(times_, other.times_, run);
    append_run(durations_, other.durations_, run);
    append_mapped(subjects_, part_of(other.subjects_, run.begin, run.end), std::ref(map));
    append_mapped(whats_, part_of(other.whats_, run.begin, run.end), std::ref(map));
  }
  for (const AttributeColumn& from : other.attributes_) {
    AttributeColumn* to = nullptr;
    std::size_t end = 0;
    std::uint32_t row = before;
    for (const Run& run : runs) {
      const std::size_t begin = place_of(run.begin, from.events, end);
      end = place_of(run.end, from.events, begin);
      if (begin != end && to == nullptr) {
        const std::optional<std::size_t> column = attribute(from.key, from.form);
        LAGGARD_CHECK(column.has_value());
        to = &attributes_[*column];
      }
      if (begin != end) append_part(*to, from, {begin, end}, row - run.begin, map);
      row += run.end - run.begin;
    }
  }
}

EventTable cut(const EventTable& table, std::optional<WallTime> from, std::optional<WallTime> to) {
  std::vector<std::uint32_t> inside;
  for (std::uint32_t e = 0; e < table.size(); ++e) {
    const WallTime t = table.times()[e];
    if ((!from || t >= *from) && (!to || t < *to)) inside.push_back(e);
  }
  if (inside.size() == table.size() && !from && !to) return table;
  EventTable part(table.host(), table.kind());
  part.set_boot(table.boot());
  part.append_from(table, inside);
  for (const Loss& loss : table.losses()) {
    if ((!from || loss.to >= *from) && (!to || loss.from < *to)) part.add_loss(loss);
  }
  return part;
}

}  // namespace laggard
