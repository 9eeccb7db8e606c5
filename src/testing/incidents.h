#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "explain/incidents.h"
#include "explain/rules.h"
#include "testing/grouping.h"

namespace laggard::testing_support {

inline const explain::IncidentOptions kLab{.size = 64, .shift = 32, .k = 3, .limits = {}};

inline WallTime at(std::int64_t cell) { return from_unix_ns(cell * 1'000'000'000); }

/// What was seen of a component: from when to when (in cells), and how strongly.
struct Seen {
  std::string component;
  const char* metric = "await";
  std::int64_t first = 0;
  std::int64_t last = 0;
  double strength = 5;
  double own = 100;  ///< Its level in all columns; that of its peers is 100.
  const char* detector = "cdf";
  bool confirmed = true;
  bool open = false;
  std::vector<Growth> growth = {};
  std::size_t normal_since = 0;
  bool as_ever = false;
  bool withdrawn = false;
  std::optional<double> window_s = {};
  std::optional<double> retransmissions = {};
  std::optional<double> wait = {};  ///< Its level, where that is not `own`.
  std::optional<double> neighbours_wait = {};
};

/// A finding as the peer detectors make it.
inline Finding finding_of(const Seen& seen, std::size_t component) {
  const MetricSpec& metric = *find_metric(seen.metric);
  const std::string_view detector = seen.detector;
  Finding finding;
  finding.component = component;
  finding.symptom = std::isnan(seen.own)               ? Symptom::kLost
                    : detector == "absent"             ? Symptom::kSilent
                    : metric.role == Role::kLatency    ? Symptom::kSlower
                    : metric.role == Role::kThroughput ? Symptom::kMore
                                                       : Symptom::kError;
  finding.resource = metric.resource;
  finding.role = metric.role;
  finding.since = at(seen.first);
  finding.faulty_since = at(seen.first + 128);
  finding.until = at(seen.last + 64);
  finding.opened = {finding.faulty_since, finding.symptom};
  finding.open = seen.open;
  finding.as_ever = seen.as_ever;
  finding.withdrawn = seen.withdrawn;
  finding.evidence.window_s = seen.window_s;
  finding.first = seen.first;
  finding.last = seen.last;
  finding.retrospective = detector == "bias";
  finding.persistence = (seen.last - seen.first) / 32;
  finding.severity = 2 * seen.strength;
  finding.strength = seen.strength;
  if (seen.confirmed) finding.confirmed_since = finding.faulty_since;
  finding.growth = seen.growth;
  const FactSpec& moved = metric.resource == Resource::kStorage ? kStorageMoved : kNetworkMoved;
  if (metric.kind != DeviceKind::kTcp) finding.facts.push_back({&moved, 2 * seen.own, 200, 0});
  finding.facts.push_back({&kAnomalousWindows, static_cast<double>(finding.persistence)});
  if (detector == "standby") finding.facts.push_back({&kStandbyWait, 30});
  if (finding.is_slow() && !finding.retrospective && detector != "standby") {
    finding.facts.push_back({&kNormalWindows, 0});
    finding.facts.push_back({&kPauses, 0});
    finding.facts.push_back({&kNormalWindowsSince, static_cast<double>(seen.normal_since)});
  }
  if (seen.retransmissions) finding.facts.push_back({&kRetransmissions, *seen.retransmissions, 0});
  if (seen.neighbours_wait) finding.facts.push_back({&kNeighboursWait, *seen.neighbours_wait});
  finding.evidence.metric = metric.name;
  finding.evidence.detector = detector;
  finding.evidence.component = seen.component;
  finding.evidence.score = seen.strength;
  if (!std::isnan(seen.own)) finding.evidence.level = seen.wait.value_or(seen.own);
  finding.evidence.peers = 100;
  return finding;
}

class IncidentsTest : public testing::Test {
 protected:
  explicit IncidentsTest(const GroupingBuilder& system = GroupingBuilder().servers(5, 1, true))
      : system_(system) {}

  std::vector<Incident> incidents(const std::vector<Seen>& all,
                                  const explain::IncidentOptions& options = kLab,
                                  const std::vector<explain::Rule>& rules =
                                      explain::parse_rules(explain::default_rules(), "rules").value()) {
    std::vector<Finding> findings;
    for (const Seen& seen : all) findings.push_back(finding_of(seen, system_.index(seen.component)));
    return explain::make_incidents(system_.get(), findings, rules, options);
  }

  /// `s3 disk-busy`, with what explains it in brackets left out.
  static std::vector<std::string> names(const std::vector<Incident>& incidents) {
    std::vector<std::string> out;
    for (const Incident& incident : incidents) {
      const bool explained = incident.status == IncidentStatus::kExplained;
      out.push_back(incident.blame.name + " " + incident.cause + (explained ? " (explained)" : ""));
    }
    return out;
  }

 private:
  GroupingBuilder system_;
};

}  // namespace laggard::testing_support
