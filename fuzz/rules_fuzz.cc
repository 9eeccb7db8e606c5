// Whatever is read as a rules file must judge any suspect and have a sentence for it.
#include <cstdint>
#include <string_view>
#include <vector>

#include "explain/rules.h"
#include "model/metric.h"

namespace {

/// Something was found in every metric there is.
std::vector<laggard::Finding> some_findings() {
  std::vector<laggard::Finding> findings;
  for (const laggard::MetricSpec& metric : laggard::metric_catalogue()) {
    laggard::Finding& finding = findings.emplace_back();
    finding.resource = metric.resource;
    finding.role = metric.role;
    finding.evidence.metric = metric.name;
    finding.evidence.detector = "cdf";
    finding.facts = {{&laggard::kStorageMoved, 3000, 1000, 10}, {&laggard::kPauses, 4}};
  }
  return findings;
}

laggard::explain::Suspect suspect_of(const std::vector<laggard::Finding>& findings) {
  laggard::explain::Suspect suspect;
  for (const laggard::Finding& finding : findings) suspect.findings.push_back(&finding);
  return suspect;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<laggard::Finding> findings = some_findings();
  static const laggard::explain::Suspect suspect = suspect_of(findings);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto rules = laggard::explain::parse_rules(text, "fuzz");
  if (!rules) {
    if (rules.error().what.empty()) __builtin_trap();
    return 0;
  }
  const laggard::explain::Rule* match = laggard::explain::first_match(*rules, suspect);
  if (match != nullptr && laggard::explain::explain(*match, suspect, "s1/sda").find("{component}") == 0)
    __builtin_trap();
  return 0;
}
