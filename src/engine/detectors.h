#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "detect/load/load_examiner.h"
#include "engine/incident_state.h"
#include "engine/observation_queue.h"
#include "model/detector.h"
#include "model/grouping.h"
#include "model/incident.h"
#include "model/observation_source.h"

namespace laggard::engine {

/// The detectors of a table, each handed what its row asks for, step by step.
class Detectors {
 public:
  /// Everything outlives this.
  Detectors(const Grouping& grouping, std::span<const DetectorSpec> table, const DetectorSetup& setup);

  /// What nobody asks for is passed over.
  void add(const EventTable& table);
  void add(const ProfileTable& table);

  /// End of the first step in which something waits.
  [[nodiscard]] std::optional<WallTime> next() const { return queue_.next(); }
  /// Hands over all steps that end by then, a multiple of a step, and tells that all before it is complete.
  void complete(WallTime until);
  /// The same of everything that waits.
  void finish();
  /// Of what has been handed over to those that accuse: the beginning of the first step and the end of the
  /// last one.
  [[nodiscard]] std::optional<TimeSpan> span() const { return span_; }
  /// Whether any has been handed something.
  [[nodiscard]] bool have_begun() const { return begun_; }
  /// Whether any that examines has.
  [[nodiscard]] bool may_tell_more() const { return may_tell_more_; }
  /// Until then they are as new, and there is nothing of them to save.
  [[nodiscard]] bool have_seen_any() const { return begun_ || queue_.next(); }

  [[nodiscard]] std::size_t kept() const;
  /// Detector by detector, and of each in its order; those about a part that is a component are about that.
  /// Their `first` and `last` are set by whoever has a clock of positions.
  [[nodiscard]] std::vector<Finding> findings() const;
  void forget(std::span<const std::uint8_t> keep);
  [[nodiscard]] std::vector<PathEvidence> paths() const;
  [[nodiscard]] std::vector<std::string> shared_symptoms() const;
  /// What those answer that accuse, or those that only examine.
  [[nodiscard]] std::vector<Evidence> examine(const Suspicion& suspicion, bool accuse) const;

  /// One sentence each: what came late, or was lost.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  struct Seat {
    const DetectorSpec* spec = nullptr;
    std::unique_ptr<Detector> detector;
  };
  void hand_over(const ObservationStep& step);
  void tell_complete(WallTime until);
  void widen(const ObservationStep& step);

  const Grouping& grouping_;
  std::map<Part, std::size_t> components_;  ///< Parts that are exactly one component.
  Duration step_;
  ObservationQueue queue_;
  std::vector<Seat> seats_;
  std::optional<TimeSpan> span_;
  bool begun_ = false;
  bool may_tell_more_ = false;
  WallTime completed_ = WallTime::min();  ///< What the detectors were told last.
};

/// The detectors of events and profiles, a row per witness (detector_table.cc). To add one is to add a row;
/// the peer comparison of series is none of them, since it shares its windows with training (pipeline.h).
[[nodiscard]] std::span<const DetectorSpec> detector_table();

/// The kinds that a table's detectors want, sorted.
[[nodiscard]] std::vector<std::string> wanted_kinds(std::span<const DetectorSpec> table,
                                                    ObservationShape shape);

/// Asks the detectors, and what is known of hosts' load, about whoever is newly accused: why this part? Those
/// that only examine are asked again until kPatience is over or it is sure that something is broken: the
/// kernel tells of a task that hangs after two minutes, and load takes some to stand out. The last answers of
/// a witness stand beside the evidence of the incident for as long as it is kept.
class Examiners {
 public:
  /// How far back a suspicion reaches.
  static constexpr Duration kLookBack = std::chrono::minutes(10);
  static constexpr Duration kPatience = std::chrono::minutes(5);
  /// So many healthy peers are named at most.
  static constexpr std::size_t kMostHealthy = 512;

  /// All outlive this.
  Examiners(const Grouping& grouping, const Detectors& detectors, const detect::LoadExaminer& load)
      : grouping_(grouping), detectors_(detectors), load_(load) {}

  /// Asks about the incidents that were not there before, as they are when everything is complete until `at`;
  /// answers about those that are there no more leave.
  void look(std::span<const Incident> incidents, WallTime at);
  /// Whether somebody is to be asked about again, whatever else is new.
  [[nodiscard]] bool wait(WallTime at) const;
  /// Adds them, and what mode follows from them (explain/failure_mode.h).
  void add_answers(std::vector<Incident>& incidents) const;

  /// Its state (base/state_codec.h).
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    std::vector<Saved> saved;
    if constexpr (!State::kRestores) {
      for (const auto& [id, answer] : self.answers_) saved.push_back({id, answer});
    }
    state(saved);
    if constexpr (State::kRestores) {
      self.answers_.clear();
      for (Saved& one : saved) self.answers_.emplace(std::move(one.id), std::move(one.answer));
    }
  }

 private:
  struct Answer {
    WallTime first_asked;
    std::vector<Evidence> once;   ///< Of those that accuse.
    std::vector<Evidence> again;  ///< Of those that only examine, witness by witness.

    [[nodiscard]] bool may_change(WallTime at) const;
    void renew(std::vector<Evidence> answers);

    template <class State, class Self>
    static void exchange(State& state, Self& self) {
      state(self.first_asked, self.once, self.again);
    }
  };
  struct Saved {
    std::string id;
    Answer answer;
    template <class State, class Self>
    static void exchange(State& state, Self& self) {
      state(self.id, self.answer);
    }
  };
  [[nodiscard]] std::vector<Part> healthy_peers(const std::vector<Part>& accused,
                                                std::span<const Incident> all) const;
  [[nodiscard]] Suspicion suspicion(const Incident& incident, std::span<const Incident> all,
                                    WallTime at) const;
  [[nodiscard]] std::vector<Evidence> ask_again(const Suspicion& asked) const;

  const Grouping& grouping_;
  const Detectors& detectors_;
  const detect::LoadExaminer& load_;
  std::map<std::string, Answer> answers_;  ///< By the incident's id.
};

}  // namespace laggard::engine
