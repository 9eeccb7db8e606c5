#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collect/record/sampler.h"

namespace laggard::collect {

/// A pattern that nothing matches is most likely a mistake: says so once, with the names that there are.
/// \param names  all of which may be meant, kernel's and mapper's; \param what  `--disk`, `--net`.
void say_what_matches_nothing(std::span<const std::string> globs, std::vector<std::string> names,
                              std::string_view what, Notices& notices);

}  // namespace laggard::collect
