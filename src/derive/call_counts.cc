#include "derive/call_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "base/error.h"
#include "model/recorded_call.h"
#include "model/syscall_event.h"

namespace laggard::derive {

namespace {

constexpr std::string_view kStorageClass = "storage";
constexpr std::string_view kFileClass = "file";

}  // namespace

std::string_view object_class(std::string_view object, const TransferRules& rules) {
  if (object.empty()) return "none";
  if (tcp_object(object)) return "tcp";
  if (rules.is_storage(object)) return kStorageClass;
  if (object.starts_with('/')) return kFileClass;
  if (object.starts_with("pipe:")) return "pipe";
  if (object.starts_with("anon_inode:")) return "descriptor";
  return object.find(":[") != std::string_view::npos ? "socket" : kFileClass;
}

void CallCounts::Sums::add(std::int64_t took) {
  ++calls;
  if (took == EventTable::kNoDuration) return;
  nanoseconds += static_cast<std::uint64_t>(took);
  const auto power = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(took)));
  ++powers[std::clamp(power, kFirstPower, kLastPower) - kFirstPower];
}

CallCounts::CallCounts(std::string host, TransferRules rules)
    : host_(std::move(host)), rules_(rules), transfers_(std::move(rules), kPeriod) {}

CallCounts::Sums* CallCounts::sums_of(Kind& kind, WallTime second, std::string_view subject,
                                      std::string_view what) {
  auto& of_second = kind.seconds[second];
  const auto known = of_second.find(Key(subject, what));
  if (known != of_second.end()) return &known->second;
  if (sums_ >= kMostSums) {
    constexpr std::string_view kReason = "too many kinds of calls in a second";
    const bool goes_on =
        !kind.losses.empty() && kind.losses.back().from == second && kind.losses.back().reason == kReason;
    if (!goes_on)
      kind.losses.push_back({.from = second, .to = second, .count = 0, .reason = std::string(kReason)});
    ++kind.losses.back().count;
    return nullptr;
  }
  ++sums_;
  return &of_second.try_emplace(Key(subject, what)).first->second;
}

/// The sums of the words of one table, which are looked up once a second.
class CallCounts::Rows {
 public:
  Rows(CallCounts& counts, const EventTable& table) : counts_(counts), table_(table) {
    classes_.resize(table.words().size());
  }

  [[nodiscard]] Sums* at(std::size_t e) {
    const WallTime second = floor_to(table_.times()[e], kPeriod);
    if (second != second_) {
      second_ = second;
      known_.clear();
    }
    const std::string_view subject = class_of(table_.subjects()[e]);
    const Word what = table_.whats()[e];
    const Which which{subject.data(), what.value};
    const auto found = std::ranges::find(known_, which, &std::pair<Which, Sums*>::first);
    if (found != known_.end()) return found->second;
    Sums* const sums = counts_.sums_of(counts_.calls_, second, subject, table_.words().text(what));
    known_.emplace_back(which, sums);
    return sums;
  }

 private:
  using Which = std::pair<const char*, std::uint32_t>;

  [[nodiscard]] std::string_view class_of(Word subject) {
    if (subject == kNoWord) return object_class({}, counts_.rules_);
    std::string_view& known = classes_[subject.index()];
    if (known.empty()) known = object_class(table_.words().text(subject), counts_.rules_);
    return known;
  }

  CallCounts& counts_;
  const EventTable& table_;
  std::optional<WallTime> second_;
  std::vector<std::pair<Which, Sums*>> known_;  ///< Of `second_`: a handful.
  std::vector<std::string_view> classes_;       ///< By word.
};

void CallCounts::add_calls(const EventTable& calls) {
  const AttributeColumn* const ends = calls.find_attribute("end", AttributeForm::kInteger);
  Rows rows(*this, calls);
  std::size_t next = 0;  // Of the events that have an `end`, which grow.
  for (std::size_t e = 0; e < calls.size(); ++e) {
    if (ends != nullptr && next < ends->events.size() && ends->events[next] == e) {
      if (ends->values[next++] != static_cast<std::uint64_t>(SyscallEnd::kReturned)) continue;
    }
    if (calls.whats()[e] == kNoWord) continue;
    if (Sums* const sums = rows.at(e)) sums->add(calls.durations()[e]);
  }
  for (const Loss& loss : calls.losses()) calls_.losses.push_back(loss);
}

void CallCounts::add_transfers(const EventTable& transfers) {
  Kind& kind = transfers.kind() == Transfers::kMessageKind ? messages_ : storage_;
  for (std::size_t e = 0; e < transfers.size(); ++e) {
    const EventTable::Event event = transfers.event(e);
    const std::string_view subject =
        event.subject == kNoWord ? std::string_view() : transfers.words().text(event.subject);
    Sums* const sums =
        sums_of(kind, floor_to(event.time, kPeriod), subject, transfers.words().text(event.what));
    if (sums != nullptr) sums->add(transfers.durations()[e]);
  }
  for (const Loss& loss : transfers.losses()) kind.losses.push_back(loss);
}

void CallCounts::add(const EventTable& calls) {
  boot_ = calls.boot();
  add_calls(calls);
  transfers_.add(calls);
}

void CallCounts::count_transfers(const Key& key, const Sums& sums) {
  const auto& [object, name] = key;
  const CallKind kind = call_kind(name);
  if (kind != CallKind::kRead && kind != CallKind::kWrite) return;
  if (object == kStorageClass) transferred_.storage += sums.calls;
  if (object == kFileClass) transferred_.other_files += sums.calls;
}

void CallCounts::Sums::append_to(EventTable& table, WallTime second, const Key& key) const {
  const auto& [subject, what] = key;
  const auto subject_word = subject.empty() ? std::optional(kNoWord) : table.intern(subject);
  const auto what_word = table.intern(what);
  LAGGARD_CHECK(subject_word && what_word);  // They were words of tables before.
  table.append({.time = second, .duration = {}, .subject = *subject_word, .what = *what_word});
  if (what == Transfers::kMark) return;
  const auto set = [&](std::string_view attribute, std::uint64_t value) {
    table.set(*table.attribute(attribute, AttributeForm::kInteger), static_cast<std::int64_t>(value));
  };
  set(kCalls, calls);
  set(kNanoseconds, nanoseconds);
  for (unsigned k = kFirstPower; k <= kLastPower; ++k) {
    if (powers[k - kFirstPower] != 0) set(fmt::format("below_2^{}", k), powers[k - kFirstPower]);
  }
}

EventTable CallCounts::table_of(Kind& kind, WallTime until) {
  EventTable table(host_, std::string(kind.name));
  table.set_boot(boot_);
  for (Loss& loss : kind.losses) table.add_loss(std::move(loss));
  kind.losses.clear();
  while (!kind.seconds.empty() && kind.seconds.begin()->first + kPeriod <= until) {
    const auto second = kind.seconds.extract(kind.seconds.begin());
    for (const auto& [key, sums] : second.mapped()) {
      if (&kind == &calls_) count_transfers(key, sums);
      sums.append_to(table, second.key(), key);
    }
    sums_ -= second.mapped().size();
  }
  return table;
}

std::vector<EventTable> CallCounts::take(WallTime until) {
  for (const EventTable& transfers : transfers_.take(until)) add_transfers(transfers);
  std::vector<EventTable> tables;
  for (Kind* const kind : {&storage_, &messages_, &calls_}) {
    EventTable table = table_of(*kind, until);
    if (!table.empty()) tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace laggard::derive
