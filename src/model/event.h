#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "model/dictionary.h"

namespace laggard {

/// What a stream of observations lacks, told by who made it: a ring that ran over, a limit that was reached.
struct Loss {
  WallTime from;
  WallTime to;              ///< Of what was lost, as well as it is known.
  std::uint64_t count = 0;  ///< Observations.
  std::string reason;
  bool operator==(const Loss&) const = default;
};

/// Observations of one host and kind that nothing was made of, and when they were.
struct Unused {
  std::uint64_t late = 0;     ///< Their time had been judged.
  std::uint64_t no_room = 0;  ///< Too many waited.
  std::uint64_t lost = 0;     ///< Who made them says so (Loss).
  WallTime from = WallTime::max();
  WallTime to = WallTime::min();
  std::string reason{};  ///< Of the first loss.

  void add(std::uint64_t Unused::*why, std::uint64_t count, TimeSpan when);
  /// One for each reason. \param done  what was not done with them: `judged`.
  [[nodiscard]] std::vector<std::string> sentences(std::string_view kind, std::string_view host,
                                                   std::string_view done) const;
};

/// How the bits of an attribute are to be read.
enum class AttributeForm : std::uint8_t {
  kInteger,  ///< std::int64_t
  kReal,     ///< double
  kWord,     ///< A Word of the table's dictionary.
};

/// One attribute of those events that have it.
struct AttributeColumn {
  std::string key;
  AttributeForm form = AttributeForm::kInteger;
  std::vector<std::uint32_t> events;  ///< Which events have it: grows.
  std::vector<std::uint64_t> values;  ///< One for each of them.

  /// Nothing when event `e` does not have it, which is never zero. At once where all up to `e` have it.
  [[nodiscard]] std::optional<std::uint64_t> bits(std::size_t e) const {
    if (e < events.size() && events[e] == e) return values[e];
    return bits_of_some(e);
  }

 private:
  [[nodiscard]] std::optional<std::uint64_t> bits_of_some(std::size_t e) const;
};

/// Events of one kind on one host, column by column: when each was (mostly its begin; a system call's end),
/// how long it took, which part or path it is about, what happened, and attributes. The unit that witnesses
/// of single happenings (syscalls, pings, log lines) write, the archive stores and detectors read.
///
/// Strings are words of the table's own dictionary. Times keep the order of recording; they mostly grow, but
/// what took longer may be told later. An event that has no duration (a log line) is not one that took no
/// time.
class EventTable {
 public:
  /// An attribute is a column: a source that makes up keys must not make a table of nothing but columns.
  static constexpr std::size_t kMostAttributes = 256;
  static constexpr std::int64_t kNoDuration = -1;

  struct Event {
    WallTime time;
    std::optional<Duration> duration;  ///< Not negative.
    Word subject = kNoWord;            ///< The part or path by name; kNoWord: the host.
    Word what = kNoWord;               ///< The syscall, the outcome of a ping, the template of a log line.
  };

  EventTable() = default;
  EventTable(std::string host, std::string kind) : host_(std::move(host)), kind_(std::move(kind)) {}

  [[nodiscard]] const std::string& host() const { return host_; }
  /// What the events are: `syscall`, `ping`, `log`, …; open, as witnesses are.
  [[nodiscard]] const std::string& kind() const { return kind_; }
  /// See SampleTable::boot.
  [[nodiscard]] const std::string& boot() const { return boot_; }
  void set_boot(std::string boot) { boot_ = std::move(boot); }

  /// How far whoever made the events had read behind the last of them, in its own words; empty: it need not
  /// know. It is stored together with the events or not at all (ObservationSink), so that after a crash its
  /// maker goes on where the stored events end.
  [[nodiscard]] const std::string& bookmark() const { return bookmark_; }
  void set_bookmark(std::string bookmark) { bookmark_ = std::move(bookmark); }

  [[nodiscard]] const Dictionary& words() const { return words_; }
  [[nodiscard]] std::optional<Word> intern(std::string_view text) { return words_.intern(text); }

