#include "stats/identifiability.h"

#include <algorithm>
#include <map>

namespace laggard::stats {

namespace {

class HidingSearch {
 public:
  HidingSearch(std::span<const UnitPath> paths, std::size_t unit) : unit_(unit) {
    for (const UnitPath& path : paths) {
      if (std::ranges::binary_search(path, unit)) through_.push_back(&path);
    }
  }

  /// Whether so many more units suffice to cut all paths; then `chosen()` holds them.
  [[nodiscard]] bool cuts(std::size_t more) {
    const auto alive = std::ranges::find_if(through_, [&](const UnitPath* path) {
      return std::ranges::none_of(*path, [&](std::size_t u) { return is_chosen(u); });
    });
    if (alive == through_.end()) return true;
    if (more == 0) return false;
    for (const std::size_t other : **alive) {
      if (other == unit_) continue;
      chosen_.push_back(other);
      if (cuts(more - 1)) return true;
      chosen_.pop_back();
    }
    return false;
  }
  [[nodiscard]] std::vector<std::size_t> chosen() const {
    std::vector<std::size_t> sorted = chosen_;
    std::ranges::sort(sorted);
    return sorted;
  }

 private:
  [[nodiscard]] bool is_chosen(std::size_t unit) const {
    return std::ranges::find(chosen_, unit) != chosen_.end();
  }

  std::size_t unit_;
  std::vector<const UnitPath*> through_;
  std::vector<std::size_t> chosen_;
};

}  // namespace

std::optional<std::vector<std::size_t>> hiding_set(std::span<const UnitPath> paths, std::size_t unit,
                                                   std::size_t k) {
  HidingSearch search(paths, unit);
  for (std::size_t size = 0; size <= k; ++size) {
    if (search.cuts(size)) return search.chosen();
  }
  return std::nullopt;
}

std::vector<std::size_t> path_classes(std::span<const UnitPath> paths, std::size_t units) {
  std::vector<std::vector<std::size_t>> on(units);
  for (std::size_t p = 0; p < paths.size(); ++p) {
    for (const std::size_t unit : paths[p]) on[unit].push_back(p);
  }
  std::map<std::vector<std::size_t>, std::size_t> numbers;
  std::vector<std::size_t> classes;
  classes.reserve(units);
  for (const std::vector<std::size_t>& list : on) {
    classes.push_back(numbers.try_emplace(list, numbers.size()).first->second);
  }
  return classes;
}

}  // namespace laggard::stats
