#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace laggard::detect {

/// How far what two servers do is apart, function by function (B §4.1, "Distance Measure"). p and q are their
/// feature vectors, w the weights of the functions.
enum class CodeDistance : std::uint8_t {
  kManhattan,  ///< Σ w |p - q|: what B found best.
  kRelative,   ///< Σ w |p - q| / max(p, q)
  kScaled,     ///< Σ w (p - q)² / max(p, q)
  kKl,         ///< ½ Σ w (p log(p/q) + q log(q/p)): symmetric Kullback-Leibler divergence.
};
[[nodiscard]] std::string_view to_name(CodeDistance distance);  // manhattan, relative, scaled, kl
[[nodiscard]] std::optional<CodeDistance> code_distance(std::string_view name);

/// What a function that one of two servers does not run counts for in kKl, where a logarithm of zero has no
/// meaning. B does not say what it did.
inline constexpr double kKlFloor = 0.5;

/// Functions that neither runs add nothing.
/// \param p, q, weights  as many values each, none negative, in one unit
/// \return  of kManhattan, kScaled and kKl in that unit; kRelative is a number of functions.
[[nodiscard]] double distance_between(CodeDistance distance, std::span<const double> p,
                                      std::span<const double> q, std::span<const double> weights);

}  // namespace laggard::detect
