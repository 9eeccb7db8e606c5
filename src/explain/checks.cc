#include "explain/checks.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace laggard::explain {

namespace {

constexpr std::string_view kHost = "{host}";
constexpr std::string_view kDevice = "{device}";

const Finding* strongest(const Rule& rule, const Suspect& suspect) {
  const Finding* best = nullptr;
  const auto fits = [&](const Finding& finding) {
    return finding.resource.has_value() && to_name(*finding.resource) == rule.resource;
  };
  for (const Finding* finding : suspect.findings) {
    if (!finding->is_of_component()) continue;
    if (best == nullptr ||
        std::pair(fits(*finding), finding->strength) > std::pair(fits(*best), best->strength)) {
      best = finding;
    }
  }
  return best;
}

bool is_plain(std::string_view name) {
  return !name.empty() && name.front() != '-' && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._:-").find(c) != std::string_view::npos;
  });
}

/// False when the name is asked for and is not plain.
bool fill_in(std::string& command, std::string_view placeholder, std::string_view name) {
  for (std::size_t at = command.find(placeholder); at != std::string::npos; at = command.find(placeholder)) {
    if (!is_plain(name)) return false;
    command.replace(at, placeholder.size(), name);
  }
  return true;
}

}  // namespace

std::vector<std::string> checks_of(const Rule& rule, const Suspect& suspect, const Grouping& grouping) {
  const Finding* const finding = strongest(rule, suspect);
  if (finding == nullptr) return {};
  const Component& component = grouping.components[finding->component];
  const bool has_device = component.kind == DeviceKind::kDisk || component.kind == DeviceKind::kNet;
  std::vector<std::string> checks;
  for (std::string command : rule.check) {
    if (!fill_in(command, kDevice, has_device ? component.device : "")) continue;
    if (fill_in(command, kHost, component.host)) checks.push_back(std::move(command));
  }
  return checks;
}

}  // namespace laggard::explain
