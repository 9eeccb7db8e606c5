#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "collect/record/sampler.h"

namespace laggard::collect {

/// A pattern that nothing matches is most likely a mistake: says so once, with the names that there are.
/// \param names  all of which may be meant, kernel's and mapper's; \param what  `--disk`, `--net`.
inline void say_what_matches_nothing(std::span<const std::string> globs, std::vector<std::string> names,
                                     std::string_view what, Notices& notices) {
  constexpr std::size_t kMostListed = 12;
  std::ranges::sort(names, natural_less);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const auto matches = [&](const std::string& glob) {
    return std::ranges::any_of(names, [&](const std::string& name) { return glob_match(glob, name); });
  };
  std::vector<std::string> unmatched;
  std::ranges::remove_copy_if(globs, std::back_inserter(unmatched), matches);
  const std::size_t there = names.size();
  const std::string rest = there > kMostListed ? fmt::format(" and {} more", there - kMostListed) : "";
  names.resize(std::min(there, kMostListed));
  const std::string known = there == 0 ? "none" : fmt::format("{}{}", fmt::join(names, ", "), rest);
  for (const std::string& glob : unmatched) {
    notices.once(fmt::format("{} {} matches nothing for now; there are {}", what, glob, known));
  }
}

}  // namespace laggard::collect
