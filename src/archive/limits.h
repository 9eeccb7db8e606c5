#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>

#include "base/error.h"
#include "model/dictionary.h"
#include "model/sample_table.h"

namespace laggard::archive {

// What a writer refuses, because a block or a file could not hold it or a reader would refuse it.

/// Refuses a host after which no file could be named: an empty name, or one that is too long.
[[nodiscard]] Status check_host(const std::string& host);

/// Refuses a table with too many, too long or repeated names. Errors are kBadInput and name the host.
[[nodiscard]] Status check_table(const SampleTable& table);

/// Counts the distinct strings that the blocks of one file name, by their checksums. Each block has its own
/// dictionary, but the words of a whole file are bounded, so that a reader may keep those of a day in memory.
class FileWords {
 public:
  /// False, and nothing is counted, when the file would name more than kMaxFileWords or kMaxFileWordBytes.
  [[nodiscard]] bool add(const Dictionary& words);
  /// Counts words that are in the file already, even beyond the limits.
  void add_written(const Dictionary& words);

 private:
  std::unordered_set<std::uint64_t> known_;
  std::size_t bytes_ = 0;
};

}  // namespace laggard::archive
