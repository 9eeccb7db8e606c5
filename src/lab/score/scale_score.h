#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "lab/scale/truth.h"
#include "model/diagnosis.h"

namespace laggard::lab {

/// Reads from a diagnosis that `laggard diagnose --json` wrote (laggard.diagnosis/1) what scoring needs: the
/// times, state, status, blame, components and cause of each incident.
[[nodiscard]] Result<Diagnosis> parse_diagnosis(std::string_view json, const std::string& where);

/// How a diagnosis handled one injected problem.
///
/// A reported incident *belongs to* the problem when it is not explained by another one, overlaps it in time
/// (a window's length of grace at both ends) and at least half of its components are attachments that the
/// problem affects or that relieve those. The *verdict* is the one of them that blames a right part; of
/// several the first, as reported.
struct ProblemScore {
  std::string kind;
  std::string blame;                   ///< `controller ddn9a`, as injected.
  std::string said;                    ///< Part and cause of the verdict, else of another incident of it.
  std::size_t incidents = 0;           ///< Those that belong to it ...
  std::size_t alarms = 0;              ///< ... and are confirmed.
  bool blamed = false;                 ///< There is a verdict ...
  bool confirmed = false;              ///< ... it is confirmed ...
  bool kind_right = false;             ///< ... and its cause is the right one.
  std::optional<Duration> onset;       ///< The verdict's `since`, after the problem's beginning.
  std::optional<Duration> faulty;      ///< The same of faulty_since: by severity or persistence.
  std::optional<Duration> persistent;  ///< Of persistent_since: k of 2k-1 windows, the thesis' way.
  std::optional<Duration> alarm;       ///< Of confirmed_since.
  /// The first confirmed_since of all incidents that belong to it, whatever they blame: from then on the
  /// problem is seen (T Tables 5.7 and 5.8 count this).
  std::optional<Duration> observed;
  /// The verdict's `until` after the problem's end. What goes on is held against the recording's end.
  std::optional<Duration> end;
};

/// How far from the truth an end may be told: two windows of the production preset.
inline constexpr Duration kEndGrace = std::chrono::minutes(30);
/// Whether there is a verdict that ended, or goes on, as the problem did.
[[nodiscard]] bool is_end_right(const ProblemScore& problem);

/// The score of one recording.
struct ScaleScore {
  std::vector<ProblemScore> problems;  ///< In the order of the truth.
  /// Confirmed and not explained, although nothing was wrong, or no longer: of transients that outlast what
  /// happened by more than a window.
  std::vector<std::string> false_alarms;
  std::size_t suspected = 0;            ///< The same, but only suspected.
  std::size_t transients = 0;           ///< Confirmed incidents that are short asymmetries ...
  std::size_t injected_transients = 0;  ///< ... and how many there were.
  /// Of the confirmed ones, how far their `until` lies from the end of what happened. Those that outlast it
  /// by more than a window are false alarms, too.
  std::vector<Duration> transient_ends;
  double days = 0;
};

/// Whether `cause` is a right name for a problem of this kind: the kind's own, or `reconstruction` for the
/// one with spares.
[[nodiscard]] bool is_right_kind(const std::string& kind, const std::string& cause);

/// \param lun_of  the LUN of each attachment, by name: transients are given by LUN.
[[nodiscard]] ScaleScore score_scale(const scale::ScaleTruth& truth, const Diagnosis& diagnosis,
                                     const std::map<std::string, std::string>& lun_of);

/// Sums over recordings. Medians are over the problems that have the number, negative ones (a verdict that
/// began before its problem) included.
struct ScaleSummary {
  double days = 0;
  std::size_t problems = 0;
  std::size_t blamed = 0;
  std::size_t confirmed = 0;
  std::size_t kind_right = 0;
  std::size_t end_right = 0;
  std::size_t false_alarms = 0;
  std::size_t suspected = 0;
  std::size_t transients = 0;
  std::size_t injected_transients = 0;
  std::size_t transient_end_right = 0;
  std::optional<Duration> onset;
  std::optional<Duration> faulty;
  std::optional<Duration> persistent;
  std::optional<Duration> alarm;
};
[[nodiscard]] ScaleSummary summarize_scale(std::span<const ScaleScore> scores);
/// The problems of one kind alone; false alarms and transients belong to no kind.
[[nodiscard]] std::map<std::string, ScaleSummary> summarize_by_kind(std::span<const ScaleScore> scores);

}  // namespace laggard::lab
