#include "collect/import/profile_import.h"

#include <cmath>
#include <iterator>

namespace laggard::collect {

namespace {

/// Of a word that waits, beside its text.
constexpr std::size_t kEntryBytes = 96;
constexpr std::size_t kPeriodBytes = 256;

}  // namespace

Status ProfileImport::put(std::string_view host, const Count& count) {
  if (bytes_ >= kMostWaiting) {
    if (Status flushed = flush_all_but_newest(); !flushed) return flushed;
  }
  Periods& periods = waiting_[{std::string(host), std::string(count.kind)}];
  const auto [found, is_new] = periods.try_emplace(count.start);
  Period& period = found->second;
  if (is_new) {
    period.length = count.length;
    bytes_ += kPeriodBytes;
  }
  const auto known = period.counts.find(count.word);
  if (known != period.counts.end()) {
    known->second = sum_of_counts(known->second, count.count);
  } else {
    period.counts.emplace(count.word, count.count);
    bytes_ += count.word.size() + kEntryBytes;
  }
  const auto samples = static_cast<double>(count.count);
  period.samples += samples;
  period.cpu_ns += samples * static_cast<double>(count.each.count());
  period.is_time_known = period.is_time_known && count.each > Duration::zero();
  return {};
}

Status ProfileImport::append(const HostKind& whose, Periods::iterator first, Periods::iterator end) {
  if (first == end) return {};
  ProfileTable table(whose.first, whose.second);
  for (auto next = first; next != end; ++next) {
    const Period& period = next->second;
    const double each = period.is_time_known ? period.cpu_ns / period.samples : 0;
    table.begin({.start = next->first,
                 .length = period.length,
                 .subject = kNoWord,
                 .each = Duration(std::llround(each))});
    for (const auto& [text, count] : period.counts) {
      const std::optional<Word> word = table.intern(text);
      LAGGARD_CHECK(word);
      table.add(*word, count);
    }
  }
  return appended(sink_.append(table));
}

Status ProfileImport::flush() {
  bytes_ = 0;
  for (auto& [whose, periods] : waiting_) {
    if (Status done = append(whose, periods.begin(), periods.end()); !done) return done;
  }
  waiting_.clear();
  return {};
}

Status ProfileImport::flush_all_but_newest() {
  std::size_t left = 0;
  for (auto& [whose, periods] : waiting_) {
    const auto newest = std::prev(periods.end());
    if (Status done = append(whose, periods.begin(), newest); !done) return done;
    periods.erase(periods.begin(), newest);
    left += kPeriodBytes;
    for (const auto& [text, count] : newest->second.counts) left += text.size() + kEntryBytes;
  }
  bytes_ = left;
  // Where the newest periods alone are that large, another call must not find nothing to write.
  return bytes_ > kMostWaiting / 2 ? flush() : Status{};
}

}  // namespace laggard::collect
