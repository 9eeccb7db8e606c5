#include "detect/peer/compare/tile_history.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/clones.h"
#include "base/error.h"
#include "base/missing.h"

namespace laggard::detect {

namespace {

constexpr std::size_t kTile = TileHistory::kTile;

/// Beyond this a sample is no measurement of anything, and sums of samples could overflow.
constexpr double kLargest = 1e300;

/// Notes of which tiles some sample is not 0: who is missing is not 0 either, -0 is.
LAGGARD_CLONES void find_awake(const double* raw, std::span<std::uint8_t> awake) {
  for (std::size_t t = 0; t < awake.size(); ++t) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < kTile; ++i) bits |= std::bit_cast<std::uint64_t>(raw[t * kTile + i]) << 1U;
    awake[t] = bits != 0 ? 1 : 0;
  }
}

/// Puts 0 in the place of what is missing. \return whether nothing is.
LAGGARD_CLONES bool clean_row(const double* raw, double* clean) {
  unsigned missing = 0;
  for (std::size_t i = 0; i < kTile; ++i) clean[i] = std::abs(raw[i]) <= kLargest ? raw[i] : 0.0;
  for (std::size_t i = 0; i < kTile; ++i) missing += std::abs(raw[i]) <= kLargest ? 0U : 1U;
  return missing == 0;
}

LAGGARD_CLONES bool has_work(const double* row) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < kTile; ++i) bits |= std::bit_cast<std::uint64_t>(row[i]) << 1U;
  return bits != 0;
}

/// Rows of kTile numbers, `count` of them in use, the oldest first; behind the last row comes row 0.
struct Ring {
  const double* numbers = nullptr;
  std::size_t rows = 0;
  std::size_t oldest = 0;
  std::size_t count = 0;
};

/// The first row's sample first; 0 / 0 is NaN.
LAGGARD_CLONES void average(const Ring& ring, const double* count, double* out) {
  double sum[kTile] = {};
  const std::size_t before_end = std::min(ring.count, ring.rows - ring.oldest);
  const double* row = ring.numbers + ring.oldest * kTile;
  for (std::size_t r = 0; r < before_end; ++r, row += kTile) {
    for (std::size_t i = 0; i < kTile; ++i) sum[i] += row[i];
  }
  row = ring.numbers;
  for (std::size_t r = before_end; r < ring.count; ++r, row += kTile) {
    for (std::size_t i = 0; i < kTile; ++i) sum[i] += row[i];
  }
  for (std::size_t i = 0; i < kTile; ++i) out[i] = sum[i] / count[i];
}

/// Who is not 0 in some row; -0 is 0.
LAGGARD_CLONES unsigned busy_in(std::span<const double> rows) {
  std::uint64_t bits[kTile] = {};
  for (std::size_t at = 0; at < rows.size(); at += kTile) {
    for (std::size_t i = 0; i < kTile; ++i) bits[i] |= std::bit_cast<std::uint64_t>(rows[at + i]) << 1U;
  }
  unsigned busy = 0;
  for (std::size_t i = 0; i < kTile; ++i) busy |= (bits[i] != 0 ? 1U : 0U) << i;
  return busy;
}

}  // namespace

TileHistory::TileHistory(const Spec& spec, std::size_t components)
    : components_(components),
      smoothing_(static_cast<std::int64_t>(spec.smoothing)),
      size_(static_cast<std::int64_t>(spec.size)),
      depth_(std::max(smoothing_, size_)),
      tiles_((components + kTile - 1) / kTile),
      awake_(tiles_.size()) {
  LAGGARD_CHECK(spec.smoothing >= 1 && spec.size >= 1 && components >= 1);
}

TileHistory::Mask TileHistory::all_of(std::size_t tile) const {
  const std::size_t width = std::min(kTile, components_ - tile * kTile);
  return static_cast<Mask>((1U << width) - 1);
}

bool TileHistory::push(std::span<const double> raw) {
  LAGGARD_CHECK(raw.size() == components_);
  ++step_;
  raw_at_ = static_cast<std::size_t>(step_ % smoothing_);
  smoothed_at_ = static_cast<std::size_t>(step_ % size_);
  const std::size_t full = components_ / kTile;
  find_awake(raw.data(), std::span(awake_).first(full));
  bool any = false;
  for (std::size_t t = 0; t < full; ++t) {
    const Tile& tile = tiles_[t];
    const bool rests = awake_[t] == 0 && tile.numbers == nullptr && tile.present == nullptr;
    any = rests || take(t, raw.data() + t * kTile) || any;
  }
  if (full == tiles_.size()) return any;
  double rest[kTile] = {};
  std::ranges::copy(raw.subspan(full * kTile), rest);
  return take(full, rest) || any;
}

/// One row of a tile; false when nobody has a sample.
bool TileHistory::take(std::size_t t, const double* raw) {
  Tile& tile = tiles_[t];
  const Mask all = all_of(t);
  unsigned here = all;
  double clean[kTile];
  if (!clean_row(raw, clean)) {
    for (std::size_t i = 0; i < kTile; ++i) here &= ~((std::abs(raw[i]) <= kLargest ? 0U : 1U) << i);
  }
  if (has_work(clean)) tile.busy_at = step_;
  note_holes(tile, static_cast<Mask>(here), all);
  store(tile, clean);
  release(tile);
  return here != 0;
}

void TileHistory::note_holes(Tile& tile, Mask here, Mask all) const {
  if (here != all) tile.holed_at = step_;
  if (here == all && tile.present == nullptr) return;
  const auto depth = static_cast<std::size_t>(depth_);
  if (tile.present == nullptr) {
    tile.present = std::make_unique<Mask[]>(depth);
    std::fill_n(tile.present.get(), depth, all);
  }
  tile.present[static_cast<std::size_t>(step_) % depth] = here;
}

