#include "model/cell_series.h"

#include <algorithm>

#include "base/missing.h"

namespace laggard {

namespace {

/// Missing cells that are stored rather than a new piece begun.
constexpr std::int64_t kLongestFill = 256;

}  // namespace

void CellRuns::add(std::int64_t begin, std::int64_t end) {
  if (begin >= end) return;
  // The first run that is not wholly before, and the first wholly behind; those between are joined.
  const auto first = std::lower_bound(runs_.begin(), runs_.end(), begin,
                                      [](const Run& r, std::int64_t c) { return r.end < c; });
  const auto last =
      std::upper_bound(first, runs_.end(), end, [](std::int64_t c, const Run& r) { return c < r.begin; });
  if (first == last) {
    runs_.insert(first, {begin, end});
    return;
  }
  first->begin = std::min(first->begin, begin);
  first->end = std::max(std::prev(last)->end, end);
  runs_.erase(std::next(first), last);
}

void CellRuns::drop_before(std::int64_t cell) {
  std::erase_if(runs_, [cell](const Run& r) { return r.end <= cell; });
  if (!runs_.empty()) runs_.front().begin = std::max(runs_.front().begin, cell);
}

void CellSeries::Piece::forget(std::size_t count) {
  forgotten += count;
  if (2 * forgotten < numbers.size()) return;
  numbers.erase(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(forgotten));
  forgotten = 0;
}

double& CellSeries::place(std::int64_t cell) {
  auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), cell,
                                [](std::int64_t c, const Piece& p) { return c < p.begin; });
  if (piece == pieces_.begin() || cell - std::prev(piece)->end() > kLongestFill) {
    piece = pieces_.insert(piece, Piece{cell, 0, {}, 0});
  } else {
    --piece;
  }
  if (cell < piece->numbers_begin()) {
    // Zeros become numbers from here on.
    piece->numbers.insert(piece->numbers.begin() + static_cast<std::ptrdiff_t>(piece->forgotten),
                          static_cast<std::size_t>(piece->numbers_begin() - cell), 0.0);
    piece->zeros = cell - piece->begin;
  }
  const std::size_t at = piece->forgotten + static_cast<std::size_t>(cell - piece->numbers_begin());
  if (at >= piece->numbers.size()) piece->numbers.resize(at + 1, kMissing);
  return piece->numbers[at];
}

void CellSeries::set(std::int64_t cell, double value) { place(cell) = value; }

double CellSeries::get(std::int64_t cell) const {
  const auto after = std::upper_bound(pieces_.begin(), pieces_.end(), cell,
                                      [](std::int64_t c, const Piece& p) { return c < p.begin; });
  if (after == pieces_.begin() || cell >= std::prev(after)->end()) return kMissing;
  const Piece& piece = *std::prev(after);
  if (cell < piece.numbers_begin()) return 0;
  return piece.numbers[piece.forgotten + static_cast<std::size_t>(cell - piece.numbers_begin())];
}

void CellSeries::set_zeros(std::int64_t begin, std::int64_t end) {
  if (begin >= end) return;
  const bool behind = pieces_.empty() || begin >= pieces_.back().end();
  if (!behind) {
    for (std::int64_t cell = begin; cell < end; ++cell) set(cell, 0);
    return;
  }
  const bool follows = !pieces_.empty() && pieces_.back().end() == begin &&
                       pieces_.back().numbers.size() == pieces_.back().forgotten;
  if (follows) {
    pieces_.back().zeros += end - begin;
  } else {
    pieces_.push_back({begin, end - begin, {}, 0});
  }
}

void CellSeries::set_all(std::int64_t begin, std::span<const double> values) {
  if (values.empty()) return;
  const bool behind = pieces_.empty() || begin >= pieces_.back().end();
  if (!behind) {
    for (std::size_t i = 0; i < values.size(); ++i) set(begin + static_cast<std::int64_t>(i), values[i]);
    return;
  }
  place(begin) = values[0];
  std::vector<double>& numbers = pieces_.back().numbers;
  numbers.insert(numbers.end(), values.begin() + 1, values.end());
}

void CellSeries::copy_to_zeros(const CellRuns::Run& run, double* out, std::size_t stride) const {
  const auto at = [&](std::int64_t cell) -> double& {
    return out[static_cast<std::size_t>(cell - run.begin) * stride];
  };
  std::int64_t cell = run.begin;
  for (const Piece& piece : pieces_) {
    if (piece.end() <= cell) continue;
    if (piece.begin >= run.end) break;
    for (; cell < piece.begin; ++cell) at(cell) = kMissing;
    cell = std::max(cell, std::min(run.end, piece.numbers_begin()));
    const std::int64_t last = std::min(run.end, piece.end());
    if (cell >= last) continue;
    const double* from =
        piece.numbers.data() + piece.forgotten + static_cast<std::size_t>(cell - piece.numbers_begin());
    for (; cell < last; ++cell) at(cell) = *from++;
  }
  for (; cell < run.end; ++cell) at(cell) = kMissing;
}

void CellSeries::drop_before(std::int64_t cell) {
  std::erase_if(pieces_, [cell](const Piece& p) { return p.end() <= cell; });
  if (pieces_.empty() || pieces_.front().begin >= cell) return;
  Piece& piece = pieces_.front();
  const std::int64_t gone = cell - piece.begin;
  const std::int64_t zeros_gone = std::min(gone, piece.zeros);
  piece.zeros -= zeros_gone;
  piece.begin = cell;
  piece.forget(static_cast<std::size_t>(gone - zeros_gone));
}

std::size_t CellSeries::stored() const {
  std::size_t sum = 0;
  for (const Piece& piece : pieces_) sum += piece.numbers.size() - piece.forgotten;
  return sum;
}

}  // namespace laggard
