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

#include "detect/behaviour/behaviour_comparer.h"
#include "detect/behaviour/behaviour_examiner.h"
#include "detect/behaviour/behaviour_training.h"
#include "model/code_profile.h"
#include "model/detector.h"

namespace laggard::detect {

/// Servers that spend their processors' time in other code than their peers, call other functions, or wait in
/// other ones (B): a finding for each server and comparison (BehaviourComparer).
class BehaviourDetector final : public Detector {
 public:
  static constexpr std::array<std::string_view, 5> kProfiles{kSamplesKind, kCallsKind, kCallTimeKind,
                                                             kKernelCallsKind, kKernelTimeKind};
  /// That a finding shows (B §4.2).
  static constexpr std::size_t kMostShown = 10;
  /// Begins of anomalous windows that a finding keeps, the newest.
  static constexpr std::size_t kMostWindows = 1024;

  BehaviourDetector(const DetectorSetup& setup, std::vector<BehaviourComparison> comparisons);
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
  using NameAndHost = std::pair<std::string_view, std::string>;  ///< Of a comparison.

  Finding& open(const NameAndHost& key, WallTime now, bool as_ever, bool confirms);
  void close(const NameAndHost& key);
  void note(const BehaviourComparer::Judged& judged, const BehaviourFollower::Verdict& verdict);

  const Grouping& grouping_;
  BehaviourComparer comparer_;
  std::map<std::string_view, BehaviourExaminer> examiners_;  ///< By kind of profile.
  std::map<NameAndHost, Finding> open_;
  std::map<NameAndHost, std::deque<WallTime>> anomalous_;  ///< Of whoever is anomalous now and then: begins.
  std::vector<Finding> over_;
};

}  // namespace laggard::detect
