#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.h"
#include "collect/import/line_import.h"

namespace laggard::collect {

/// Lines that an importer could make nothing of: how many, and where the first one is.
class OtherLines {
 public:
  void count(std::string_view where, std::uint64_t line) {
    if (count_++ == 0) first_ = fmt::format("{}:{}", where, line);
  }
  /// One sentence, if there are any. \param what  about one of them, and about several: `is no …`, `are no …`
  void notice(LineImport& import, std::string_view one, std::string_view many) const {
    if (count_ == 0) return;
    import.notice(count_ == 1 ? fmt::format("{} {} and was passed over", first_, one)
                              : fmt::format("{} lines {} and were passed over, the first at {}",
                                            with_separators(count_), many, first_));
  }

 private:
  std::uint64_t count_ = 0;
  std::string first_;
};

}  // namespace laggard::collect
