#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "lab/production/probes.h"
#include "model/incident.h"
#include "model/parts.h"

namespace laggard::lab {

/// Something that a method told: which part has failed, from when it was told of until it no longer was.
struct Alarm {
  Part blame;
  std::vector<std::string> parts{};  ///< All that are named with it.
  WallTime told;
  std::optional<WallTime> confirmed{};
  WallTime until;
  std::optional<double> confidence{};        ///< In the end, ...
  std::optional<double> first_confidence{};  ///< ... and when it was told of.
  std::optional<WallTime> since{};           ///< When it began, as far as was told.
  std::optional<FailureMode> mode{};         ///< As it was told in the end, ...
  std::optional<WallTime> mode_since{};      ///< ... and from when on.
};

/// Whether it is left when operators' policies have been applied (K §VI-A): it did not heal within a minute,
/// and an overload went on for 30.
[[nodiscard]] bool is_of_interest(const Alarm& alarm);

/// How an incident of the truth was told of.
struct IssueScore {
  production::IncidentKind kind{};
  std::string truth;               ///< The sick part, or the first of several.
  std::string said;                ///< What was blamed, if anything.
  bool localized = false;          ///< Three quarters of the sick parts were named, or of their classes.
  bool exact = false;              ///< And these by themselves, not by one that probes cannot tell from them.
  std::optional<Duration> told{};  ///< From its start until a right part was told of, ...
  std::optional<Duration> confirmed{};  ///< ... and confirmed.
  std::size_t alarms = 0;               ///< That belong to it: confirmed ones.
  /// Of the first alarm about a right part, and from its start until that was told.
  std::optional<FailureMode> mode{};
  std::optional<Duration> mode_told{};
  bool of_interest = false;  ///< An alarm about a right part is.
};

/// When something was said of a part.
enum class ConfidenceStage : std::uint8_t {
  kFirst,      ///< When it was told of.
  kSuspected,  ///< In the end, and it was never confirmed.
  kConfirmed,  ///< In the end.
};

/// What was said of a part, and whether it was sick.
struct ConfidenceScore {
  double confidence = 0;
  ConfidenceStage stage = ConfidenceStage::kFirst;
  bool right = false;
};

struct StretchScore {
  std::optional<IssueScore> issue;
  std::size_t transient_alarms = 0;    ///< Confirmed, about what healed by itself.
  std::size_t false_alarms = 0;        ///< Confirmed, and nothing was wrong with what they blame.
  std::size_t alarms_of_interest = 0;  ///< Of any kind.
  std::vector<std::string> false_parts;
  std::vector<ConfidenceScore> confidences;
};

/// For how long an alarm may follow what it is about: five minutes of probes are looked at.
inline constexpr Duration kGrace = std::chrono::minutes(6);

/// Holds what was told of a stretch against the truth. An alarm belongs to an incident when it blames one of
/// its sick parts, what probes cannot tell from these, or what got sick by them, while it went on or until
/// kGrace after; that of the issue first.
[[nodiscard]] StretchScore score_stretch(const production::Stretch& stretch, std::span<const Alarm> alarms);

}  // namespace laggard::lab
