#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detect/behaviour/behaviour_examiner.h"
#include "detect/behaviour/behaviour_follower.h"
#include "detect/behaviour/behaviour_training.h"
#include "detect/behaviour/feature_windows.h"
#include "detect/behaviour/server_groups.h"
#include "model/detector.h"

namespace laggard::detect {

/// Servers that spend their processors' time in other code than their peers, call other functions, or wait in
/// other ones (B): a detector of its own for each kind of profile (model/code_profile.h), a finding for each
/// server and kind. Peers are the servers of a peer group of hosts, of daemons or of interfaces; those that
/// are in none are compared with each other.
class BehaviourDetector final : public Detector {
 public:
  static constexpr std::array<std::string_view, 3> kProfiles = kCodeKinds;
  /// That a finding shows (B §4.2).
  static constexpr std::size_t kMostShown = 10;
  /// Begins of anomalous windows that a finding keeps, the newest.
  static constexpr std::size_t kMostWindows = 1024;

  /// \param parameters  of each kind, in the order of kProfiles
  BehaviourDetector(const DetectorSetup& setup, const BehaviourParametersOfKinds& parameters);
  /// With what was trained (DetectorSetup::trained_behaviour).
  [[nodiscard]] static std::unique_ptr<Detector> make(const DetectorSetup& setup);

  using Detector::take;
  void take(const ProfileTable& profile) override;
  void complete(WallTime until) override;
  [[nodiscard]] std::vector<Finding> findings() const override;
  [[nodiscard]] std::size_t kept() const override { return over_.size() + open_.size(); }
  void forget(std::span<const std::uint8_t> keep) override;
  /// What a suspect of others does that its peers do not (BehaviourExaminer), of the kinds that do not accuse
  /// it.
  [[nodiscard]] std::vector<Evidence> examine(const Suspicion& suspicion) const override;

 private:
  struct Kind {
    std::string_view name;
    BehaviourParameters parameters;
    FeatureWindows windows;
    BehaviourExaminer examiner;
    std::map<std::string_view, BehaviourFollower> groups{};  ///< By name.
    std::size_t generation = 0;
  };
  using KindAndHost = std::pair<std::string_view, std::string>;

  void judge(Kind& kind, const FeatureWindow& window);
  Finding& open(const KindAndHost& key, const Kind& kind, WallTime now, bool as_ever);
  void close(const KindAndHost& key);
  void note(const Kind& kind, const FeatureWindow& window, const BehaviourFollower& follower,
            const BehaviourFollower::Verdict& verdict, std::size_t peers);

  const Grouping& grouping_;
  ServerGroups servers_;
  std::vector<Kind> kinds_;
  std::map<KindAndHost, Finding> open_;
  std::map<KindAndHost, std::deque<WallTime>> anomalous_;  ///< Of whoever is anomalous now and then: begins.
  std::vector<Finding> over_;
};

}  // namespace laggard::detect
