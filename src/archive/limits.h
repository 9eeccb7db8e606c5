#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>

#include "base/error.h"
#include "model/dictionary.h"
#include "model/sample_table.h"

namespace laggard::archive {

/// Refuses a host that no file could be named after: none, or one whose name is too long.
[[nodiscard]] Status check_host(const std::string& host);

/// Refuses what a block could not hold or a reader would refuse: too many or too long names, one of them
/// twice. Errors are kBadInput and name the host.
[[nodiscard]] Status check_table(const SampleTable& table);

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
