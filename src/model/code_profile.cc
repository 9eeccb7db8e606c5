#include "model/code_profile.h"

#include <algorithm>

#include "model/dictionary.h"

namespace laggard {

namespace {

void append_name(std::string_view name, std::string& word) {
  constexpr std::size_t kLongest = (Dictionary::kLongestWord - 2) / 3;
  for (const char c : name.substr(0, kLongest)) {
    const bool is_control = static_cast<unsigned char>(c) < ' ' || c == '\x7f';
    word += c == ';' ? ':' : is_control ? ' ' : c;
  }
}

}  // namespace

std::string to_word(const FunctionName& name) {
  std::string word;
  append_name(name.program, word);
  word += ';';
  append_name(name.binary, word);
  word += ';';
  append_name(name.function, word);
  return word;
}

std::optional<FunctionName> function_name(std::string_view word) {
  const std::size_t first = word.find(';');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = word.find(';', first + 1);
  if (second == std::string_view::npos || word.find(';', second + 1) != std::string_view::npos) {
    return std::nullopt;
  }
  return FunctionName{.program = word.substr(0, first),
                      .binary = word.substr(first + 1, second - first - 1),
                      .function = word.substr(second + 1)};
}

}  // namespace laggard
