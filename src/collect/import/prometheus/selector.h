#pragma once

#include <span>
#include <string>
#include <string_view>

namespace laggard::collect {

/// A PromQL selector of series by the names of their metrics: `{__name__=~"a|b",MATCHERS}`.
/// \param matchers  more of them, separated by commas; empty ones and braces around one are left out.
[[nodiscard]] std::string selector(std::span<const std::string_view> metrics,
                                   std::span<const std::string_view> matchers);

/// `LABEL=~"a|b"`: any of these values, whatever characters they are made of.
[[nodiscard]] std::string any_of(std::string_view label, std::span<const std::string> values);

}  // namespace laggard::collect
