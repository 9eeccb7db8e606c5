#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "detect/behaviour/code_measure.h"
#include "detect/behaviour/feature_windows.h"
#include "detect/behaviour/function_spread.h"
#include "model/dictionary.h"

namespace laggard::detect {

/// What decides in the comparison of what servers do.
struct BehaviourParameters {
  CodeMeasure measure = {};
  bool weighs_functions = false;  ///< By their spread, whatever the measure says: ours.
  std::size_t k = 3;              ///< Faulty is who is anomalous in k of the last 2k - 1 windows.
  double factor = 2;              ///< A threshold is so many times the largest distance of who is well.
  FunctionSpread::Unit unit{};
  /// No distance is large that is not larger than that of the peers by this, in the unit of the values,
  /// whatever functions weigh.
  double least = 0;
  /// By host, the largest distance in fault-free training (trained_distance); of the others, as long as
  /// nothing is trained, see BehaviourFollower.
  std::map<std::string, double> trained = {};
};

/// B §4.1, "Threshold selection": the smallest threshold that leaves no anomaly in training. B's are
/// integers; here they are whole ms where values are times, and whole numbers where a count is worth one.
/// \return  0 without distances
[[nodiscard]] double trained_distance(std::span<const double> distances, const FunctionSpread::Unit& unit);

/// What a server did in functions of a program that are too small to be compared (FeatureWindow::rest), and
/// the median of its peers.
struct RestOfProgram {
  std::string program;
  double own = 0;
  double peers = 0;
};

/// Of all programs of which there is any, by their names.
/// \param peers  at least one
[[nodiscard]] std::vector<RestOfProgram> compared_rest(const ProgramSums& own,
                                                       std::span<const ProgramSums* const> peers);

/// Compares the servers of a peer group in one kind of profile, window by window (B §4.1). A server's
/// distance is the median of its distances to the others; the lower one of two, since where three are
/// compared the upper one is that to the sick one. It is anomalous when that exceeds its threshold.
///
/// **Ours**: without training the threshold is `factor` times the largest distance of another server in the
/// last kMemory windows, without the kSickAtOnce largest of each window: those may be sick, too.
class BehaviourFollower {
 public:
  static constexpr std::size_t kMemory = 10;
  /// One server in so many may be sick at the same time.
  static constexpr std::size_t kSickAtOnce = 4;
  /// With so many others a server is compared at most, every so manyth of all.
  static constexpr std::size_t kMostPeers = 64;

  /// What a server did in one function in an anomalous window, and what the median of its peers did: means
  /// over these windows.
  struct Differing {
    Word function;
    double own = 0;
    double peers = 0;
    double apart = 0;  ///< w |own - peers|: what it contributes to the distance.
  };
  struct Verdict {
    std::size_t host = 0;  ///< Of the window.
    double distance = 0;
    double threshold = 0;
    bool is_anomalous = false;
    bool is_faulty = false;  ///< In k of the last 2k - 1 windows, this one included, it was anomalous.
    bool as_ever = false;    ///< Faulty, and it was no other before its first anomalous window.
    std::size_t normal = 0;  ///< Windows since the last anomalous one.

    [[nodiscard]] double score() const { return threshold > 0 ? distance / threshold : 0; }
  };

  explicit BehaviourFollower(BehaviourParameters parameters)
      : parameters_(std::move(parameters)), spread_(parameters_.unit) {}

  /// \param hosts  which of the window are the group's: at least three, else nobody is judged.
  /// \param words  of its functions
  [[nodiscard]] std::vector<Verdict> follow(const FeatureWindow& window, std::span<const std::size_t> hosts,
                                            const Dictionary& words);
  /// Of the server's anomalous windows since it was normal for 2k - 1 windows, what is most apart first (B
  /// §4.2).
  [[nodiscard]] std::vector<Differing> differing(const std::string& host) const;
  /// Of the same windows what `differing` leaves out, by the names of programs.
  [[nodiscard]] std::vector<RestOfProgram> rest(const std::string& host) const;
  /// Words mean something else from now on (FeatureWindows::generation).
  void forget_functions();

 private:
  struct Host {
    std::deque<std::uint8_t> anomalous;  ///< Of the last 2k - 1 windows.
    std::deque<double> before;           ///< Scores of the last kMemory windows that were well.
    double first_score = 0;              ///< Of the first anomalous window.
    std::unordered_map<std::uint32_t, Differing> sums;
    std::map<std::string, RestOfProgram> rest;  ///< By program.
    std::size_t summed = 0;                     ///< Windows.

    void forget_sums();
  };

  [[nodiscard]] bool weighs_by_spread() const {
    return parameters_.weighs_functions || parameters_.measure.by_spread;
  }
  [[nodiscard]] std::vector<double> weights(const FeatureWindow& window, std::span<const std::size_t> hosts,
                                            const Dictionary& words);
  [[nodiscard]] std::vector<double> distances(const FeatureWindow& window, std::span<const std::size_t> hosts,
                                              std::span<const double> weights) const;
  [[nodiscard]] double threshold_of(const std::string& host, std::span<const double> others) const;
  [[nodiscard]] bool is_much(const FeatureWindow& window, std::span<const std::size_t> hosts,
                             std::size_t host, std::span<const double> weights) const;
  void note_calm(std::span<const double> distances);
  void add_difference(const FeatureWindow& window, std::span<const std::size_t> hosts, std::size_t host,
                      std::span<const double> weights);
  void judge(Verdict& verdict, Host& known) const;
  /// Of k of 2k - 1.
  [[nodiscard]] std::size_t span() const { return 2 * parameters_.k - 1; }

  BehaviourParameters parameters_;
  FunctionSpread spread_;
  std::unordered_map<std::uint32_t, double> ruled_;  ///< What the measure's rules say, by function.
  std::map<std::string, Host> hosts_;
  std::deque<double> calm_;  ///< Of each of the last kMemory windows the largest distance of who is well.
};

}  // namespace laggard::detect
