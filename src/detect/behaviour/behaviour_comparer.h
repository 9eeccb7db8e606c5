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
#include "model/grouping.h"
#include "model/profile.h"

namespace laggard::detect {

/// One way in which servers are compared in what they do.
struct BehaviourComparison {
  std::string_view name;     ///< Of the test, in evidence and in thresholds files.
  std::string_view profile;  ///< The kind of profile that it reads.
  bool of_programs = false;  ///< Program by program; else function by function.
  /// It suspects and does not confirm as long as nothing is trained: how often functions are called follows
  /// how work is dealt out, which nobody needs to be sick for.
  bool needs_training = false;
  BehaviourParameters parameters;
};

/// Without any training, by this measure: `samples`, `calls` and `call-time`, function by function as B has
/// it, and **ours** `programs`, samples program by program, weighed by their spread. A function is seen too
/// seldom at 99 Hz to tell anything of a server that uses some hundredths of a processor; its program is not.
/// **Ours**, too, are the kernel's functions: `kernel-calls`, weighed in the same way, and `kernel-time`.
[[nodiscard]] std::vector<BehaviourComparison> default_behaviour(const CodeMeasure& measure = {});

/// Which servers are compared in what they do: those of a peer group of hosts, of daemons, of interfaces or
/// of disks, whichever of these kinds a server is in first; those that are in none are compared with each
/// other. Clients are not compared: they run what users run.
class ServerGroups {
 public:
  /// \param grouping  outlives this
  explicit ServerGroups(const Grouping& grouping);

  [[nodiscard]] bool is_compared(std::string_view host) const;
  /// Name of its group; empty: those that are in none.
  [[nodiscard]] std::string_view group_of(const std::string& host) const;
  /// The hosts of a window by the names of their groups.
  [[nodiscard]] std::map<std::string_view, std::vector<std::size_t>> members(
      const FeatureWindow& window) const;

 private:
  const Grouping& grouping_;
  std::map<std::string, std::string> groups_;  ///< By host.
};

/// Profiles of servers in, verdicts out, window by window: each comparison in each group of servers.
class BehaviourComparer {
 public:
  struct Judged {
    std::size_t comparison = 0;  ///< Its place in `comparisons`.
    std::string_view group;      ///< Empty: of the servers that are in none.
    const FeatureWindow& window;
    const BehaviourFollower& follower;
    std::span<const BehaviourFollower::Verdict> verdicts;
  };

  /// Who is told of what.
  struct Listener {
    std::function<void(const Judged&)> judged;  ///< Of each comparison of each group of at least three.
    /// Before that, the window that was compared, function by function.
    std::function<void(std::string_view profile, const FeatureWindow&)> window = nullptr;
    /// What was kept of words of this kind of profile means nothing from now on.
    std::function<void(std::string_view profile)> words_changed = nullptr;
  };

  /// \param grouping  outlives this
  BehaviourComparer(const Grouping& grouping, std::vector<BehaviourComparison> comparisons);

  /// What is no profile of servers is passed over.
  void add(const ProfileTable& profile);
  /// Judges the windows that end by then. To be called before anything is asked about words that were kept.
  void take(WallTime until, const Listener& listener);

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

  void forget_words(std::string_view profile);
  void compare_in_all(Profile& profile, const FeatureWindow& functions, const Listener& listener);
  void compare(std::size_t comparison, const FeatureWindow& window, const Dictionary& words,
               const Listener& listener);

  ServerGroups servers_;
  std::vector<BehaviourComparison> comparisons_;
  std::vector<Groups> groups_;  ///< Per comparison.
  std::vector<Profile> profiles_;
};

}  // namespace laggard::detect
