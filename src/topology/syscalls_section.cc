#include <fmt/format.h>

#include "base/text.h"
#include "topology/system_reader.h"

namespace laggard::topology {

namespace {

/// `24007` or `49152-49251`.
std::optional<TransferRules::Ports> ports_of(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto first = to_number<std::uint16_t>(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : to_number<std::uint16_t>(text.substr(dash + 1));
  if (!first || !last || *first == 0 || *first > *last) return std::nullopt;
  return TransferRules::Ports{*first, *last};
}

}  // namespace

void SystemReader::read_syscalls(const TomlSection& section) {
  section.allow_only({"storage", "ports"});
  TransferRules& rules = model_.transfers;
  for (const TomlText& pattern : section.texts("storage")) {
    if (pattern.value.starts_with('/') || pattern.value.starts_with('*')) {
      rules.storage.push_back(pattern.value);
    } else {
      mistakes_.add(pattern.line, fmt::format("'{}' is no path, which begins with '/'", pattern.value));
    }
  }
  for (const TomlText& text : section.texts("ports")) {
    if (const auto ports = ports_of(text.value)) {
      rules.ports.push_back(*ports);
    } else {
      mistakes_.add(text.line, fmt::format("'{}' is neither a port such as 24007 nor a range such as "
                                           "49152-49251",
                                           text.value));
    }
  }
}

}  // namespace laggard::topology