  void append(const Event& event);
  /// The column of an attribute in a form, made if need be. Nothing when its name is longer than a word may
  /// be or there are kMostAttributes.
  [[nodiscard]] std::optional<std::size_t> attribute(std::string_view key, AttributeForm form);
  /// Of the event that was appended last, once per attribute.
  void set_bits(std::size_t attribute, std::uint64_t bits);
  void set(std::size_t attribute, std::int64_t value) {
    set_bits(attribute, static_cast<std::uint64_t>(value));
  }
  void set(std::size_t attribute, double value) { set_bits(attribute, std::bit_cast<std::uint64_t>(value)); }
  void set(std::size_t attribute, Word value) { set_bits(attribute, value.value); }
  /// A whole column at once. False, and nothing is added, when it does not fit the table: it is there
  /// already, there are too many, it names events or words that are not there, or its events do not grow.
  [[nodiscard]] bool add_attribute(AttributeColumn column);
  void add_loss(Loss loss) { losses_.push_back(std::move(loss)); }

  [[nodiscard]] std::size_t size() const { return times_.size(); }
  /// Nothing at all, not even a loss.
  [[nodiscard]] bool empty() const { return times_.empty() && losses_.empty(); }
  [[nodiscard]] Event event(std::size_t e) const;
  [[nodiscard]] std::span<const WallTime> times() const { return times_; }
  /// In ns, or kNoDuration.
  [[nodiscard]] std::span<const std::int64_t> durations() const { return durations_; }
  [[nodiscard]] std::span<const Word> subjects() const { return subjects_; }
  [[nodiscard]] std::span<const Word> whats() const { return whats_; }
  [[nodiscard]] std::span<const AttributeColumn> attributes() const { return attributes_; }
  /// The column of an attribute in that form; null when no event has it.
  [[nodiscard]] const AttributeColumn* find_attribute(std::string_view key, AttributeForm form) const;
  /// Of a column of words, that of event `e`; empty when the column is null, or `e` does not have it.
  [[nodiscard]] std::string_view word(const AttributeColumn* column, std::size_t e) const;
  [[nodiscard]] std::span<const Loss> losses() const { return losses_; }
  /// From the first to the last time of an event or loss; requires that there is one.
  [[nodiscard]] TimeSpan extent() const;

  /// Whether `append_from` may be called: words and attributes surely go in.
  [[nodiscard]] bool has_room_for(const EventTable& other) const;
  /// Appends these events of another table with their words carried over; not its losses. Quickest where they
  /// follow one another.
  void append_from(const EventTable& other, std::span<const std::uint32_t> events);

 private:
  std::string host_;
  std::string kind_;
  std::string boot_;
  std::string bookmark_;
  Dictionary words_;
  std::vector<WallTime> times_;
  std::vector<std::int64_t> durations_;
  std::vector<Word> subjects_;
  std::vector<Word> whats_;
  std::vector<AttributeColumn> attributes_;
  std::vector<Loss> losses_;
};

// Inline: a tracer of system calls appends a million events a second.

inline void EventTable::append(const Event& event) {
  LAGGARD_CHECK(event.what.index() < words_.size());
  LAGGARD_CHECK(event.subject == kNoWord || event.subject.index() < words_.size());
  times_.push_back(event.time);
  durations_.push_back(event.duration ? event.duration->count() : kNoDuration);
  subjects_.push_back(event.subject);
  whats_.push_back(event.what);
}

inline void EventTable::set_bits(std::size_t attribute, std::uint64_t bits) {
  AttributeColumn& column = attributes_[attribute];
  const auto last = static_cast<std::uint32_t>(times_.size() - 1);
  LAGGARD_CHECK(!times_.empty() && (column.events.empty() || column.events.back() < last));
  LAGGARD_CHECK(column.form != AttributeForm::kWord || bits < words_.size());
  column.events.push_back(last);
  column.values.push_back(bits);
}

/// Events from `from` on and before `to`, and the losses that touch this; either end may be open.
[[nodiscard]] EventTable cut(const EventTable& table, std::optional<WallTime> from,
                             std::optional<WallTime> to);

}  // namespace laggard
