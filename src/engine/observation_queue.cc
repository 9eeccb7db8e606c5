#include "engine/observation_queue.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <tuple>

namespace laggard::engine {

namespace {

std::string_view text_of(const Dictionary& words, Word word) {
  return word == kNoWord ? std::string_view{} : words.text(word);
}

/// What tells events of one table apart, whatever the numbers of their words are.
std::string attributes_text(const EventTable& table, std::size_t e) {
  std::vector<std::string> parts;
  for (const AttributeColumn& column : table.attributes()) {
    const auto bits = column.bits(e);
    if (!bits) continue;
    const bool word = column.form == AttributeForm::kWord;
    parts.push_back(column.key + '\0' +
                    (word ? std::string(table.words().text(Word{static_cast<std::uint32_t>(*bits)}))
                          : std::to_string(*bits)));
  }
  std::ranges::sort(parts);
  return std::accumulate(parts.begin(), parts.end(), std::string{},
                         [](std::string all, const std::string& one) { return all + one + '\0'; });
}

bool comes_before(const EventTable& table, std::size_t a, std::size_t b) {
  const auto key = [&](std::size_t e) {
    return std::tuple(table.times()[e], text_of(table.words(), table.subjects()[e]),
                      text_of(table.words(), table.whats()[e]), table.durations()[e]);
  };
  const auto ka = key(a);
  const auto kb = key(b);
  if (ka != kb) return ka < kb;
  return attributes_text(table, a) < attributes_text(table, b);
}

bool comes_before(const ProfileTable& table, std::size_t a, std::size_t b) {
  const auto key = [&](std::size_t p) {
    const ProfileTable::Period& period = table.periods()[p];
    return std::tuple(period.start, text_of(table.words(), period.subject), period.length);
  };
  const auto ka = key(a);
  const auto kb = key(b);
  if (ka != kb) return ka < kb;
  const auto counts = [&](std::size_t p) {
    std::vector<std::pair<std::string_view, std::uint64_t>> all;
    for (std::size_t i = 0; i < table.seen(p).size(); ++i) {
      all.emplace_back(table.words().text(table.seen(p)[i]), table.counts(p)[i]);
    }
    std::ranges::sort(all);
    return all;
  };
  return counts(a) < counts(b);
}

template <typename Table>
Table in_order(Table table) {
  std::vector<std::uint32_t> order(table.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto before = [&](std::uint32_t a, std::uint32_t b) { return comes_before(table, a, b); };
  if (std::ranges::is_sorted(order, before)) return table;
  std::ranges::sort(order, before);
  Table sorted(table.host(), table.kind());
  sorted.set_boot(table.boot());
  sorted.append_from(table, order);
  return sorted;
}

}  // namespace

template <typename Table>
void ObservationQueue::note_losses(const Table& table) {
  const HostKind whose{table.host(), table.kind()};
  for (const Loss& loss : table.losses()) {
    Unused& unused = unused_[whose];
    unused.add(&Unused::lost, loss.count, {loss.from, loss.to});
    if (unused.reason.empty()) unused.reason = loss.reason;
  }
}

template <typename Table, typename TimeOf>
void ObservationQueue::sort_in(const Table& table, std::map<HostKind, Table> Waiting::*place,
                               const TimeOf& time_of) {
  const HostKind whose{table.host(), table.kind()};
  std::map<WallTime, std::vector<std::uint32_t>> rows;
  for (std::uint32_t r = 0; r < table.size(); ++r) {
    const WallTime t = time_of(r);
    const WallTime end = floor_to(t, step_) + step_;
    if (end <= closed_) {
      unused_[whose].add(&Unused::late, 1, {t, t});
    } else {
      rows[end].push_back(r);
    }
  }
  for (const auto& [end, of_step] : rows) {
    Table& waiting = (steps_[end].*place).try_emplace(whose, Table(table.host(), table.kind())).first->second;
    Table part(table.host(), table.kind());  // With no more words than its rows need.
    part.append_from(table, of_step);
    if (rows_ + of_step.size() > kMost || !waiting.has_room_for(part)) {
      unused_[whose].add(&Unused::no_room, of_step.size(), {end - step_, end});
      continue;
    }
    waiting.set_boot(table.boot());
    std::vector<std::uint32_t> all(part.size());
    std::iota(all.begin(), all.end(), 0U);
    waiting.append_from(part, all);
    rows_ += of_step.size();
  }
}

void ObservationQueue::add(const EventTable& table) {
  note_losses(table);
  sort_in(table, &Waiting::events, [&](std::uint32_t r) { return table.times()[r]; });
}

void ObservationQueue::add(const ProfileTable& table) {
  note_losses(table);
  sort_in(table, &Waiting::profiles,
          [&](std::uint32_t r) { return table.periods()[r].start + table.periods()[r].length; });
}

std::optional<WallTime> ObservationQueue::next() const {
  if (steps_.empty()) return std::nullopt;
  return steps_.begin()->first;
}

ObservationStep ObservationQueue::take() {
  auto first = steps_.extract(steps_.begin());
  ObservationStep step{.end = first.key(), .events = {}, .profiles = {}};
  close_before(step.end);
  for (auto& [whose, table] : first.mapped().events) {
    rows_ -= table.size();
    step.events.push_back(in_order(std::move(table)));
  }
  for (auto& [whose, table] : first.mapped().profiles) {
    rows_ -= table.size();
    step.profiles.push_back(in_order(std::move(table)));
  }
  return step;
}

}  // namespace laggard::engine
