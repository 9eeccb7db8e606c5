#include "detect/peer/skew/lag_correlation.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/state_codec.h"

namespace laggard::detect {

namespace {

/// Cells that are worked off in one go.
constexpr std::int64_t kChunk = 64;

template <class Number>
void join_pairs(std::vector<Number>& blocks, std::size_t count, std::size_t width) {
  for (std::size_t b = 0; b < count; ++b) {
    const std::size_t into = b / 2 * width;
    for (std::size_t i = 0; i < width; ++i) {
      const Number value = blocks[b * width + i];
      blocks[into + i] = b % 2 == 0 ? value : static_cast<Number>(blocks[into + i] + value);
    }
  }
  blocks.resize((count + 1) / 2 * width);
}

}  // namespace

LagCorrelation::LagCorrelation(LagSpec spec) : spec_(spec), hosts_(spec.hosts) {
  LAGGARD_CHECK(spec.hosts >= 2 && spec.channels >= 1 && spec.reach >= 1 && spec.most_blocks >= 2);
  moves_.resize(spec.channels * spec.hosts * width());
  totals_.resize(spec.channels * width());
  moved_at_.assign(spec.channels, std::numeric_limits<std::int64_t>::min());
}

std::size_t LagCorrelation::width() const { return static_cast<std::size_t>(kChunk + 2 * spec_.reach); }

void LagCorrelation::append(std::span<const std::int8_t> moves) {
  for (std::size_t channel = 0; channel < spec_.channels; ++channel) {
    std::int32_t total = 0;
    bool moved = false;
    for (std::size_t h = 0; h < spec_.hosts; ++h) {
      const std::size_t series = channel * spec_.hosts + h;
      const std::int8_t move = moves.empty() ? std::int8_t{0} : moves[series];
      moves_[series * width() + filled_] = move;
      total += move;
      moved = moved || move != 0;
    }
    totals_[channel * width() + filled_] = total;
    if (moved) moved_at_[channel] = begin_ + static_cast<std::int64_t>(filled_);
  }
  ++filled_;
}

void LagCorrelation::append_silence(std::int64_t cells, Workers* workers) {
  const std::int64_t told = std::min(cells, static_cast<std::int64_t>(width()));
  for (std::int64_t i = 0; i < told; ++i) {
    append({});
    if (filled_ == width()) work_off(workers);
  }
  // All that is kept is silence now, of whatever cells.
  begin_ += cells - told;
}

void LagCorrelation::push(std::int64_t cell, std::span<const std::int8_t> moves, Workers* workers) {
  LAGGARD_CHECK(moves.size() == spec_.channels * spec_.hosts);
  if (!started_) {
    started_ = true;
    first_ = cell;
    last_ = cell - 1;
    begin_ = cell - spec_.reach;
    filled_ = static_cast<std::size_t>(spec_.reach);
  }
  LAGGARD_CHECK(cell > last_);
  append_silence(cell - last_ - 1, workers);
  last_ = cell;
  append(moves);
  if (filled_ == width()) work_off(workers);
}

void LagCorrelation::finish(Workers* workers) {
  if (started_) append_silence(static_cast<std::int64_t>(width()), workers);
}

void LagCorrelation::make_room(std::size_t blocks) {
  blocks_ = std::max(blocks_, blocks);
  for (Host& host : hosts_) {
    // Not by doubling: most recordings end before there are as many blocks as there may be.
    const std::size_t room = std::min(spec_.most_blocks, blocks_ + blocks_ / 8);
    if (host.products.capacity() < blocks_ * lags()) host.products.reserve(std::max(room, blocks_) * lags());
    host.products.resize(blocks_ * lags());
    host.own.resize(blocks_);
    host.others.resize(blocks_);
  }
}

/// Correlates the cells in the middle of the buffer and moves on to those that are behind them.
void LagCorrelation::work_off(Workers* workers) {
  const std::int64_t middle = begin_ + spec_.reach;
  const std::int64_t end = std::min(middle + kChunk, last_ + 1);
  if (middle < end) {
    while ((end - 1 - first_) / block_cells_ >= static_cast<std::int64_t>(spec_.most_blocks)) {
      for (Host& host : hosts_) {
        join_pairs(host.products, blocks_, lags());
        join_pairs(host.own, blocks_, 1);
        join_pairs(host.others, blocks_, 1);
      }
      blocks_ = (blocks_ + 1) / 2;
      block_cells_ *= 2;
    }
    make_room(static_cast<std::size_t>((end - 1 - first_) / block_cells_) + 1);
    run_all(workers, hosts_.size(), [&](std::size_t h) {
      for (std::size_t channel = 0; channel < spec_.channels; ++channel) {
        if (moved_at_[channel] >= begin_) correlate(h, channel, static_cast<std::size_t>(end - middle));
      }
    });
  }
  const auto chunk = static_cast<std::size_t>(kChunk);
  for (std::size_t row = 0; row < spec_.channels * spec_.hosts; ++row) {
    std::int8_t* cells = moves_.data() + row * width();
    std::copy(cells + chunk, cells + width(), cells);
  }
  for (std::size_t channel = 0; channel < spec_.channels; ++channel) {
    std::int32_t* cells = totals_.data() + channel * width();
    std::copy(cells + chunk, cells + width(), cells);
  }
  begin_ += kChunk;
  filled_ = width() - chunk;
}

void LagCorrelation::correlate(std::size_t host, std::size_t channel, std::size_t cells) {
  Host& mine = hosts_[host];
  const std::int8_t* moves = moves_.data() + (channel * spec_.hosts + host) * width();
  const std::int32_t* totals = totals_.data() + channel * width();
  mine.rest.resize(width());
  for (std::size_t i = 0; i < width(); ++i) mine.rest[i] = totals[i] - moves[i];
  const auto reach = static_cast<std::size_t>(spec_.reach);
  for (std::size_t c = 0; c < cells; ++c) {
    const std::int64_t cell = begin_ + static_cast<std::int64_t>(reach + c);
    const auto block = static_cast<std::size_t>((cell - first_) / block_cells_);
    const std::int64_t rest = mine.rest[reach + c];
    mine.others[block] += rest * rest;
    const std::int8_t move = moves[reach + c];
    if (move == 0) continue;
    mine.own[block] += 1;
    // others[k] is the move of the others k - reach cells later: lag reach - k.
    const std::int32_t* others = mine.rest.data() + c;
    std::int32_t* products = mine.products.data() + block * lags();
    if (move > 0) {
      for (std::size_t k = 0; k < lags(); ++k) products[k] += others[k];
    } else {
      for (std::size_t k = 0; k < lags(); ++k) products[k] -= others[k];
    }
  }
}

LagBlocks LagCorrelation::blocks(std::size_t host) const {
  const Host& mine = hosts_[host];
  LagBlocks blocks;
  blocks.first_cell = first_;
  blocks.last_cell = last_;
  blocks.block_cells = block_cells_;
  blocks.reach = spec_.reach;
  blocks.count = blocks_;
  blocks.products = mine.products;
  blocks.own = mine.own;
  blocks.others = mine.others;
  return blocks;
}

/// Whether all cells that follow fall into blocks and the buffer.
bool LagCorrelation::is_sound() const {
  constexpr std::int64_t kFarthest = std::int64_t{1} << 60;
  return first_ >= -kFarthest && last_ <= kFarthest && first_ <= last_ && filled_ < width() &&
         begin_ == last_ + 1 - static_cast<std::int64_t>(filled_) && begin_ + spec_.reach >= first_ &&
         block_cells_ >= kFirstBlockCells && block_cells_ <= kFarthest && blocks_ <= spec_.most_blocks;
}

/// What follows from the moves in the buffer.
void LagCorrelation::sum_up() {
  for (std::size_t channel = 0; channel < spec_.channels; ++channel) {
    std::int32_t* totals = totals_.data() + channel * width();
    std::fill(totals, totals + width(), 0);
    for (std::size_t h = 0; h < spec_.hosts; ++h) {
      const std::int8_t* moves = moves_.data() + (channel * spec_.hosts + h) * width();
      for (std::size_t i = 0; i < filled_; ++i) {
        totals[i] += moves[i];
        if (moves[i] != 0)
          moved_at_[channel] = std::max(moved_at_[channel], begin_ + static_cast<std::int64_t>(i));
      }
    }
  }
}

template <class State, class Self>
void LagCorrelation::exchange(State& state, Self& self) {
  state(self.started_);
  if (!self.started_) return;
  state(self.first_, self.last_, self.begin_, self.filled_, self.block_cells_, self.blocks_);
  if constexpr (State::kRestores) {
    state.require(self.is_sound());
    if (!state.ok()) return;
  }
  for (auto& host : self.hosts_) {
    state.numbers(host.products, self.blocks_ * self.lags());
    state.numbers(host.own, self.blocks_);
    state.numbers(host.others, self.blocks_);
    state.require(host.products.size() == self.blocks_ * self.lags() && host.own.size() == self.blocks_ &&
                  host.others.size() == self.blocks_);
  }
  std::vector<std::int8_t> moves;
  for (std::size_t row = 0; row < self.spec_.channels * self.spec_.hosts; ++row) {
    const auto cells = std::span(self.moves_).subspan(row * self.width(), self.filled_);
    if constexpr (!State::kRestores) moves.assign(cells.begin(), cells.end());
    state.numbers(moves, self.filled_);
    if constexpr (State::kRestores) {
      state.require(moves.size() == self.filled_ &&
                    std::ranges::all_of(moves, [](std::int8_t move) { return move >= -1 && move <= 1; }));
      if (!state.ok()) return;
      std::ranges::copy(moves, cells.begin());
    }
  }
  if constexpr (State::kRestores) self.sum_up();
}
template void LagCorrelation::exchange(StateWriter&, const LagCorrelation&);
template void LagCorrelation::exchange(StateReader&, LagCorrelation&);

}  // namespace laggard::detect
