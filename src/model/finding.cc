#include "model/finding.h"

#include <algorithm>
#include <array>

#include "model/metric.h"

namespace laggard {

namespace {

/// In the order of Symptom.
constexpr std::array<std::string_view, kSymptoms> kSymptomNames{"slower", "less", "more",     "error",
                                                                "silent", "lost", "computing"};

constexpr std::array kFacts{&kStorageMoved, &kNetworkMoved,       &kAnomalousWindows, &kNormalWindows,
                            &kPauses,       &kNormalWindowsSince, &kStandbyWait,      &kBursts,
                            &kFailedProbes, &kPosterior,          &kRetransmissions,  &kNeighboursWait};

}  // namespace

std::string_view to_name(Symptom symptom) { return kSymptomNames[static_cast<std::size_t>(symptom)]; }

std::optional<Symptom> symptom(std::string_view name) {
  const auto found = std::ranges::find(kSymptomNames, name);
  if (found == kSymptomNames.end()) return std::nullopt;
  return static_cast<Symptom>(found - kSymptomNames.begin());
}

std::span<const FactSpec* const> known_facts() { return kFacts; }

const FactSpec* find_fact(std::string_view name) {
  const auto found = std::ranges::find(kFacts, name, &FactSpec::name);
  return found == kFacts.end() ? nullptr : *found;
}

bool Finding::is_of_reads() const {
  const MetricSpec* metric = find_metric(evidence.metric);
  return metric != nullptr && metric->quantity == Quantity::kReadLatency;
}

const Fact* Finding::fact(const FactSpec& spec) const {
  const auto found = std::ranges::find(facts, &spec, &Fact::spec);
  return found == facts.end() ? nullptr : &*found;
}

}  // namespace laggard