/// How many samples of the average's span are there, of each.
void TileHistory::count_present(const Tile& tile, double* count) const {
  const std::int64_t first = std::max<std::int64_t>(0, step_ - smoothing_ + 1);
  if (tile.present == nullptr || tile.holed_at < first) {
    std::fill_n(count, kTile, static_cast<double>(step_ - first + 1));
    return;
  }
  std::fill_n(count, kTile, 0.0);
  for (std::int64_t step = first; step <= step_; ++step) {
    const unsigned here = tile.present[static_cast<std::size_t>(step % depth_)];
    for (std::size_t i = 0; i < kTile; ++i) count[i] += (here >> i & 1U) != 0 ? 1 : 0;
  }
}

/// Puts a raw row and its average into their rings.
void TileHistory::store(Tile& tile, const double* clean) const {
  const auto raw_rows = static_cast<std::size_t>(smoothing_);
  if (tile.numbers == nullptr) {
    if (tile.busy_at != step_) return;
    tile.numbers = std::make_unique<double[]>((raw_rows + static_cast<std::size_t>(size_)) * kTile);
  }
  double* const raw = tile.numbers.get();
  std::copy_n(clean, kTile, raw + raw_at_ * kTile);
  double count[kTile];
  count_present(tile, count);
  const bool begins = step_ < smoothing_;
  average({raw, raw_rows, begins ? 0 : (raw_at_ + 1) % raw_rows, begins ? raw_at_ + 1 : raw_rows}, count,
          raw + (raw_rows + smoothed_at_) * kTile);
}

/// What can be told without the tile's memory goes back.
void TileHistory::release(Tile& tile) const {
  if (step_ - tile.busy_at >= smoothing_ + size_) tile.numbers.reset();
  if (step_ - tile.holed_at >= depth_) tile.present.reset();
}

TileHistory::Shown TileHistory::look(std::size_t t) const {
  const Tile& tile = tiles_[t];
  const Mask all = all_of(t);
  unsigned holed = 0;
  if (tile.present != nullptr) {
    for (std::int64_t step = step_ - size_ + 1; step <= step_; ++step) {
      holed |= static_cast<unsigned>(all & ~tile.present[static_cast<std::size_t>(step % depth_)]);
    }
  }
  unsigned busy = holed;
  if (tile.numbers != nullptr) {
    const std::span numbers(tile.numbers.get(), static_cast<std::size_t>(smoothing_ + size_) * kTile);
    busy |= busy_in(numbers.subspan(static_cast<std::size_t>(smoothing_) * kTile));
  }
  return {static_cast<std::uint32_t>(t), static_cast<Mask>(busy & all), static_cast<Mask>(holed)};
}

/// The busy components' samples, row by row; `stride` lies between rows.
void TileHistory::copy(const Shown& shown, double* to, std::size_t stride) const {
  const Tile& tile = tiles_[shown.tile];
  static constexpr double kRest[kTile] = {};
  const double* const smoothed =
      tile.numbers ? tile.numbers.get() + static_cast<std::size_t>(smoothing_) * kTile : nullptr;
  const auto rows = static_cast<std::size_t>(size_);
  std::size_t slot = smoothed_at_;
  for (std::int64_t step = step_ - size_ + 1; step <= step_; ++step, to += stride) {
    slot = slot + 1 == rows ? 0 : slot + 1;
    const double* const row = smoothed != nullptr ? smoothed + slot * kTile : kRest;
    if (shown.busy == 0xff && shown.holed == 0) {
      std::copy_n(row, kTile, to);
      continue;
    }
    const unsigned here = shown.holed == 0 ? ~0U : tile.present[static_cast<std::size_t>(step % depth_)];
    double* at = to;
    for (std::size_t i = 0; i < kTile; ++i) {
      if ((shown.busy >> i & 1U) != 0) *at++ = (here >> i & 1U) != 0 ? row[i] : kMissing;
    }
  }
}

void TileHistory::gather(WindowMemory& window) const {
  LAGGARD_CHECK(step_ + 1 >= size_);
  window.busy.clear();
  window.holed.clear();
  std::vector<Shown> shown;
  for (std::size_t t = 0; t < tiles_.size(); ++t) {
    if (tiles_[t].numbers == nullptr && tiles_[t].present == nullptr) continue;
    const Shown one = look(t);
    if (one.busy == 0) continue;
    shown.push_back(one);
    for (std::size_t i = 0; i < kTile; ++i) {
      const auto component = static_cast<std::uint32_t>(t * kTile + i);
      if ((one.busy >> i & 1U) != 0) window.busy.push_back(component);
      if ((one.holed >> i & 1U) != 0) window.holed.push_back(component);
    }
  }
  const std::size_t width = window.busy.size();
  const std::size_t numbers = static_cast<std::size_t>(size_) * width;
  if (window.values.capacity() < numbers) {
    // Nothing that is there is needed, nor room for twice as much.
    window.values = std::vector<double>();
    window.values.reserve(numbers + numbers / 16);
  }
  window.values.resize(numbers);
  double* to = window.values.data();
  for (const Shown& one : shown) {
    copy(one, to, width);
    to += std::popcount(one.busy);
  }
}

std::size_t TileHistory::held() const {
  const auto awake = std::ranges::count_if(tiles_, [](const Tile& tile) { return tile.numbers != nullptr; });
  return static_cast<std::size_t>(awake) * static_cast<std::size_t>(smoothing_ + size_) * kTile;
}

}  // namespace laggard::detect
