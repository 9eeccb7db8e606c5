#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/dictionary.h"
#include "model/event.h"

namespace laggard {

/// Sparse counts per period: how often each of many things was seen from a moment on for a while, such as
/// folded call stacks among the samples of a profiler, or sizes among requests. What was not seen in a period
/// has no entry there.
class ProfileTable {
 public:
  struct Period {
    WallTime start;
    Duration length{};       ///< Not negative.
    Word subject = kNoWord;  ///< The part that the profile is of; kNoWord: the host.
    Duration each{};         ///< What one count is worth where it stands for time, as samples do; else zero.
  };

  ProfileTable() = default;
  ProfileTable(std::string host, std::string kind) : host_(std::move(host)), kind_(std::move(kind)) {}

  [[nodiscard]] const std::string& host() const { return host_; }
  /// What is counted: `stacks`, `calls`, …; open, as witnesses are.
  [[nodiscard]] const std::string& kind() const { return kind_; }
  /// See SampleTable::boot.
  [[nodiscard]] const std::string& boot() const { return boot_; }
  void set_boot(std::string boot) { boot_ = std::move(boot); }

  [[nodiscard]] const Dictionary& words() const { return words_; }
  [[nodiscard]] std::optional<Word> intern(std::string_view text) { return words_.intern(text); }

  void begin(const Period& period);
  /// In the period that was begun last, once per word.
  void add(Word word, std::uint64_t count);
  void add_loss(Loss loss) { losses_.push_back(std::move(loss)); }

  /// Periods.
  [[nodiscard]] std::size_t size() const { return periods_.size(); }
  /// Nothing at all, not even a loss.
  [[nodiscard]] bool empty() const { return periods_.empty() && losses_.empty(); }
  [[nodiscard]] std::span<const Period> periods() const { return periods_; }
  /// What was counted in period `p`, and how often.
  [[nodiscard]] std::span<const Word> seen(std::size_t p) const {
    return std::span(seen_).subspan(begin_of(p), ends_[p] - begin_of(p));
  }
  [[nodiscard]] std::span<const std::uint64_t> counts(std::size_t p) const {
    return std::span(counts_).subspan(begin_of(p), ends_[p] - begin_of(p));
  }
  /// Entries of all periods.
  [[nodiscard]] std::size_t entries() const { return seen_.size(); }
  [[nodiscard]] std::span<const Loss> losses() const { return losses_; }
  /// From the first to the last start of a period or moment of a loss; requires that there is one.
  [[nodiscard]] TimeSpan extent() const;

  [[nodiscard]] bool has_room_for(const ProfileTable& other) const {
    return words_.has_room_for(other.words_);
  }
  /// Appends these periods of another table with their words carried over; not its losses.
  void append_from(const ProfileTable& other, std::span<const std::uint32_t> periods);

 private:
  [[nodiscard]] std::size_t begin_of(std::size_t p) const { return p == 0 ? 0 : ends_[p - 1]; }

  std::string host_;
  std::string kind_;
  std::string boot_;
  Dictionary words_;
  std::vector<Period> periods_;
  std::vector<std::size_t> ends_;  ///< Of each period's entries.
  std::vector<Word> seen_;
  std::vector<std::uint64_t> counts_;
  std::vector<Loss> losses_;
};

/// The sum of two counts, or the largest count that there is.
[[nodiscard]] constexpr std::uint64_t sum_of_counts(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  return a > kMost - b ? kMost : a + b;
}

/// Periods that start from `from` on and before `to`, and the losses that touch this; either end may be open.
[[nodiscard]] ProfileTable cut(const ProfileTable& table, std::optional<WallTime> from,
                               std::optional<WallTime> to);

}  // namespace laggard
