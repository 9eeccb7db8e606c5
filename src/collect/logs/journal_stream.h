#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "collect/logs/journal.h"

namespace laggard::collect {

/// Takes the journal's export format apart (read_journal_entry) as its bytes come, in pieces of any length.
/// Of a value no more is kept than an entry holds, however long it is.
class JournalStream {
 public:
  /// Reads up to the end of an entry. Requires that there is none now. \return how many bytes it took.
  [[nodiscard]] std::size_t take(std::string_view bytes);
  [[nodiscard]] bool has_entry() const { return has_entry_; }
  [[nodiscard]] const JournalEntry& entry() const { return entry_; }
  /// Goes on behind the entry.
  void next() { *this = {}; }
  /// Whether what follows cannot be told apart any more: a length was wrong.
  [[nodiscard]] bool is_damaged() const { return is_damaged_; }

 private:
  enum class Expects : std::uint8_t { kLine, kLength, kValue };

  [[nodiscard]] std::size_t take_line(std::string_view bytes);
  [[nodiscard]] std::size_t take_length(std::string_view bytes);
  [[nodiscard]] std::size_t take_value(std::string_view bytes);
  void end_line();

  JournalEntry entry_;
  Expects expects_ = Expects::kLine;
  std::string line_;  ///< As much of the present line as is kept; of a value's field its name.
  std::string value_;
  std::uint64_t length_ = 0;  ///< Of the value, as far as it was read.
  std::size_t length_bytes_ = 0;
  bool ends_value_ = false;  ///< The present line is the line end behind a value.
  bool has_fields_ = false;
  bool has_entry_ = false;
  bool is_damaged_ = false;
};

}  // namespace laggard::collect
