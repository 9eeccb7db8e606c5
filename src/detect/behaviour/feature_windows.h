#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "model/dictionary.h"
#include "model/profile.h"

namespace laggard::detect {

/// Sums by program.
using ProgramSums = std::map<std::string, double, std::less<>>;

/// 0 of a program that was not seen.
[[nodiscard]] inline double sum_of(const ProgramSums& sums, std::string_view program) {
  const auto found = sums.find(program);
  return found == sums.end() ? 0 : found->second;
}

/// What hosts did in one window, function by function.
struct FeatureWindow {
  TimeSpan span;
  std::vector<std::string> hosts;  ///< Sorted; those that were recorded nearly throughout.
  std::vector<Word> functions;     ///< Of FeatureWindows::words.
  std::vector<double> values;      ///< Host after host, a value for each function.
  /// Of each host all that its programs did, in functions that are kept and in others.
  std::vector<ProgramSums> programs{};
  /// Of each host what is in `programs` and in no value: the functions that are not kept.
  std::vector<ProgramSums> rest{};
  double grain = 0;  ///< What one count is worth, in the unit of the values.

  [[nodiscard]] std::span<const double> of(std::size_t host) const {
    return std::span(values).subspan(host * functions.size(), functions.size());
  }
};

/// Sums profiles up to the feature vectors of B §4.1: of each function over windows of kWindow that begin
/// every kShift, at multiples of it since the epoch. Only functions are kept that have come to the floor in a
/// window of one host, in this or an earlier window; B looks at all windows of an experiment, later ones,
/// too.
///
/// Memory: kSlots sparse vectors a host, and the dictionary, which is begun anew when it is full.
class FeatureWindows {
 public:
  static constexpr Duration kWindow = std::chrono::seconds(60);  ///< WinSize.
  static constexpr Duration kShift = std::chrono::seconds(30);   ///< WinShift.
  /// Of a window so much is recorded of whoever is compared.
  static constexpr double kCovered = 0.8;

  /// \param floor  what a function must come to, in the unit of the values: counts times their worth in
  ///               seconds where they have one (ProfileTable::Period::each), else counts
  explicit FeatureWindows(double floor) : floor_(floor) {}

  /// Each period counts for the shift that its middle lies in. What is in windows that were taken is passed
  /// over.
  void add(const ProfileTable& profile);
  /// The windows that end by then and were not taken before, but for those in which no host was recorded
  /// enough.
  [[nodiscard]] std::vector<FeatureWindow> take(WallTime until);

  /// The same window program by program, whatever each comes to.
  [[nodiscard]] FeatureWindow by_program(const FeatureWindow& window);

  /// Valid until the next `add` or `by_program`.
  [[nodiscard]] const Dictionary& words() const { return words_; }
  /// How often the dictionary has been begun anew: what was kept of words before means nothing after.
  [[nodiscard]] std::size_t generation() const { return generation_; }

 private:
  struct Slot {
    Duration covered{};
    double grain = 0;
    std::unordered_map<std::uint32_t, double> sums;  ///< By the function's word.
  };
  static constexpr std::size_t kSlots = kWindow / kShift;

  void begin_anew();
  /// End of the first window, after those that were taken, in which anything was recorded.
  [[nodiscard]] std::optional<WallTime> next() const;
  [[nodiscard]] FeatureWindow window(WallTime end);
  void add_programs(FeatureWindow& window, const std::unordered_map<std::uint32_t, double>& sums) const;
  void forget_before(WallTime begin);
  void keep_functions(const std::vector<std::unordered_map<std::uint32_t, double>>& sums);

  double floor_;
  Dictionary words_;
  std::size_t generation_ = 0;
  std::map<std::string, std::map<WallTime, Slot>> slots_;  ///< By host and begin.
  std::vector<std::uint8_t> is_kept_;                      ///< By word.
  std::optional<WallTime> taken_;                          ///< End of the last window.
};

}  // namespace laggard::detect
