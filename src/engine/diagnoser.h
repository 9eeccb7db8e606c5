#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "detect/background/recorded_work.h"
#include "detect/load/load_examiner.h"
#include "detect/peer/burst/burst_follower.h"
#include "detect/peer/burst/burst_watch.h"
#include "detect/peer/compare/preset.h"
#include "detect/peer/judge/judged_run.h"
#include "detect/peer/judge/peer_detector.h"
#include "detect/peer/judge/threshold_book.h"
#include "detect/peer/ratio/latency_ratio.h"
#include "detect/peer/ratio/ratio_follower.h"
#include "detect/peer/skew/clock_watch.h"
#include "detect/peer/skew/host_circles.h"
#include "engine/checkpoint.h"
#include "engine/detectors.h"
#include "engine/group_troubles.h"
#include "engine/host_presence.h"
#include "engine/impacts.h"
#include "engine/judged_extent.h"
#include "engine/persistence_history.h"
#include "engine/pipeline.h"
#include "explain/hypothesis.h"
#include "explain/rules.h"
#include "model/background_work.h"
#include "model/incident.h"
#include "model/plot.h"

namespace laggard::engine {

class Diagnoser;

/// Somebody who is told at every multiple of `every` since the epoch, in the time of the samples, that all
/// windows which end by then have been judged. When it is told depends on the samples alone, not on how they
/// came in.
struct Tick {
  Duration every{};  ///< 0: nobody.
  std::function<void(const Diagnoser&, WallTime)> tell = nullptr;
  /// Drop what is settled (explain/incidents.h) after it was told, now and then: the diagnosis is of what
  /// goes on and of what may still change, and memory is bounded by that.
  bool forget = false;
};

struct DiagnoserOptions {
  detect::Preset preset;
  PipelineOptions pipeline;  ///< Its windows are taken from the preset.
  std::vector<explain::Rule> rules;
  detect::ThresholdBook thresholds;
  detect::ThresholdBook beside_thresholds;          ///< The same of the windows of PipelineOptions::beside.
  std::optional<PersistenceHistory::Spec> history;  ///< Keep who was persistent when.
  std::vector<KnownIncident> known;    ///< Those that operators decided about; they keep their ids.
  std::vector<ExpectedWork> expected;  ///< Background work that operators know of, and that explains.
  Tick tick;
  std::span<const DetectorSpec> detectors = detector_table();  ///< Of events and profiles.
  std::string log_patterns;                                    ///< DetectorSetup::log_patterns.
  std::vector<std::string> normal_errors;                      ///< DetectorSetup::normal_errors.
  std::map<std::string, std::map<std::string, double>>
      trained_behaviour;                   ///< DetectorSetup::trained_behaviour.
  std::string code_measure = "manhattan";  ///< DetectorSetup::code_measure.
  bool bias = true;                        ///< Look for what is a little slower in nearly every window, too.
  bool learn = false;  ///< Hold each day against what the peers' own days before it taught (OwnHistory).
};

/// The engine: the whole verdict on a recording, in one pass. Observations in, a Diagnosis out, at any time.
///
/// Events and profiles come in any order, but those before a time come before the samples from then on; what
/// comes later is counted and reported (Coverage::missing) and not judged. Detectors are handed them in steps
/// of the distance of two windows, when all windows that end by then have been followed: what is found and
/// when depends on the observations alone.
class Diagnoser {
 public:
  /// `grouping` must outlive this.
  Diagnoser(const Grouping& grouping, DiagnoserOptions options);
  Diagnoser(const Diagnoser&) = delete;
  Diagnoser& operator=(const Diagnoser&) = delete;
  ~Diagnoser() = default;

  /// Tables in a TableReader's order.
  void add(const SampleTable& table);
  void add(std::span<const SampleTable> tables);
  void add(const EventTable& table) {
    detectors_.add(table);
    pipeline_.add(table);
  }
  void add(const ProfileTable& table) { detectors_.add(table); }
  /// Tables of what disks say of background work (detect::work_gauges), in a TableReader's order, each before
  /// the samples that begin later. They may be of times before a shard, too.
  void add_work(const SampleTable& table);
  /// The same of hosts' load (detect::load_inputs), in any order between hosts; again after a restart.
  void add_load(const SampleTable& table) { load_.add(table); }
  void finish();
  /// All observations before `until` have been added: judges what can no longer change.
  void advance(WallTime until);
  /// Instead of tables: what a pipeline with these options judged, run after run. It has derived what it
  /// judged, so events are for the detectors alone.
  void add_for_detectors(const EventTable& table) { detectors_.add(table); }
  void take(detect::JudgedRun& judged) { follow(judged); }

