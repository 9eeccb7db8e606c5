// Folded stacks: any line is one with a count, whose word fits into a profile and is read again, or it is
// none.
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "collect/import/folded/folded_line.h"
#include "model/code_profile.h"
#include "model/dictionary.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
    const auto folded = laggard::collect::parse_folded_line(line);
    if (!folded) continue;
    LAGGARD_CHECK(folded->count > 0);
    const std::string word = laggard::to_folded(folded->stack.program, folded->stack.frames);
    LAGGARD_CHECK(word.size() <= laggard::Dictionary::kLongestWord);
    const laggard::FoldedStack again = laggard::folded_stack(word);
    LAGGARD_CHECK(laggard::to_folded(again.program, again.frames) == word);
  }
  return 0;
}
