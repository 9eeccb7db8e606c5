#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/missing.h"
#include "base/time.h"
#include "model/incident.h"
#include "model/metric.h"

namespace laggard {

/// What is wrong with the subject of a finding.
enum class Symptom : std::uint8_t {
  kSlower,     ///< Its requests wait or take longer.
  kLess,       ///< It moves or is given less.
  kMore,       ///< It moves or is given more.
  kError,      ///< Requests to it fail, or have to be repeated.
  kSilent,     ///< It is there and does nothing while its peers work.
  kLost,       ///< Nothing is recorded of it while its peers are there.
  kComputing,  ///< It spends its time in other code than its peers do.
};
inline constexpr std::size_t kSymptoms = 7;
[[nodiscard]] std::string_view to_name(
    Symptom symptom);  // slower, less, more, error, silent, lost, computing
[[nodiscard]] std::optional<Symptom> symptom(std::string_view name);

/// A row of the table of facts: what detectors may declare about a finding and rules may ask for.
struct FactSpec {
  std::string_view name;
  std::string_view unit;
};

/// What a component moves over its storage or its network, reads and writes or both directions together.
inline constexpr FactSpec kStorageMoved{"storage moved", "sectors/s"};
inline constexpr FactSpec kNetworkMoved{"network moved", "bytes/s"};
/// Windows in which the subject was anomalous.
inline constexpr FactSpec kAnomalousWindows{"anomalous windows", "windows"};
/// Windows between the first and the last of those in which it was like its peers, how many runs these make,
/// and such windows after the last anomalous one, until the next finding about it.
inline constexpr FactSpec kNormalWindows{"normal windows", "windows"};
inline constexpr FactSpec kPauses{"pauses", "pauses"};
inline constexpr FactSpec kNormalWindowsSince{"normal windows since", "windows"};
/// How long requests take at a path that nobody should use while another one serves.
inline constexpr FactSpec kStandbyWait{"standby wait", "ms"};
/// By how much the requests of the LUNs that the same controller serves take longer than those of all others,
/// the subject's left out; by their medians.
inline constexpr FactSpec kNeighboursWait{"neighbours' wait", "%"};
/// How often the subject was far off for a moment, and its peers in the mean.
inline constexpr FactSpec kBursts{"bursts", "bursts"};
/// Probes that failed on the ways that pass the subject, and how probable that makes it that it has failed.
inline constexpr FactSpec kFailedProbes{"failed probes", "probes"};
inline constexpr FactSpec kPosterior{"posterior", "1"};
/// How often TCP sends again, where the kernel itself counts that.
inline constexpr FactSpec kRetransmissions{"retransmissions", "1/s"};

[[nodiscard]] std::span<const FactSpec* const> known_facts();
/// By its name; null when no detector declares such a fact.
[[nodiscard]] const FactSpec* find_fact(std::string_view name);

/// What is known about the subject of a finding in one respect, over the time of the finding.
struct Fact {
  const FactSpec* spec = nullptr;
  double own = kMissing;
  /// Where peers were looked at: their median, and the largest deviation of one of them from the median of
  /// the others. Both without the subject; missing where there are no peers.
  double peers = kMissing;
  double scatter = kMissing;
};

/// What had been gathered against a subject by the end of a window.
struct Growth {
  WallTime at;
  double severity = 0;
  std::int64_t persistence = 0;
};

/// How a finding began, as it was known then. What is learnt later changes neither.
struct Opening {
  WallTime at;  ///< End of the window in which the subject was first called faulty.
  Symptom symptom = Symptom::kSlower;
};

/// Where a finding is about no component.
inline constexpr std::size_t kNoComponent = std::numeric_limits<std::size_t>::max();

/// One detector says that one component, or another part, diverges from some moment to another, and shows why
/// it says so.
struct Finding {
  std::size_t component = kNoComponent;  ///< Index into Grouping::components, where the subject is one.
  Part part;                             ///< Else: the subject, which the part graph need not know, ...
  std::vector<Part> runs_on;             ///< ... and then what it needs: of a process its client.
  Symptom symptom = Symptom::kSlower;
  std::optional<Resource> resource;  ///< Of what was measured, where it belongs to one.
  std::optional<Role> role;          ///< The same.

  WallTime since;                            ///< Start of the first anomalous window.
  WallTime faulty_since;                     ///< End of the window in which it became faulty.
  std::optional<WallTime> persistent_since;  ///< The same, by k of 2k-1 windows alone.
  std::optional<WallTime> confirmed_since;
  Opening opened;  ///< What an incident's id is made of.
  WallTime until;  ///< End of the last anomalous window so far.
  bool open = false;
  /// Starts of the first and the last anomalous window in cells of the grid, on a clock that stands still
  /// while nothing is recorded (WindowJudgement::position). Detectors that know no windows leave them to the
  /// engine, which takes them from `since` and `until`.
  std::int64_t first = 0;
  std::int64_t last = 0;
  /// The evidence was gathered over hours, so that its beginning and end are vague: where another detector
  /// saw the component, its times are better.
  bool retrospective = false;
  /// The detector knew what the subject shares with others, and told it from that: only what another finding
  /// is about may be blamed for it together with others.
  bool localized = false;
  /// Kept, but told of to nobody: too little by itself, until something else is found beside it.
  bool withheld = false;

  double strength = 0;           ///< The k-th largest score: a peak that no single window makes.
  double severity = 0;           ///< The largest so far.
  std::int64_t persistence = 0;  ///< The largest so far.
  bool trained = false;          ///< The thresholds were trained.
  bool as_ever = false;          ///< Its subject was no other before; for that alone it is not confirmed.
  bool withdrawn = false;        ///< It was confirmed, and turned out to be a burst.
  /// From its opening until it is confirmed: what tells when several together are. Empty for detectors that
  /// know themselves when they are sure.
  std::vector<Growth> growth;
  std::vector<Fact> facts;
  Evidence evidence;

  [[nodiscard]] bool is_of_component() const { return component != kNoComponent; }
  [[nodiscard]] bool confirmed() const { return confirmed_since.has_value(); }
  [[nodiscard]] bool is_lost() const { return symptom == Symptom::kSilent || symptom == Symptom::kLost; }
  [[nodiscard]] bool is_slow() const { return symptom == Symptom::kSlower; }
  /// Its metric is what reads take, whatever writes do.
  [[nodiscard]] bool is_of_reads() const;
  /// Null when the finding does not have it.
  [[nodiscard]] const Fact* fact(const FactSpec& spec) const;
};

/// What a finding's severity and two incidents' strengths decide, whoever found them.
struct IncidentLimits {
  double gate_severity = 6;  ///< From here a component is faulty at once; a preset may have another.
  double confirm_severity = 60;
  /// An incident is explained by a concurrent one when it is weaker than this share of it, and weaker than
  /// that score.
  double secondary_share = 0.25;
  double secondary_score = 2;
  /// A part's trouble that comes back within this many times the usual slack is the same trouble.
  double recurrence = 4;
};

}  // namespace laggard
