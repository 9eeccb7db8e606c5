#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/parts.h"
#include "model/payload.h"

namespace laggard {

/// What operators decided about an incident, as it is shown with it.
struct IncidentDecision {
  std::string what;  ///< repaired, excluded, included, noted
  WallTime made;
  std::string by;
  std::string why;
  bool undone = false;  ///< It was taken back later.
};

enum class IncidentState : std::uint8_t { kSuspected, kConfirmed };
/// Withdrawn: what confirmed it turned out to be a burst.
enum class IncidentStatus : std::uint8_t { kOpen, kClosed, kExcluded, kExplained, kWithdrawn };
enum class ThresholdOrigin : std::uint8_t { kTrained, kSelf };
[[nodiscard]] std::string_view to_name(IncidentState state);
[[nodiscard]] std::string_view to_name(IncidentStatus status);
[[nodiscard]] std::string_view to_name(ThresholdOrigin origin);

/// In which way a part fails (K §V-B).
enum class FailureMode : std::uint8_t {
  kReliability,  ///< Something of it is broken.
  kOverload,     ///< It has more to do than it can.
};
[[nodiscard]] std::string_view to_name(FailureMode mode);

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
  /// Where windows of two lengths are judged side by side: which it was, in seconds.
  std::optional<double> window_s{};
  std::string note;            ///< One clause for people: `nothing completed while 31 requests waited`.
  std::optional<Part> part{};  ///< The subject where it is no component.
  std::vector<Part> alike{};   ///< Parts that its witness cannot tell from the subject.
  std::vector<Payload> payloads{};
  std::size_t peer_count = 0;         ///< With how many peers the component was compared; 0: not known.
  std::optional<FailureMode> mode{};  ///< Of an examiner's: what it says of the incident.
  bool surmised = false;              ///< No failure that a pattern knows tells of the mode, ...
  /// ... but only that something waits, or that requests fail: a load explains those, if there is one.
  bool waits = false;
};

/// What an incident costs everybody: in a striped system all peers move less while one of them limps.
struct Impact {
  std::string group;  ///< The peer group that lost most, of those that the faulty hosts belong to.
  double before = 0;  ///< What its median member moved just before, in `unit`, ...
  double during = 0;  ///< ... and from the beginning of the incident on.
  std::string unit;
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
  /// Suspected, and no more than that, because its components were no other before: it may be their hardware.
  bool as_ever = false;
  IncidentStatus status = IncidentStatus::kOpen;
  std::optional<double> confidence;
  Part blame;
  std::vector<Part> alternatives;
  std::vector<std::string> components;  ///< And other parts that findings are about, by name.
  std::string cause;     ///< disk-hog, disk-busy, network-hog, packet-loss, lost-attachment, slow-disk, …
  std::string resource;  ///< storage, network, …
  std::string rule;      ///< Name of the rule that fired.
  std::string why;       ///< The rule's sentence, filled with its evidence.
  std::vector<std::string> check{};  ///< Commands that show more, ready for a shell.
  int persistence = 0;
  double severity = 0;
  ThresholdOrigin thresholds = ThresholdOrigin::kSelf;
  std::vector<Evidence> evidence;
  std::vector<std::string> also_known_as{};   ///< Other ids that mean it, such as those merged into it.
  std::vector<IncidentDecision> decisions{};  ///< In the order in which they were made.
  std::optional<Impact> impact{};             ///< Nothing where others move no less than before.
  std::optional<FailureMode> mode{};          ///< Nothing where no examiner knows.
};

/// An operator excluded it, something else explains it, or it was withdrawn: nobody need be told.
[[nodiscard]] inline bool is_accounted_for(const Incident& incident) {
  return incident.status != IncidentStatus::kOpen && incident.status != IncidentStatus::kClosed;
}

/// The last decision about the incident that stands and is more than a note; null when there is none.
[[nodiscard]] const IncidentDecision* last_act(const Incident& incident);

/// An incident as it was when somebody decided about it: what a later run needs in order to know it again,
/// and what is left to show when nothing else is.
struct KnownIncident {
  std::string id;
  std::string blamed{};  ///< Name of the part.
  std::string cause{};
  WallTime since{};
  WallTime until{};  ///< End of the last anomalous window by then.
  std::vector<std::string> components{};
  bool operator==(const KnownIncident&) const = default;
};

/// What has become of an incident since it was told of last.
enum class ChangeKind : std::uint8_t {
  kOpened,     ///< It was not there before.
  kGrew,       ///< Components that were never told, another blame or cause that lasts; or it came back.
  kConfirmed,  ///< It was suspected and is confirmed now.
  kQuiet,      ///< Nothing of it has been seen for a while; it may come back.
  kClosed,     ///< It has been quiet for so long that whatever follows is another incident.
  kWithdrawn,  ///< Later samples left nothing of it, or showed that it was a burst.
  kMerged,     ///< It is part of another incident now, which `into` names.
  kExplained,  ///< A stronger incident or background work accounts for it.
};
/// opened, grew, confirmed, quiet, closed, withdrawn, merged, explained
[[nodiscard]] std::string_view to_name(ChangeKind kind);
/// Whether whoever heard of the incident may forget it: withdrawn, merged, explained.
[[nodiscard]] bool is_gone(ChangeKind kind);
[[nodiscard]] std::optional<ChangeKind> change_kind(std::string_view name);

/// One line of what happens on a system that is watched.
struct Change {
  ChangeKind kind = ChangeKind::kOpened;
  std::uint64_t number = 0;  ///< From 1, without gaps. A number always carries the same content.
  WallTime at;               ///< Up to when samples were complete when it was noticed.
  Incident incident;         ///< As it is now; of what is withdrawn or merged, as it was last.
  std::string into{};        ///< The incident that it was merged into.
};

}  // namespace laggard
