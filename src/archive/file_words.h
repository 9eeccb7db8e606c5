#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>

#include "model/dictionary.h"

namespace laggard::archive {

/// The different strings that the blocks of one file name together, by their checksums: a file's dictionary
/// is bounded though each block has its own, so that a reader who keeps the words of a day knows what to
/// expect.
class FileWords {
 public:
  /// False, and nothing is counted, when the file would name more than kMaxFileWords or kMaxFileWordBytes.
  [[nodiscard]] bool add(const Dictionary& words);
  /// What the file names already, whoever let it.
  void add_written(const Dictionary& words);

 private:
  std::unordered_set<std::uint64_t> known_;
  std::size_t bytes_ = 0;
};

}  // namespace laggard::archive
