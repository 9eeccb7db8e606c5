#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"

namespace laggard {

/// A string that a dictionary has numbered. It means nothing without its dictionary.
using Word = Id<struct WordTag>;
/// Where there is no word: an event that is about no part.
inline constexpr Word kNoWord{UINT32_MAX};

/// The strings of one table, each kept once and numbered in the order in which they came. The text lies in
/// one piece and the hash table holds numbers only, so that a dictionary is cheap to copy, and a string that
/// is known costs one look-up and no allocation.
class Dictionary {
 public:
  /// What one dictionary holds at most: a source that makes up names without end must not fill the memory.
  static constexpr std::size_t kMostWords = std::size_t{1} << 18;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 24;
  static constexpr std::size_t kLongestWord = 4096;

  /// The number of `text`, which is new if need be. Nothing when there is no more room or the text is longer
  /// than any may be: then another table is begun, or the text is shortened.
  [[nodiscard]] std::optional<Word> intern(std::string_view text);
  [[nodiscard]] std::optional<Word> find(std::string_view text) const;
  /// Valid until the next `intern`.
  [[nodiscard]] std::string_view text(Word word) const;

  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  /// Of all texts together.
  [[nodiscard]] std::size_t bytes() const { return text_.size(); }
  /// Whether all words of `other` surely go in here too.
  [[nodiscard]] bool has_room_for(const Dictionary& other) const {
    return size() + other.size() <= kMostWords && bytes() + other.bytes() <= kMostBytes;
  }

 private:
  /// The slot of `text`, or the empty one where it would go.
  [[nodiscard]] std::size_t slot_of(std::string_view text) const;
  void grow();

  std::string text_;
  std::vector<std::uint32_t> ends_;   ///< Of each word in `text_`.
  std::vector<std::uint32_t> slots_;  ///< Number of a word plus one; 0 is empty. A power of two of them.
};

/// Carries words of one dictionary over into another one, each looked up once. Both outlive this, and the
/// second has room for all of the first.
class WordMap {
 public:
  WordMap(const Dictionary& from, Dictionary& to) : from_(from), to_(to), map_(from.size(), kNoWord) {}
  /// kNoWord stays what it is.
  [[nodiscard]] Word operator()(Word word);

 private:
  const Dictionary& from_;
  Dictionary& to_;
  std::vector<Word> map_;
};

}  // namespace laggard
