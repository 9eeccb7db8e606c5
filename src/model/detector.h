#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/event.h"
#include "model/finding.h"
#include "model/grouping.h"
#include "model/parts.h"
#include "model/profile.h"

namespace laggard {

/// How often a way through the system was tried over a stretch of time and how often that failed. Healthy
/// paths are told of too: they clear the parts that they share with sick ones.
struct PathEvidence {
  /// What is passed one after the other; of each hop the parts of which any one is taken (a pair, a group
  /// that is balanced).
  std::vector<std::vector<Part>> hops;
  TimeSpan window;
  std::uint64_t trials = 0;
  std::uint64_t failures = 0;
};

/// Whom a hypothesis accuses: what examiners are asked about.
struct Suspicion {
  Part suspect;
  std::vector<Part> parts;    ///< What the findings are about.
  std::vector<Part> alike{};  ///< What the findings cannot tell from the suspect.
  TimeSpan interval;          ///< As long as it has been seen, a bounded look-back at most.
  bool is_cut = false;        ///< It began before that look-back.
  bool fails = false;         ///< Requests through it fail, and probes say so.
  std::vector<Part> healthy;  ///< Peers of `parts` that nothing is found about.

  /// Whoever may be meant: the suspect, what the findings are about, and what they cannot tell from it.
  [[nodiscard]] std::vector<Part> accused() const {
    std::vector<Part> all{suspect};
    all.insert(all.end(), parts.begin(), parts.end());
    all.insert(all.end(), alike.begin(), alike.end());
    return all;
  }
};

/// Finds what diverges in the observations of one witness. The engine hands it what its row asks for, step by
/// step in the order of time, and takes what it has found. It has no clock, does no I/O and keeps no more
/// than what goes on and what is found.
///
/// A step ends at a multiple of DetectorSetup::step since the epoch. It comes as a table per host and kind,
/// by host and kind, events by time; then it is complete. Of a pause without anything the end is told before
/// what follows; what lies between may be told, too, so a detector must not count calls.
class Detector {
 public:
  virtual ~Detector() = default;
  virtual void take(const EventTable& events) { static_cast<void>(events); }
  virtual void take(const ProfileTable& profile) { static_cast<void>(profile); }
  /// Everything before `until` has been handed over, and nothing else.
  virtual void complete(WallTime until) = 0;

  /// Of all that is kept, in an order that stays until the next call of a function that is not const.
  [[nodiscard]] virtual std::vector<Finding> findings() const = 0;
  /// How many these are.
  [[nodiscard]] virtual std::size_t kept() const = 0;
  /// Drops findings that nothing can be joined to any more. \param keep  per finding; not 0: stays.
  virtual void forget(std::span<const std::uint8_t> keep) = 0;
  /// What it saw of paths in what is still kept.
  [[nodiscard]] virtual std::vector<PathEvidence> paths() const { return {}; }
  /// What all have alike, so that it is no finding about anybody, a sentence each.
  [[nodiscard]] virtual std::vector<std::string> shared_symptoms() const { return {}; }

  /// What only makes sense to look for when somebody is accused: why this part? It is answered from what the
  /// detector keeps anyway. The answers stand beside what accused the suspect; they accuse nobody.
  [[nodiscard]] virtual std::vector<Evidence> examine(const Suspicion& suspicion) const {
    static_cast<void>(suspicion);
    return {};
  }
};

struct DetectorSetup {
  const Grouping& grouping;  ///< Outlives the detector.
  Duration step{};
  /// Patterns of log lines that a site adds to the library, as the text of a file that has been read before
  /// (detect/logs/pattern_file.h).
  std::string_view log_patterns{};
  /// Errors of servers' system calls that mean nothing, by name; outlives the detector.
  std::span<const std::string> normal_errors{};
  /// By which measure servers are compared in what they do, by name (detect/behaviour/code_measure.h).
  std::string_view code_measure = "manhattan";
  /// How far servers were apart in what they do in fault-free training, by comparison and host
  /// (detect/behaviour); outlives the detector; null: nothing was trained.
  const std::map<std::string, std::map<std::string, double>>* trained_behaviour = nullptr;
};

/// A row of the table of detectors (engine/detector_table.cc).
struct DetectorSpec {
  std::string_view source;                     ///< The witness: Evidence::source.
  std::span<const std::string_view> events;    ///< Kinds of events that it wants, ...
  std::span<const std::string_view> profiles;  ///< ... and of profiles.
  std::unique_ptr<Detector> (*make)(const DetectorSetup& setup) = nullptr;
  bool accuses = true;    ///< False: it only examines, so that what it is handed is nothing that was judged.
  bool examines = false;  ///< It answers when it is asked about suspects of others.
};

}  // namespace laggard
