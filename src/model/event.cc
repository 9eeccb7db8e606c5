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

std::optional<std::uint64_t> AttributeColumn::bits(std::size_t e) const {
  const auto at = std::ranges::lower_bound(events, e);
  if (at == events.end() || *at != e) return std::nullopt;
  return values[static_cast<std::size_t>(at - events.begin())];
}

void EventTable::append(const Event& event) {
  LAGGARD_CHECK(event.what.index() < words_.size());
  LAGGARD_CHECK(event.subject == kNoWord || event.subject.index() < words_.size());
  times_.push_back(event.time);
  durations_.push_back(event.duration ? event.duration->count() : kNoDuration);
  subjects_.push_back(event.subject);
  whats_.push_back(event.what);
}

std::optional<std::size_t> EventTable::attribute(std::string_view key, AttributeForm form) {
  const auto same = [&](const AttributeColumn& column) { return column.form == form && column.key == key; };
  const auto known = std::ranges::find_if(attributes_, same);
  if (known != attributes_.end()) return static_cast<std::size_t>(known - attributes_.begin());
  if (attributes_.size() == kMostAttributes || key.size() > Dictionary::kLongestWord) return std::nullopt;
  attributes_.push_back({.key = std::string(key), .form = form, .events = {}, .values = {}});
  return attributes_.size() - 1;
}

void EventTable::set_bits(std::size_t attribute, std::uint64_t bits) {
  AttributeColumn& column = attributes_[attribute];
  const auto last = static_cast<std::uint32_t>(times_.size() - 1);
  LAGGARD_CHECK(!times_.empty() && (column.events.empty() || column.events.back() < last));
  LAGGARD_CHECK(column.form != AttributeForm::kWord || bits < words_.size());
  column.events.push_back(last);
  column.values.push_back(bits);
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

/// Where in a column event `e` is, if it has the attribute. \param hint  where it was last found: events
/// mostly grow.
std::optional<std::size_t> place_of(std::uint32_t e, const AttributeColumn& column, std::size_t& hint) {
  const std::vector<std::uint32_t>& events = column.events;
  if (hint > 0 && events[hint - 1] >= e) {
    hint = static_cast<std::size_t>(std::ranges::lower_bound(events, e) - events.begin());
  }
  while (hint < events.size() && events[hint] < e) ++hint;
  if (hint == events.size() || events[hint] != e) return std::nullopt;
  return hint;
}

}  // namespace

void EventTable::append_from(const EventTable& other, std::span<const std::uint32_t> events) {
  WordMap map{other.words_, words_};
  const std::size_t before = size();
  for (const std::uint32_t e : events) {
    times_.push_back(other.times_[e]);
    durations_.push_back(other.durations_[e]);
    subjects_.push_back(map(other.subjects_[e]));
    whats_.push_back(map(other.whats_[e]));
  }
  for (const AttributeColumn& from : other.attributes_) {
    AttributeColumn* to = nullptr;
    std::size_t hint = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const std::optional<std::size_t> at = place_of(events[i], from, hint);
      if (!at) continue;
      if (to == nullptr) {
        const std::optional<std::size_t> column = attribute(from.key, from.form);
        LAGGARD_CHECK(column.has_value());
        to = &attributes_[*column];
      }
      const bool is_word = from.form == AttributeForm::kWord;
      const std::uint64_t value = from.values[*at];
      to->events.push_back(static_cast<std::uint32_t>(before + i));
      to->values.push_back(is_word ? map(Word{static_cast<std::uint32_t>(value)}).value : value);
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
