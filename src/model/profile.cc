#include "model/profile.h"

#include <algorithm>

#include "base/error.h"

namespace laggard {

void ProfileTable::begin(const Period& period) {
  LAGGARD_CHECK(period.subject == kNoWord || period.subject.index() < words_.size());
  periods_.push_back(period);
  ends_.push_back(seen_.size());
}

void ProfileTable::add(Word word, std::uint64_t count) {
  LAGGARD_CHECK(!periods_.empty() && word.index() < words_.size());
  seen_.push_back(word);
  counts_.push_back(count);
  ends_.back() = seen_.size();
}

TimeSpan ProfileTable::extent() const {
  LAGGARD_CHECK(!empty());
  TimeSpan extent{WallTime::max(), WallTime::min()};
  for (const Period& period : periods_) {
    extent = {std::min(extent.from, period.start), std::max(extent.to, period.start)};
  }
  for (const Loss& loss : losses_) {
    extent = {std::min(extent.from, loss.from), std::max(extent.to, loss.to)};
  }
  return extent;
}

void ProfileTable::append_from(const ProfileTable& other, std::span<const std::uint32_t> periods) {
  WordMap map{other.words_, words_};
  for (const std::uint32_t p : periods) {
    Period period = other.periods_[p];
    period.subject = map(period.subject);
    begin(period);
    for (std::size_t i = 0; i < other.seen(p).size(); ++i) {
      const Word word = map(other.seen(p)[i]);
      add(word, other.counts(p)[i]);
    }
  }
}

ProfileTable cut(const ProfileTable& table, std::optional<WallTime> from, std::optional<WallTime> to) {
  std::vector<std::uint32_t> inside;
  for (std::uint32_t p = 0; p < table.size(); ++p) {
    const WallTime t = table.periods()[p].start;
    if ((!from || t >= *from) && (!to || t < *to)) inside.push_back(p);
  }
  ProfileTable part(table.host(), table.kind());
  part.set_boot(table.boot());
  part.append_from(table, inside);
  for (const Loss& loss : table.losses()) {
    if ((!from || loss.to >= *from) && (!to || loss.from < *to)) part.add_loss(loss);
  }
  return part;
}

}  // namespace laggard
