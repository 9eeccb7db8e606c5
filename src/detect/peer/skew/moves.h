#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace laggard::detect {

/// Which way series of throughputs move from one cell to the next: m = 1 up, -1 down, 0 when
/// |x(c) - x(c-1)| is at most `least` times its mean so far, or when one of the two is missing.
///
/// Differences, because a level that wanders slowly correlates with itself at every lag. Signs, because a
/// burst says when it came and not how much more than others it is: one that is a hundred times larger must
/// not weigh more than a hundred others.
class Moves {
 public:
  Moves(std::size_t series, double least) : least_(least), series_(series) {}

  /// One cell: a number per series, NaN where missing. \param out  as many.
  void take(std::span<const double> values, std::span<std::int8_t> out);

  /// The next cell does not follow the last one.
  void forget_last();

 private:
  struct Series {
    bool known = false;
    double last = 0;
    double sum = 0;  ///< Of |differences|.
    double count = 0;
  };
  double least_;
  std::vector<Series> series_;
};

}  // namespace laggard::detect
