#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/incident.h"
#include "model/parts.h"

namespace laggard {

/// A host whose clock was off for a while, against most of its peers.
struct ClockSkew {
  std::string host;
  WallTime from;
  WallTime to;
  Duration ahead{};        ///< Of the peers' clocks; negative: behind them. Whole cells of the comparison.
  Duration error{};        ///< `ahead` is right to this.
  double correlation = 0;  ///< Of the host's load with its peers', moved by `ahead` ...
  double unmoved = 0;  ///< ... and as the clocks have it; NaN: told by when its recording begins and ends.
  double sigmas = 0;   ///< How sure it is that the clock is off: standard errors between the two.
};

/// `15s behind` or `2m ahead of`: to be followed by whom.
[[nodiscard]] inline std::string how_far_off(const ClockSkew& skew) {
  const bool behind = skew.ahead < Duration::zero();
  return to_text(behind ? -skew.ahead : skew.ahead) + (behind ? " behind" : " ahead of");
}

/// What the data tell of the clocks of hosts that are each other's peers (docs/methods/skew.md). Unknown is
/// not zero: a steady load fits itself at every shift.
struct Clocks {
  std::size_t agree = 0;             ///< Hosts whose clocks are right, to one cell of the comparison.
  std::vector<ClockSkew> skewed;     ///< By host, then time.
  std::vector<std::string> unknown;  ///< Hosts of which nothing can be said.
  bool corrected = false;            ///< What is `skewed` was moved before the hosts were compared.
  /// Hosts that were recorded at another time than their peers, or by a clock that is so far off: they were
  /// compared with nobody.
  std::vector<std::string> left_out;
};

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

/// How much of what is there could be held against peers. A component is *judged* when a verdict's worth of
/// windows (`needed`) and at least half of the time that was recorded were compared, each with three members
/// of its group at least and while its group did anything.
struct Judged {
  struct Count {
    std::size_t judged = 0;
    std::size_t there = 0;  ///< That showed anything at all.
    bool operator==(const Count&) const = default;
  };
  Count hosts{};  ///< With components; clients, which tell of servers, have none.
  Count components{};
  Count groups{};
  std::size_t idle = 0;    ///< Components of groups in which nobody did anything: nothing to judge by.
  std::size_t lately = 0;  ///< Components that were compared in the newest windows, or idle in them.
  std::optional<WallTime> from{};  ///< Of the first window in which anybody was compared ...
  std::optional<WallTime> to{};    ///< ... to the end of the last.
  Duration recorded{};             ///< For how long anything was recorded, in cells; gaps left out.
  Duration window{};               ///< Of a window.
  std::size_t windows = 0;         ///< Of whoever was in most, compared or not.
  std::size_t compared = 0;        ///< Those in which it was compared.
  std::size_t needed = 0;          ///< Windows that a verdict takes (k).
  bool operator==(const Judged&) const = default;

  /// More than half of those that were not idle.
  [[nodiscard]] bool enough() const { return is_most(components.judged, components.there); }
  [[nodiscard]] bool enough_lately() const { return is_most(lately, components.there + idle); }

 private:
  [[nodiscard]] bool is_most(std::size_t part, std::size_t all) const {
    return part > 0 && 2 * part > all - std::min(idle, all);
  }
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
  Judged judged;

  [[nodiscard]] bool partial() const { return !damaged.empty(); }
};

/// A whole group moves far less than just before although its clients ask for no less, and no incident of its
/// hosts accounts for it: the system is slow, and nobody stands out. A symptom that convicts nobody.
struct Slowdown {
  std::string group;
  std::size_t members = 0;
  WallTime since;                 ///< Start of the first window of it.
  std::optional<WallTime> until;  ///< End of the last one; nothing: it lasted to the end.
  double before = 0;              ///< What the median member moved just before, in `unit`, ...
  double during = 0;              ///< ... and meanwhile.
  std::string unit;
};

/// A group that fell into two camps of about the same size, each alike within: one waits far longer than the
/// other. There is no majority that could say which of them is sick. A symptom that convicts nobody.
struct Camps {
  struct Camp {
    std::vector<std::string> members;  ///< Names of components, in the group's order.
    double level = 0;                  ///< Their median over the windows, in `unit`.
    std::vector<Part> share;           ///< What all of them run through, and nobody of the other camp.
  };
  std::string group;
  std::string metric;
  std::string unit;
  WallTime since;  ///< As of a slowdown.
  std::optional<WallTime> until;
  Camp higher;
  Camp lower;
};

struct Diagnosis {
  WallTime from;
  WallTime to;
  std::string preset;
  std::string beside{};  ///< The preset whose windows were judged beside; empty: none.
  std::string distance;
  ThresholdOrigin thresholds = ThresholdOrigin::kSelf;
  std::vector<Incident> incidents;       ///< Most severe state first, then by persistence.
  std::vector<RankedComponent> ranking;  ///< By persistence, then severity, then name.
  Coverage coverage;
  std::vector<Slowdown> slowdowns{};  ///< By group, then time.
  std::vector<Camps> camps{};         ///< By group, metric and time.
  /// What events and profiles show of all alike: one sentence each. Convicts nobody, either.
  std::vector<std::string> shared_symptoms{};
};

}  // namespace laggard
