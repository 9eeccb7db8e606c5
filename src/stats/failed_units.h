#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace laggard::stats {

/// A unit that loses more than the noise of all.
struct FailedUnit {
  std::size_t unit = 0;
  double loss = 0;  ///< The share of what passes it that fails there, beside the noise.
};

/// Which of many units lose something, where a little is lost everywhere: links of a network, of whose
/// packets some in ten thousand are lost and some in a hundred on a sick one.
///
/// The fewest units whose losses explain, beside one noise that all paths have alike, what failed
/// (PathModel): the unit is added that makes that likeliest, as long as it does so by `needed_nats`, and in
/// the end those leave that the others have made unneeded. Of units that lie on the same paths the first one
/// is named.
/// **Ours**; the threshold follows from the number of units alone.
/// \param paths     of each the units that it passes, each once; not empty.
/// \param trials    how often each path was tried. \param failures  how often that failed; at most `trials`.
/// \param mistaken  with this probability somebody is named where there is nothing but noise.
/// \return by falling loss.
[[nodiscard]] std::vector<FailedUnit> failed_units(std::span<const std::vector<std::size_t>> paths,
                                                   std::size_t units, std::span<const double> trials,
                                                   std::span<const double> failures, double mistaken = 0.01);

/// The gain g in log likelihood (nats) that the best of so many units of no effect has with that probability
/// at most: mistaken = units x P(chi-squared of one degree of freedom > 2 g) / 2 = units x erfc(sqrt g) / 2.
/// Half, since a loss is not negative; by `units`, since so many are tried (Bonferroni).
[[nodiscard]] double needed_nats(std::size_t units, double mistaken);

}  // namespace laggard::stats
