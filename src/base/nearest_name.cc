#include "base/nearest_name.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace laggard {

namespace {

constexpr std::size_t kLongest = 64;

/// Levenshtein distance, one row at a time.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names) {
  if (word.size() > kLongest) return {};
  std::string_view nearest;
  std::size_t least = std::min(std::max<std::size_t>(2, word.size() / 3) + 1, word.size());
  for (const std::string_view name : names) {
    if (name.size() > kLongest) continue;
    const std::size_t away = edits(word, name);
    if (away >= least || away >= name.size()) continue;
    least = away;
    nearest = name;
  }
  return nearest;
}

}  // namespace laggard
