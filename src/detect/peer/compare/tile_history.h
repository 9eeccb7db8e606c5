#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace laggard::detect {

/// Where a stream writes the window that it hands out: scratch, which streams that are never used at the same
/// time share.
struct WindowMemory {
  std::vector<double> values;  ///< size x busy.size()
  std::vector<std::uint32_t> busy;
  std::vector<std::uint32_t> holed;
};

/// The last samples of n components in step, smoothed by a trailing moving average: at each step the mean of
/// the samples that are present among the last `smoothing` steps, this one included (T §3.3: 15 samples; F
/// §10.1: 5). Missing stays missing, so that absence is seen at once and never painted over. At the start the
/// span is shorter. Summed anew, oldest first, at each step: a running sum would drag the rounding errors of
/// a huge sample along for ever.
///
/// Memory: components lie in tiles of a few. A tile of which all samples were 0 for a window and a span holds
/// no numbers, and one of which none is missing no holes: in a large system that is nearly all of them. Other
/// tiles hold `smoothing` + `size` numbers per component.
class TileHistory {
 public:
  static constexpr std::size_t kTile = 8;

  struct Spec {
    std::size_t smoothing = 1;  ///< Samples of the moving average; at least 1.
    std::size_t size = 1;       ///< Samples of a window; at least 1.
  };
  TileHistory(const Spec& spec, std::size_t components);

  /// Takes the samples of the next step; what is not finite is missing. False when nobody has one.
  [[nodiscard]] bool push(std::span<const double> raw);

  /// The smoothed samples of the last `size` steps; as many have been pushed. Who is not busy is 0 at all of
  /// them, who is holed misses one; both ascend.
  void gather(WindowMemory& window) const;

  /// Numbers in memory, for tests.
  [[nodiscard]] std::size_t held() const;

 private:
  /// A bit for each component of a tile.
  using Mask = std::uint8_t;
  static_assert(kTile == 8);
  static constexpr std::int64_t kNever = -(std::int64_t{1} << 62);

  struct Tile {
    /// Rows of kTile: a ring of raw ones, then one of smoothed ones; null: all are 0.
    std::unique_ptr<double[]> numbers;
    std::unique_ptr<Mask[]> present;  ///< Whose samples are there, step by step; null: all.
    std::int64_t busy_at = kNever;    ///< The last step at which a sample was not 0 ...
    std::int64_t holed_at = kNever;   ///< ... and at which one was missing.
  };
  /// What a tile shows in a window.
  struct Shown {
    std::uint32_t tile = 0;
    Mask busy = 0;
    Mask holed = 0;
  };

  [[nodiscard]] Mask all_of(std::size_t tile) const;
  [[nodiscard]] bool take(std::size_t tile, const double* raw);
  void note_holes(Tile& tile, Mask here, Mask all) const;
  void store(Tile& tile, const double* clean) const;
  void count_present(const Tile& tile, double* count) const;
  void release(Tile& tile) const;
  [[nodiscard]] Shown look(std::size_t tile) const;
  void copy(const Shown& shown, double* to, std::size_t stride) const;

  std::size_t components_;
  std::int64_t smoothing_;
  std::int64_t size_;
  std::int64_t depth_;      ///< The longer of the two.
  std::int64_t step_ = -1;  ///< The last one that was pushed.
  std::size_t raw_at_ = 0;  ///< Its rows.
  std::size_t smoothed_at_ = 0;
  std::vector<Tile> tiles_;
  std::vector<std::uint8_t> awake_;  ///< Tiles of the newest step of which some sample is not 0.
};

}  // namespace laggard::detect
