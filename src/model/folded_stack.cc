#include "model/folded_stack.h"

#include <cstddef>
#include <utility>

#include "base/text.h"
#include "model/code_profile.h"
#include "model/dictionary.h"

namespace laggard {

namespace {

constexpr std::string_view kLeftOut = ";[...]";
/// Of one name, so that a single one does not push out all others.
constexpr std::size_t kLongestName = 512;

std::string frame_name(std::string_view name) {
  return name.empty() ? "[unknown]" : clean_name(name, kLongestName);
}

}  // namespace

std::string to_folded(std::string_view program, std::span<const std::string_view> frames) {
  std::string word = frame_name(program);
  const std::size_t room = Dictionary::kLongestWord - word.size() - kLeftOut.size();
  std::vector<std::string> inner;
  std::size_t used = 0;
  for (std::size_t i = frames.size(); i-- > 0;) {
    std::string name = frame_name(frames[i]);
    if (used + name.size() + 1 > room) {
      word += kLeftOut;
      break;
    }
    used += name.size() + 1;
    inner.push_back(std::move(name));
  }
  for (std::size_t i = inner.size(); i-- > 0;) word += ";" + inner[i];
  return word;
}

FoldedStack folded_stack(std::string_view word) {
  std::vector<std::string_view> names = split(word, ';');
  const std::string_view program = names.front();
  names.erase(names.begin());
  return {.program = program, .frames = std::move(names)};
}

}  // namespace laggard
