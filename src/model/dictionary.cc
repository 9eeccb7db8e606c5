#include "model/dictionary.h"

#include <functional>

#include "base/error.h"

namespace laggard {

namespace {

constexpr std::size_t kFirstSlots = 16;

}  // namespace

std::string_view Dictionary::text(Word word) const {
  const std::size_t begin = word.index() == 0 ? 0 : ends_[word.index() - 1];
  return std::string_view(text_).substr(begin, ends_[word.index()] - begin);
}

std::size_t Dictionary::slot_of(std::string_view text) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = std::hash<std::string_view>{}(text)&mask;
  while (slots_[slot] != 0 && this->text(Word{slots_[slot] - 1}) != text) slot = (slot + 1) & mask;
  return slot;
}

void Dictionary::grow() {
  slots_.assign(slots_.empty() ? kFirstSlots : slots_.size() * 2, 0);
  for (std::uint32_t word = 0; word < ends_.size(); ++word) slots_[slot_of(text(Word{word}))] = word + 1;
}

std::optional<Word> Dictionary::find(std::string_view text) const {
  if (slots_.empty()) return std::nullopt;
  const std::uint32_t found = slots_[slot_of(text)];
  return found == 0 ? std::nullopt : std::optional(Word{found - 1});
}

std::optional<Word> Dictionary::intern(std::string_view text) {
  if ((size() + 1) * 2 > slots_.size()) grow();
  const std::size_t slot = slot_of(text);
  if (slots_[slot] != 0) return Word{slots_[slot] - 1};
  if (text.size() > kLongestWord || size() == kMostWords || bytes() + text.size() > kMostBytes) {
    return std::nullopt;
  }
  text_.append(text);
  ends_.push_back(static_cast<std::uint32_t>(text_.size()));
  slots_[slot] = static_cast<std::uint32_t>(ends_.size());
  return Word{slots_[slot] - 1};
}

Word WordMap::operator()(Word word) {
  if (word == kNoWord) return word;
  Word& mapped = map_[word.index()];
  if (mapped == kNoWord) {
    const std::optional<Word> known = to_.intern(from_.text(word));
    LAGGARD_CHECK(known.has_value());
    mapped = *known;
  }
  return mapped;
}

}  // namespace laggard
