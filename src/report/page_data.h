#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/plot.h"

/// The data that a page carries for its script to draw.
namespace laggard::report {

/// Base64 as in RFC 4648, with padding.
[[nodiscard]] std::string base64(std::span<const std::uint8_t> bytes);

/// Numbers as a page carries them: 16 bits each instead of the seven characters of JSON text, so that 768
/// peers x 1,200 points stay below 3 MB.
///
/// A code c in [-28000, 28000] stands for sign(c) m 10^(e+k) with a common exponent e: |c| < 10000 is m
/// itself at k = 0, then 9000 codes (m = 1000..9999) follow for each of k = 1 and k = 2. Hence four
/// significant digits down to a hundredth of the largest value, and below that an absolute error of at most 5
/// millionths of it. -32768 is missing (NaN and the infinities). `web/report/unpack.js` reads it.
struct Packed {
  int exponent = 0;
  std::string base64;  ///< int16, little-endian, in the order of the values.
};

class Packer {
 public:
  /// \param largest  the largest magnitude that will be added; not finite or 0 is taken as 1.
  explicit Packer(double largest);
  void add(float value);
  [[nodiscard]] Packed take() const { return {exponent_, base64(bytes_)}; }
  [[nodiscard]] static constexpr std::int16_t missing() { return -32768; }
  [[nodiscard]] std::int16_t encode(double value) const;

 private:
  int exponent_ = 0;
  double unit_ = 1;  ///< 10^exponent_
  std::vector<std::uint8_t> bytes_;
};

/// All rows one after another under one exponent.
[[nodiscard]] Packed pack(std::span<const std::vector<float>> rows);

/// About as many points as a screen is wide; more could not be told apart.
inline constexpr std::size_t kMostPoints = 1200;

/// `plot` with at most `most` points, keeping the extremes of every component: consecutive samples share a
/// bucket of which each component's least and greatest value are kept, in the order in which they came. Their
/// times are those of the first and of the middle sample of the bucket, common to all components, so a value
/// moves by less than a bucket. A gap that fills no bucket disappears. Plots that are short enough come back
/// as they are. Requires most >= 2.
[[nodiscard]] PeerPlot thinned(const PeerPlot& plot, std::size_t most = kMostPoints);

/// `map` with at most `most` columns, each the greatest score of the windows it stands for (NaN only when all
/// are); windows grow to the span that they cover together.
[[nodiscard]] ScoreMap thinned(const ScoreMap& map, std::size_t most = kMostPoints);

/// What a page's script draws, as JSON that may stand inside a <script>:
/// `{"peers":[...],"distributions":[...],"maps":[...]}`, lists that the figures of the page point into by
/// number. Series are packed (report/page_data.h); times are milliseconds after `t0`.
struct PageData {
  std::vector<const PeerPlot*> peers;
  std::vector<const DistributionPlot*> distributions;
  std::vector<const ScoreMap*> maps;
};
[[nodiscard]] std::string to_script_json(const PageData& data);

}  // namespace laggard::report