  /// To go on from after a restart: nothing before a cell has been judged, after `finish`, and where
  /// detectors have been handed events, since their state is not part of it yet. Score maps and rows by the
  /// hour are not either; they begin anew.
  [[nodiscard]] std::optional<Checkpoint> checkpoint() const;
  /// Goes on from there; before anything was added, and with options whose shard begins where the checkpoint
  /// ends. After an error, which is one sentence, this diagnoser is of no use.
  [[nodiscard]] Status restore(const Checkpoint& checkpoint);
  /// As Pipeline::needs_earlier: a restored diagnoser was given too little of what lies before.
  [[nodiscard]] bool needs_earlier() const { return pipeline_.needs_earlier(); }

  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.from_, self.to_, self.ticked_, self.stepped_, self.position_, self.now_, self.forget_from_,
          self.clock_, self.clocks_, self.peers_, self.impacts_, self.troubles_, self.slow_, self.bursts_,
          self.work_, self.forget_work_from_, self.extent_, self.presence_, self.load_, self.examiners_,
          self.examined_, self.examined_findings_);
    state.each(self.beside_);
  }

  /// Devices that events tell of and that were not known when peers were grouped.
  [[nodiscard]] std::set<SeriesKey> unknown_devices() const {
    return pipeline_.derivations().unknown_devices();
  }

  /// What is known so far. Coverage is filled as far as the analysis knows it.
  [[nodiscard]] Diagnosis diagnosis() const;
  [[nodiscard]] std::vector<ScoreMap> score_maps() const { return peers_.score_maps(); }
  /// What the days that are over taught, as `train` writes it; nothing when none is, or nobody asked.
  [[nodiscard]] std::optional<detect::Thresholds> learnt() const { return peers_.learnt(); }
  [[nodiscard]] std::optional<WallTime> learnt_until() const { return peers_.learnt_until(); }
  /// What detectors saw of paths.
  [[nodiscard]] std::vector<PathEvidence> paths() const { return detectors_.paths(); }
  /// By the hour, as the options asked; empty when they did not.
  [[nodiscard]] std::vector<PersistenceRow> persistence_rows() const;

 private:
  [[nodiscard]] Pipeline::RunSink observed();
  void follow(detect::JudgedRun& judged);
  void watch_clocks(const detect::JudgedRun& judged, std::int64_t until);
  void follow_windows(const detect::JudgedRun& judged, std::span<const detect::JudgedWindow> windows,
                      std::span<const detect::JudgedWindow> beside);
  [[nodiscard]] bool follow_slow(std::span<const detect::SlowMember> slow);
  [[nodiscard]] bool follow_bursts(std::span<const detect::SlowMember> bursts);
  [[nodiscard]] bool may_ask(WallTime at) const { return detectors_.have_begun() || load_.knows_any(at); }
  void end_steps(WallTime until);
  void pass_steps(WallTime until);
  void examine(WallTime step);
  [[nodiscard]] std::vector<Incident> incidents() const;
  void tick(WallTime at);
  void tell(WallTime at);
  void forget_settled();
  void forget_work();
  [[nodiscard]] std::size_t kept() const;
  [[nodiscard]] std::int64_t look_back() const;
  void explain_work(Diagnosis& diagnosis) const;
  [[nodiscard]] std::vector<Finding> findings() const;
  void add_beside(std::vector<Finding>& all) const;
  [[nodiscard]] std::vector<RankedComponent> ranking() const;
  void place(Finding& finding) const;
  [[nodiscard]] explain::IncidentOptions incident_options() const;
  void mark_excluded(std::vector<Incident>& incidents) const;

  const Grouping& grouping_;
  DiagnoserOptions options_;
  detect::HostCircles circles_;
  detect::ClockWatch clocks_;
  detect::RunLoads loads_;    ///< Learns from the pipeline what is compared, for the clocks.
  std::int64_t clocked_ = 0;  ///< The first cell of a run that they have not been told of yet.
  detect::LatencyRatios ratios_;
  detect::BurstWatch burst_watch_;
  Pipeline pipeline_;
  detect::GapClock clock_;
  detect::PeerDetector peers_;               ///< Of series; of events and profiles all others.
  std::deque<detect::PeerDetector> beside_;  ///< Of the windows of the other length: one, or none.
  Impacts impacts_;
  GroupTroubles troubles_;
  JudgedExtent extent_;
  HostPresence presence_;
  detect::RatioFollower slow_;
  detect::BurstFollower bursts_;
  detect::RecordedWork work_;
  Duration step_;
  Detectors detectors_;
  detect::LoadExaminer load_;
  Examiners examiners_;
  WallTime stepped_ = WallTime::min();   ///< The last step that windows have passed.
  WallTime examined_ = WallTime::min();  ///< The last step at whose end was looked for new hypotheses.
  std::size_t examined_findings_ = 0;    ///< How many findings there were then.
  std::optional<PersistenceHistory> persistence_;
  std::optional<WallTime> ticked_;    ///< Up to where `tick` was told.
  std::int64_t position_ = 0;         ///< Of the newest window.
  std::int64_t now_ = 0;              ///< Position of the newest cell.
  std::size_t forget_from_ = 0;       ///< Anomalies from which it is worth looking for what is settled.
  std::size_t forget_work_from_ = 0;  ///< The same of pieces of background work.
  std::optional<WallTime> from_;
  WallTime to_;
  bool finished_ = false;
};

}  // namespace laggard::engine
