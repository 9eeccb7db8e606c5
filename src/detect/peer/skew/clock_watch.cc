#include "detect/peer/skew/clock_watch.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.h"
#include "base/text.h"

namespace laggard::detect {

void Moves::take(std::span<const double> values, std::span<std::int8_t> out) {
  LAGGARD_CHECK(values.size() == series_.size() && out.size() == series_.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    Series& series = series_[i];
    const double x = values[i];
    out[i] = 0;
    if (!std::isfinite(x)) {
      series.known = false;
      continue;
    }
    if (series.known) {
      const double difference = x - series.last;
      series.sum += std::abs(difference);
      series.count += 1;
      if (std::abs(difference) * series.count > least_ * series.sum) out[i] = difference > 0 ? 1 : -1;
    }
    series.known = true;
    series.last = x;
  }
}

void Moves::forget_last() {
  for (Series& series : series_) series.known = false;
}

namespace {

/// What is kept of a circle, in numbers of four bytes; large circles get fewer and longer blocks.
constexpr std::size_t kMostProducts = std::size_t{1} << 23;
constexpr std::size_t kMostBlocks = 96;

LagSpec spec_of(std::size_t hosts, const ClockOptions& options) {
  LagSpec spec;
  spec.hosts = hosts;
  spec.channels = kLoadChannels;
  spec.reach = options.reach;
  const std::size_t lags = hosts * static_cast<std::size_t>(2 * options.reach + 1);
  spec.most_blocks = std::clamp<std::size_t>(kMostProducts / lags, 16, kMostBlocks);
  return spec;
}

}  // namespace

ClockWatch::Circle::Circle(std::size_t hosts, const ClockOptions& options)
    : moves(hosts * kLoadChannels, options.least_move), correlation(spec_of(hosts, options)) {}

ClockWatch::ClockWatch(const HostCircles& circles, Grid grid, const ClockOptions& options, Workers* workers)
    : hosts_(circles), grid_(grid), options_(options), workers_(workers) {
  if (options.reach < 1) return;
  for (const std::vector<std::string>& hosts : circles.circles) circles_.emplace_back(hosts.size(), options);
}

void ClockWatch::take(const CellRuns::Run& run, std::span<const double> loads) {
  for (std::size_t c = 0; c < circles_.size(); ++c) {
    Circle& circle = circles_[c];
    const std::size_t width = hosts_.row_of(c);
    const std::size_t first = hosts_.first_of(c);
    if (run.begin != next_) circle.moves.forget_last();
    moves_.resize(width);
    for (std::int64_t cell = run.begin; cell < run.end; ++cell) {
      const auto k = static_cast<std::size_t>(cell - run.begin);
      circle.moves.take(loads.subspan(k * hosts_.row() + first, width), moves_);
      circle.correlation.push(cell, moves_, workers_);
    }
  }
  next_ = run.end;
}

void ClockWatch::finish() {
  for (Circle& circle : circles_) circle.correlation.finish(workers_);
}

ClockSkew ClockWatch::skew_of(const LagBlocks& blocks, const LagStretch& stretch) const {
  const auto cell_of = [&](std::size_t block) {
    return blocks.first_cell + static_cast<std::int64_t>(block) * blocks.block_cells;
  };
  ClockSkew skew;
  skew.from = grid_.begin(cell_of(stretch.begin));
  skew.to = grid_.end(std::min(cell_of(stretch.end) - 1, blocks.last_cell));
  skew.ahead = stretch.lag * grid_.step;
  skew.error = std::max(stretch.high - stretch.lag, stretch.lag - stretch.low) * grid_.step + grid_.step / 2;
  skew.correlation = stretch.correlation;
  skew.unmoved = stretch.unmoved;
  skew.sigmas = stretch.sigmas;
  return skew;
}

void ClockWatch::add_clock(const std::string& host, const LagBlocks& blocks, Clocks& clocks) const {
  bool right = false;
  bool off = false;
  for (const LagStretch& stretch : judge_lags(blocks, options_)) {
    right = right || stretch.is_right(options_);
    if (!stretch.is_off(options_)) continue;
    off = true;
    clocks.skewed.push_back(skew_of(blocks, stretch));
    clocks.skewed.back().host = host;
  }
  if (off) return;
  if (right) {
    ++clocks.agree;
  } else {
    clocks.unknown.push_back(host);
  }
}

Clocks ClockWatch::clocks() const {
  Clocks clocks;
  for (std::size_t c = 0; c < circles_.size(); ++c) {
    const std::vector<std::string>& hosts = hosts_.circles[c];
    for (std::size_t h = 0; h < hosts.size(); ++h) {
      add_clock(hosts[h], circles_[c].correlation.blocks(h), clocks);
    }
  }
  std::ranges::stable_sort(clocks.skewed, natural_less, &ClockSkew::host);
  std::ranges::sort(clocks.unknown, natural_less);
  return clocks;
}

}  // namespace laggard::detect
