// Whatever is read as a rules file must judge any suspect and have a sentence for it.
#include <cstdint>
#include <string_view>

#include "analyse/explain/rules.h"
#include "model/metric.h"

namespace {

laggard::analyse::Facts some_facts() {
  laggard::analyse::Facts facts;
  for (const laggard::MetricSpec& metric : laggard::metric_catalogue()) {
    facts.divergences.push_back({.metric = &metric, .detector = "cdf", .above = true});
  }
  facts.storage = laggard::analyse::Excess{.own = 3000, .peers = 1000, .spread = 10};
  return facts;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const laggard::analyse::Facts facts = some_facts();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto rules = laggard::analyse::parse_rules(text, "fuzz");
  if (!rules) {
    if (rules.error().what.empty()) __builtin_trap();
    return 0;
  }
  const laggard::analyse::Rule* match = laggard::analyse::first_match(*rules, facts);
  if (match != nullptr && laggard::analyse::explain(*match, facts, "s1/sda").find("{component}") == 0)
    __builtin_trap();
  return 0;
}
