#include "topology/import/saved_text.h"

#include "base/text.h"
#include "topology/system_text.h"

namespace laggard::topology {

std::optional<SavedLine> SavedLines::next() {
  if (rest_.empty()) return std::nullopt;
  std::string_view line = take_line(rest_);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return SavedLine{line, ++number_};
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t kMost = 60;
  const std::string shown = harmless(text.substr(0, kMost));
  return text.size() > kMost ? shown + "..." : shown;
}

}  // namespace laggard::topology
