#include "archive/file_words.h"

#include <string_view>
#include <vector>

#include "archive/block.h"
#include "archive/format.h"

namespace laggard::archive {

bool FileWords::add(const Dictionary& words) {
  std::vector<std::uint64_t> added;
  std::size_t bytes = 0;
  for (std::uint32_t word = 0; word < words.size(); ++word) {
    const std::string_view text = words.text(Word{word});
    const std::uint64_t hash = hash_bytes(text);
    if (known_.contains(hash)) continue;
    added.push_back(hash);
    bytes += text.size();
  }
  if (known_.size() + added.size() > kMaxFileWords || bytes_ + bytes > kMaxFileWordBytes) return false;
  known_.insert(added.begin(), added.end());
  bytes_ += bytes;
  return true;
}

void FileWords::add_written(const Dictionary& words) {
  for (std::uint32_t word = 0; word < words.size(); ++word) {
    const std::string_view text = words.text(Word{word});
    if (known_.insert(hash_bytes(text)).second) bytes_ += text.size();
  }
}

}  // namespace laggard::archive
