#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace laggard::stats {

/// A unit that loses more than the noise of all.
struct FailedUnit {
  std::size_t unit = 0;
  double loss = 0;  ///< The share of what passes it that fails there.
  double gain = 0;  ///< By how much it makes likelier what failed, in nats, when it was found.
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

/// By how much the best of so many units of no effect makes anything likelier with that probability at most:
/// twice that is distributed as half a chi-squared of one degree of freedom, since a loss is not negative,
/// and `units` of them are tried (Bonferroni).
[[nodiscard]] double needed_nats(std::size_t units, double mistaken);

}  // namespace laggard::stats
