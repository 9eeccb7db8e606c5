#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/clocks.h"
#include "model/known_incident.h"
#include "model/parts.h"
#include "model/payload.h"

namespace laggard {

enum class IncidentState : std::uint8_t { kSuspected, kConfirmed };
enum class IncidentStatus : std::uint8_t { kOpen, kClosed, kExcluded, kExplained };
enum class ThresholdOrigin : std::uint8_t { kTrained, kSelf };
[[nodiscard]] std::string_view to_name(IncidentState state);
[[nodiscard]] std::string_view to_name(IncidentStatus status);
[[nodiscard]] std::string_view to_name(ThresholdOrigin origin);

/// What one witness shows of one component or other part: never a verdict without it. Of the peer comparison,
/// one metric in which a component diverges from its peers; other witnesses have payloads instead.
struct Evidence {
  std::string source = "metrics";  ///< The witness.
  std::string metric;              ///< Empty where it is not about one.
  std::string component;           ///< Name of the component or part.
  std::string detector;            ///< Which test found it: `cdf`, `bias`, `cwnd`, `absent`, …
  double distance = 0;             ///< The largest over the flagged windows, in the detector's own unit.
  double threshold = 0;            ///< What the distance was held against.
  double score = 0;                ///< distance / threshold of the worst window.
  /// The component's level against its peers' median over the flagged windows, both in `unit`.
  std::optional<double> level;
  std::optional<double> peers;
  std::string unit;
  std::vector<WallTime> windows;         ///< Starts of the flagged windows.
  std::optional<WallTime> worst_window;  ///< The one with the largest score.
  std::string note;            ///< One clause for people: `nothing completed while 31 requests waited`.
  std::optional<Part> part{};  ///< The subject where it is no component.
  std::vector<Payload> payloads{};
};

/// One problem: a group of faulty components with one blame and one cause.
struct Incident {
  /// Given when it opened, from the finding that was first; explain/ids.h says how, and how a re-run keeps
  /// it.
  std::string id;
  WallTime since;                        ///< Start of the first anomalous window.
  std::optional<WallTime> faulty_since;  ///< End of the window in which it became faulty, by either way:
  /// k of 2k-1 windows (this is that way alone; nothing when it never came to that), or severity.
  std::optional<WallTime> persistent_since;
  std::optional<WallTime> confirmed_since;  ///< End of the window that confirmed it.
  std::optional<WallTime> until;            ///< End of the last anomalous window, when it is over.
  WallTime seen_until;                      ///< The same so far, over or not.
  IncidentState state = IncidentState::kSuspected;
  IncidentStatus status = IncidentStatus::kOpen;
  std::optional<double> confidence;
  Part blame;
  std::vector<Part> alternatives;
  std::vector<std::string> components;  ///< And other parts that findings are about, by name.
  std::string cause;     ///< disk-hog, disk-busy, network-hog, packet-loss, lost-attachment, slow-disk, …
  std::string resource;  ///< storage, network, …
  std::string rule;      ///< Name of the rule that fired.
  std::string why;       ///< The rule's sentence, filled with its evidence.
  int persistence = 0;
  double severity = 0;
  ThresholdOrigin thresholds = ThresholdOrigin::kSelf;
  std::vector<Evidence> evidence;
  std::vector<std::string> also_known_as{};   ///< Other ids that mean it, such as those merged into it.
  std::vector<IncidentDecision> decisions{};  ///< In the order in which they were made.
};

/// The last decision about the incident that stands and is more than a note; null when there is none.
[[nodiscard]] const IncidentDecision* last_act(const Incident& incident);

struct RankedComponent {
  std::string component;
  std::string group;
  int persistence = 0;
  double severity = 0;
  bool operator==(const RankedComponent&) const = default;
};

/// The most persistent components at the end of one stretch of time, an hour in T Fig 5.3.
struct PersistenceRow {
  WallTime from;
  std::vector<RankedComponent> top;
  bool operator==(const PersistenceRow&) const = default;
};

/// What was looked at, and what could not be.
struct Coverage {
  std::size_t hosts = 0;
  std::size_t components = 0;
  std::vector<std::string> metrics;
  std::vector<std::string> missing;         ///< One sentence each.
  std::vector<std::string> not_comparable;  ///< One sentence each: which group, how many members.
  Clocks clocks;
  /// Files of the recording of which something could not be read, whoever and whatever was in it: with any of
  /// them the diagnosis is *partial*, and nobody else may be called well on its word.
  std::vector<std::string> damaged;

  [[nodiscard]] bool partial() const { return !damaged.empty(); }
};

struct Diagnosis {
  WallTime from;
  WallTime to;
  std::string preset;
  std::string distance;
  ThresholdOrigin thresholds = ThresholdOrigin::kSelf;
  std::vector<Incident> incidents;       ///< Most severe state first, then by persistence.
  std::vector<RankedComponent> ranking;  ///< By persistence, then severity, then name.
  Coverage coverage;
};

}  // namespace laggard
