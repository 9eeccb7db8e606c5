#include "collect/procfs/unmatched.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace laggard::collect {

void say_what_matches_nothing(std::span<const std::string> globs, std::vector<std::string> names,
                              std::string_view what, Notices& notices) {
  constexpr std::size_t kMostListed = 12;
  std::ranges::sort(names, natural_less);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const std::string& glob : globs) {
    const bool matches =
        std::ranges::any_of(names, [&](const std::string& name) { return glob_match(glob, name); });
    if (matches) continue;
    notices.once(fmt::format("{} {} matches nothing for now; there are {}", what, glob,
                             names.empty() ? "none" : first_few(names, kMostListed)));
  }
}

}  // namespace laggard::collect
