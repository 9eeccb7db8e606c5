#include "model/cell_series.h"

#include <algorithm>
#include <iterator>
#include <utility>

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
  if (2 * numbers.size() < numbers.capacity()) numbers.shrink_to_fit();
}

void CellSeries::Piece::make_room(std::size_t count) {
  if (numbers.capacity() - numbers.size() >= count) return;
  // A sixteenth more, so that numbers that come one by one are not moved each time.
  const std::size_t wanted = numbers.size() - forgotten + count;
  std::vector<double> larger;
  larger.reserve(wanted + wanted / 16 + 4);
  larger.assign(numbers.begin() + static_cast<std::ptrdiff_t>(forgotten), numbers.end());
  numbers = std::move(larger);
  forgotten = 0;
}

double CellSeries::Piece::get(std::int64_t cell) const {
  if (cell >= end()) return kMissing;
  if (cell < numbers_begin()) return 0;
  return numbers[forgotten + static_cast<std::size_t>(cell - numbers_begin())];
}

template <class Self>
auto CellSeries::piece_at(Self& self, std::int64_t cell) -> decltype(&self.first_) {
  if (self.later_ && self.later_->front().begin <= cell) {
    return &*std::prev(std::ranges::upper_bound(*self.later_, cell, {}, &Piece::begin));
  }
  return self.first_.empty() || self.first_.begin > cell ? nullptr : &self.first_;
}

CellSeries::Piece& CellSeries::insert(std::int64_t begin) {
  if (first_.empty()) return first_ = {begin, 0, {}, 0};
  if (!later_) later_ = std::make_unique<std::vector<Piece>>();
  if (begin < first_.begin) {
    later_->insert(later_->begin(), std::exchange(first_, {begin, 0, {}, 0}));
    return first_;
  }
  return *later_->insert(std::ranges::upper_bound(*later_, begin, {}, &Piece::begin), {begin, 0, {}, 0});
}

double& CellSeries::place(std::int64_t cell) {
  Piece* piece = piece_at(*this, cell);
  if (piece == nullptr || cell - piece->end() > kLongestFill) piece = &insert(cell);
  if (cell < piece->numbers_begin()) {
    // Zeros become numbers from here on.
    const auto zeros = static_cast<std::size_t>(piece->numbers_begin() - cell);
    piece->make_room(zeros);
    piece->numbers.insert(piece->numbers.begin() + static_cast<std::ptrdiff_t>(piece->forgotten), zeros, 0.0);
    piece->zeros = cell - piece->begin;
  }
  const std::size_t live = piece->numbers.size() - piece->forgotten;
  const auto at = static_cast<std::size_t>(cell - piece->numbers_begin());
  if (at >= live) {
    piece->make_room(at + 1 - live);
    piece->numbers.resize(piece->forgotten + at + 1, kMissing);
  }
  return piece->numbers[piece->forgotten + at];
}

void CellSeries::set(std::int64_t cell, double value) { place(cell) = value; }

double CellSeries::get(std::int64_t cell) const {
  const Piece* const piece = piece_at(*this, cell);
  return piece == nullptr ? kMissing : piece->get(cell);
}

void CellSeries::set_zeros(std::int64_t begin, std::int64_t end) {
  if (begin >= end) return;
  Piece& before = last();
  if (!before.empty() && begin < before.end()) {
    for (std::int64_t cell = begin; cell < end; ++cell) set(cell, 0);
    return;
  }
  const bool follows = !before.empty() && before.end() == begin && before.numbers.size() == before.forgotten;
  (follows ? before : insert(begin)).zeros += end - begin;
}

void CellSeries::set_all(std::int64_t begin, std::span<const double> values) {
  if (values.empty()) return;
  if (!last().empty() && begin < last().end()) {
    for (std::size_t i = 0; i < values.size(); ++i) set(begin + static_cast<std::int64_t>(i), values[i]);
    return;
  }
  place(begin) = values[0];
  last().make_room(values.size() - 1);
  std::vector<double>& numbers = last().numbers;
  numbers.insert(numbers.end(), values.begin() + 1, values.end());
}

void CellSeries::copy_to_zeros(const CellRuns::Run& run, double* out, std::size_t stride) const {
  const auto at = [&](std::int64_t cell) -> double& {
    return out[static_cast<std::size_t>(cell - run.begin) * stride];
  };
  std::int64_t cell = run.begin;
  const auto copy = [&](const Piece& piece) {
    if (piece.end() <= cell || piece.begin >= run.end) return;
    for (; cell < piece.begin; ++cell) at(cell) = kMissing;
    cell = std::max(cell, std::min(run.end, piece.numbers_begin()));
    const std::int64_t last = std::min(run.end, piece.end());
    if (cell >= last) return;
    const double* from =
        piece.numbers.data() + piece.forgotten + static_cast<std::size_t>(cell - piece.numbers_begin());
    for (; cell < last; ++cell) at(cell) = *from++;
  };
  copy(first_);
  if (later_) std::ranges::for_each(*later_, copy);
  for (; cell < run.end; ++cell) at(cell) = kMissing;
}

void CellSeries::drop_before(std::int64_t cell) {
  if (later_) {
    std::erase_if(*later_, [cell](const Piece& p) { return p.end() <= cell; });
    if (!later_->empty() && first_.end() <= cell) {
      first_ = std::move(later_->front());
      later_->erase(later_->begin());
    }
    if (later_->empty()) later_.reset();
  }
  if (first_.end() <= cell) {
    first_ = {};
    return;
  }
  if (first_.begin >= cell) return;
  const std::int64_t gone = cell - first_.begin;
  const std::int64_t zeros_gone = std::min(gone, first_.zeros);
  first_.zeros -= zeros_gone;
  first_.begin = cell;
  first_.forget(static_cast<std::size_t>(gone - zeros_gone));
}

std::size_t CellSeries::stored() const {
  std::size_t sum = first_.numbers.size() - first_.forgotten;
  if (!later_) return sum;
  for (const Piece& piece : *later_) sum += piece.numbers.size() - piece.forgotten;
  return sum;
}

std::size_t CellSeries::capacity() const {
  std::size_t sum = first_.numbers.capacity();
  if (!later_) return sum;
  for (const Piece& piece : *later_) sum += piece.numbers.capacity();
  return sum;
}

}  // namespace laggard
