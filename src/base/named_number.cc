#include "base/named_number.h"

#include <optional>

#include "base/text.h"

namespace laggard {

Result<NumberAssignment> parse_assignment(std::string_view text, std::string_view example) {
  const std::size_t equals = text.find('=');
  const auto value = equals == std::string_view::npos ? std::optional<double>{}
                                                      : to_number<double>(trim(text.substr(equals + 1)));
  if (!value || !std::isfinite(*value)) {
    return fail(ErrorCode::kBadUse, "--set",
                fmt::format("'{}' is not NAME=NUMBER such as {}", text, example));
  }
  return NumberAssignment{trim(text.substr(0, equals)), *value};
}

std::string named_number_line(std::string_view name, double value, std::string_view what) {
  return fmt::format("{:<26} {:>8.6g}  {}\n", name, value, what);
}

}  // namespace laggard
