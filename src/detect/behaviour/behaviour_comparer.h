#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detect/behaviour/behaviour_follower.h"
#include "detect/behaviour/feature_windows.h"
#include "detect/behaviour/server_groups.h"
#include "model/grouping.h"
#include "model/profile.h"

namespace laggard::detect {

/// One way in which servers are compared in what they do.
struct BehaviourComparison {
  std::string_view name;     ///< Of the test, in evidence and in thresholds files.
  std::string_view profile;  ///< The kind of profile that it reads.
  bool of_programs = false;  ///< Program by program; else function by function.
  BehaviourParameters parameters;
};

/// Without any training: `samples`, `calls` and `call-time`, function by function as B has it, and **ours**
/// `programs`, samples program by program, weighed by their spread. A function is seen too seldom at 99 Hz to
/// tell anything of a server that uses some hundredths of a processor; its program is not.
[[nodiscard]] std::vector<BehaviourComparison> default_behaviour();

/// Profiles of servers in, verdicts out, window by window: each comparison in each group of servers.
class BehaviourComparer {
 public:
  struct Judged {
    std::size_t comparison = 0;  ///< In the order of default_behaviour.
    std::string_view group;      ///< Empty: of the servers that are in none.
    const FeatureWindow& window;
    const BehaviourFollower& follower;
    std::span<const BehaviourFollower::Verdict> verdicts;
  };

  /// \param grouping  outlives this
  BehaviourComparer(const Grouping& grouping, std::vector<BehaviourComparison> comparisons);

  /// What is no profile of servers is passed over.
  void add(const ProfileTable& profile);
  /// \param judged  called for each comparison of each group of at least three in the windows that end by
  /// then \param window  called before, for each window of functions, with whether words mean something else
  /// since the last
  void take(
      WallTime until, const std::function<void(const Judged&)>& judged,
      const std::function<void(std::string_view profile, const FeatureWindow&, bool anew)>& window = nullptr);

  [[nodiscard]] const std::vector<BehaviourComparison>& comparisons() const { return comparisons_; }
  /// Of the windows of a kind of profile that is compared.
  [[nodiscard]] const Dictionary& words(std::string_view profile) const;

 private:
  struct Profile {
    std::string_view kind;
    FeatureWindows windows;
    std::size_t generation = 0;
  };
  using Groups = std::map<std::string_view, BehaviourFollower>;

  void compare(std::size_t comparison, const FeatureWindow& window, bool anew,
               const std::function<void(const Judged&)>& judged);

  ServerGroups servers_;
  std::vector<BehaviourComparison> comparisons_;
  std::vector<Groups> groups_;  ///< Per comparison.
  std::vector<Profile> profiles_;
};

}  // namespace laggard::detect
