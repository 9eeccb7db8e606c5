#pragma once

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "detect/behaviour/behaviour_follower.h"
#include "detect/behaviour/feature_windows.h"
#include "model/detector.h"
#include "model/recorded_hosts.h"

namespace laggard::detect {

/// What a suspect of others does that none of its healthy peers does (**ours**; K asks the same of logs): too
/// little, maybe, to accuse anybody, but somebody is accused, and a program that runs nowhere else is a
/// reason.
///
/// Over the windows of the incident:
///   - a program that was seen there kLeastSeen times, and never on a healthy peer;
///   - a function whose mean lies outside the range of the healthy peers' by more than the kind's floor and
///     by more than that range.
class BehaviourExaminer {
 public:
  /// As far back as anybody is asked about, and a little.
  static constexpr Duration kKept = std::chrono::minutes(12);
  static constexpr std::size_t kLeastPeers = 3;
  static constexpr std::size_t kMostPeers = 48;
  /// A program is there when it was seen so often, in two windows at least that do not overlap.
  static constexpr double kLeastSeen = 3;

  /// \param grouping  outlives this
  BehaviourExaminer(const Grouping& grouping, std::string_view kind, FunctionSpread::Unit unit)
      : hosts_(grouping), kind_(kind), unit_(unit) {}

  void add(const FeatureWindow& window);
  /// Words mean something else from now on.
  void forget_functions() { windows_.clear(); }
  /// Nothing where the suspect does nothing that its peers do not, or fewer than kLeastPeers of these were
  /// recorded. \param words  of the windows \param most  functions that are shown
  [[nodiscard]] std::optional<Evidence> examine(const Suspicion& suspicion, const Dictionary& words,
                                                std::size_t most) const;

 private:
  /// Means over the windows that lie in the interval.
  struct Means {
    std::map<Word, double> functions;
    ProgramSums rest;  ///< FeatureWindow::rest

    [[nodiscard]] double of(Word function) const {
      const auto found = functions.find(function);
      return found == functions.end() ? 0 : found->second;
    }
  };
  /// The windows of a host in the interval, and which of their hosts it is.
  [[nodiscard]] std::vector<std::pair<const FeatureWindow*, std::size_t>> windows_of(const std::string& host,
                                                                                     TimeSpan interval) const;
  [[nodiscard]] std::optional<Means> means_of(const std::string& host, TimeSpan interval) const;
  /// Sentences about programs that run on this host and on none of these.
  [[nodiscard]] std::vector<std::string> own_programs(const std::string& host,
                                                      std::span<const std::string> peers,
                                                      TimeSpan interval) const;
  /// All functions, beside the median of the peers.
  [[nodiscard]] static std::vector<BehaviourFollower::Differing> compared(const Means& own,
                                                                          std::span<const Means> peers);
  /// Those that lie outside what the peers do, what is most apart first.
  [[nodiscard]] std::vector<BehaviourFollower::Differing> outside(
      std::vector<BehaviourFollower::Differing> functions, std::span<const Means> peers) const;

  RecordedHosts hosts_;
  std::string_view kind_;
  FunctionSpread::Unit unit_;
  std::deque<FeatureWindow> windows_;
};

}  // namespace laggard::detect
