#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace laggard {

/// Cells of a grid that were seen, as runs: a recording has one run and a few more for its gaps, however
/// wrong a clock goes.
class CellRuns {
 public:
  struct Run {
    std::int64_t begin = 0;
    std::int64_t end = 0;  ///< Behind the last.
    bool operator==(const Run&) const = default;
  };

  /// Adds [begin, end).
  void add(std::int64_t begin, std::int64_t end);
  /// Forgets all cells before `cell`.
  void drop_before(std::int64_t cell);

  [[nodiscard]] bool empty() const { return runs_.empty(); }
  [[nodiscard]] const Run& front() const { return runs_.front(); }
  [[nodiscard]] std::span<const Run> runs() const { return runs_; }

 private:
  std::vector<Run> runs_;  ///< In order, neither touching nor overlapping.
};

/// Numbers of one member in one metric, cell by cell, that wait to be compared. What was never set is missing
/// (NaN). Most members of a large system are idle most of the time: stretches of zeros take no memory, and a
/// series that is one piece lies in one place.
class CellSeries {
 public:
  [[nodiscard]] double get(std::int64_t cell) const;
  void set(std::int64_t cell, double value);
  /// Sets [begin, end) to zero.
  void set_zeros(std::int64_t begin, std::int64_t end);
  /// Sets the cells from `begin` on.
  void set_all(std::int64_t begin, std::span<const double> values);

  /// Writes the cells of `run` to out[0], out[stride], …, which must hold zeros.
  void copy_to_zeros(const CellRuns::Run& run, double* out, std::size_t stride) const;
  /// Forgets all cells before `cell`.
  void drop_before(std::int64_t cell);

  /// Numbers in memory, for tests; and how many there is room for.
  [[nodiscard]] std::size_t stored() const;
  [[nodiscard]] std::size_t capacity() const;

 private:
  /// Zeros from `begin` on, then numbers.
  struct Piece {
    std::int64_t begin = 0;
    std::int64_t zeros = 0;
    std::vector<double> numbers;
    std::size_t forgotten = 0;  ///< Numbers at the front that no longer count; cut off now and then.
    [[nodiscard]] std::int64_t numbers_begin() const { return begin + zeros; }
    [[nodiscard]] std::int64_t end() const {
      return numbers_begin() + static_cast<std::int64_t>(numbers.size() - forgotten);
    }
    [[nodiscard]] bool empty() const { return end() == begin; }
    [[nodiscard]] double get(std::int64_t cell) const;
    void forget(std::size_t count);
    /// Makes room for so many numbers more, and hardly for others: many series wait at the same time.
    void make_room(std::size_t count);
  };

  /// Makes the cell's own place in memory, next to what is there or apart from it.
  double& place(std::int64_t cell);
  Piece& insert(std::int64_t begin);
  /// The last one that does not begin after the cell; null when there is none.
  template <class Self>
  [[nodiscard]] static auto piece_at(Self& self, std::int64_t cell) -> decltype(&self.first_);
  [[nodiscard]] Piece& last() { return later_ ? later_->back() : first_; }

  // Pieces in order, not overlapping.
  Piece first_;                                ///< Empty: there is none.
  std::unique_ptr<std::vector<Piece>> later_;  ///< Null: there are none.
};

}  // namespace laggard
