#include "report/findings.h"

#include <algorithm>

namespace laggard::report {

namespace {

bool is_same_finding(const Evidence& a, const Evidence& b) {
  return a.metric == b.metric && a.component == b.component && a.detector == b.detector &&
         a.source == b.source;
}

void add_spell(Finding& finding, const Evidence& spell) {
  std::vector<WallTime> windows = std::move(finding.evidence.windows);
  windows.insert(windows.end(), spell.windows.begin(), spell.windows.end());
  if (spell.score > finding.evidence.score) finding.evidence = spell;
  finding.evidence.windows = std::move(windows);
  ++finding.spells;
}

}  // namespace

std::vector<Finding> findings_of(std::span<const Evidence> evidence) {
  std::vector<Finding> findings;
  for (const Evidence& spell : evidence) {
    const auto same = std::ranges::find_if(
        findings, [&](const Finding& finding) { return is_same_finding(finding.evidence, spell); });
    if (same == findings.end()) {
      findings.push_back({spell, 1});
    } else {
      add_spell(*same, spell);
    }
  }
  return findings;
}

}  // namespace laggard::report
