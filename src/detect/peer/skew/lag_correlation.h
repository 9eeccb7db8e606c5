#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/workers.h"

namespace laggard::detect {

struct LagSpec {
  std::size_t hosts = 0;     ///< At least 2.
  std::size_t channels = 1;  ///< Series per host, each compared with the same of the others.
  std::int64_t reach = 60;   ///< Lags from -reach to reach, in cells.
  std::size_t most_blocks = 96;
};

/// How one host's moves fit those of all others, block of time by block of time.
struct LagBlocks {
  std::int64_t first_cell = 0;
  std::int64_t last_cell = 0;
  std::int64_t block_cells = 0;
  std::int64_t reach = 0;
  std::size_t count = 0;                   ///< Of blocks; the last one may be cut short.
  std::span<const std::int32_t> products;  ///< Block by block, lags from `reach` down to -reach.
  std::span<const std::int64_t> own;       ///< Per block: sum of m^2 ...
  std::span<const std::int64_t> others;    ///< ... and of o^2.

  [[nodiscard]] std::int32_t product(std::size_t block, std::int64_t lag) const {
    return products[block * static_cast<std::size_t>(2 * reach + 1) + static_cast<std::size_t>(reach - lag)];
  }
};

/// Correlates the moves of every host with the moves of all others, at many lags, in one pass and bounded
/// memory:
///
///   C_h(b, l) = sum over channels and cells c of block b of  m_h(c) o_h(c - l),   o_h = sum of m_g, g != h
///
/// What host h stamps late (its clock is ahead by s cells) correlates at lag s. Cells that were not pushed,
/// and those before the first and after the last, count as no move. Blocks begin as kFirstBlockCells cells;
/// when there are more than `most_blocks` of them every two become one, so that there are always at least
/// half as many. All numbers are integers: what comes out does not depend on the order of work.
class LagCorrelation {
 public:
  static constexpr std::int64_t kFirstBlockCells = 2;

  explicit LagCorrelation(LagSpec spec);

  /// The moves in one cell: channel by channel, a number of -1, 0, 1 per host. Cells grow.
  void push(std::int64_t cell, std::span<const std::int8_t> moves, Workers* workers);

  /// Nothing will be pushed any more. Before this the last cells have not met their future yet.
  void finish(Workers* workers);

  [[nodiscard]] LagBlocks blocks(std::size_t host) const;

  /// Its state before `finish` (base/state_codec.h), for one of the same spec.
  template <class State, class Self>
  static void exchange(State& state, Self& self);

 private:
  struct Host {
    std::vector<std::int32_t> products;
    std::vector<std::int64_t> own;
    std::vector<std::int64_t> others;
    std::vector<std::int32_t> rest;  ///< Scratch: o_h over the buffer.
  };

  [[nodiscard]] std::size_t lags() const { return static_cast<std::size_t>(2 * spec_.reach + 1); }
  [[nodiscard]] std::size_t width() const;
  void append(std::span<const std::int8_t> moves);
  void append_silence(std::int64_t cells, Workers* workers);
  void work_off(Workers* workers);
  void make_room(std::size_t blocks);
  void correlate(std::size_t host, std::size_t channel, std::size_t cells);
  [[nodiscard]] bool is_sound() const;
  void sum_up();

  LagSpec spec_;
  bool started_ = false;
  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
  std::int64_t block_cells_ = kFirstBlockCells;
  std::size_t blocks_ = 0;
  std::vector<Host> hosts_;

  // A stretch of cells: `reach` of the past, those to be worked off, `reach` of their future.
  std::int64_t begin_ = 0;  ///< Its first cell.
  std::size_t filled_ = 0;
  std::vector<std::int8_t> moves_;      ///< Channel by channel, host by host.
  std::vector<std::int32_t> totals_;    ///< Per channel: over the hosts.
  std::vector<std::int64_t> moved_at_;  ///< Per channel: the last cell with a move of anyone.
};

}  // namespace laggard::detect
