#include "topology/order.h"

#include <fmt/format.h>

#include "base/node_set.h"
#include "base/text.h"

namespace laggard::topology {

Result<std::vector<std::uint32_t>> parse_positions(std::string_view text, std::size_t count) {
  const auto bad = [&](std::string_view why) {
    return fail(ErrorCode::kBadInput, "", fmt::format("'{}' must be positions such as 1-4,7: {}", text, why));
  };
  if (text.find_first_not_of("0123456789-, ") != std::string_view::npos)
    return bad("it holds other characters");
  std::string set = "[";
  for (const char c : text) {
    if (c != ' ') set += c;
  }
  const auto numbers = expand_node_set(set + "]", count);
  if (!numbers) return bad(fmt::format("it does not expand into at most {}", count));
  std::vector<std::uint32_t> out;
  std::vector<bool> taken(count);
  for (const std::string& number : *numbers) {
    const auto position = to_number<std::uint32_t>(number);
    if (!position || *position == 0 || *position > count) {
      return bad(fmt::format("{} is not among the {} servers", number, count));
    }
    if (taken[*position - 1]) return bad(fmt::format("{} comes twice", number));
    taken[*position - 1] = true;
    out.push_back(*position - 1);
  }
  return out;
}

}  // namespace laggard::topology
