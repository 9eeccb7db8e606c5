#pragma once

#include <string>
#include <variant>
#include <vector>

#include "base/time.h"

namespace laggard {

/// What a witness shows for its finding, in a few shapes that a report draws without knowing the witness.

/// Numbers at the same moments, the subject's line first.
struct SeriesPayload {
  struct Line {
    std::string name;
    std::vector<double> values;  ///< One for each time; NaN where missing.
    bool operator==(const Line&) const = default;
  };
  std::string unit;
  std::vector<WallTime> times;
  std::vector<Line> lines;
  bool operator==(const SeriesPayload&) const = default;
};

/// Values whose order in time does not matter, the subject's first.
struct DistributionPayload {
  struct Sample {
    std::string name;
    std::vector<double> sorted;  ///< Ascending.
    bool operator==(const Sample&) const = default;
  };
  std::string unit;
  std::vector<Sample> samples;
  bool operator==(const DistributionPayload&) const = default;
};

struct TablePayload {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  ///< Each as long as `columns`.
  bool operator==(const TablePayload&) const = default;
};

/// What counts for most, largest first: functions by their share of time, errors by their number.
struct RankedPayload {
  struct Entry {
    std::string name;
    double own = 0;    ///< Of the subject.
    double peers = 0;  ///< Of a healthy peer; NaN where none was looked at.
    bool operator==(const Entry&) const = default;
  };
  std::string unit;
  std::vector<Entry> entries;
  bool operator==(const RankedPayload&) const = default;
};

/// What was written or happened, in the order of time.
struct LinesPayload {
  struct Line {
    WallTime time;
    std::string text;
    bool operator==(const Line&) const = default;
  };
  std::vector<Line> lines;
  bool operator==(const LinesPayload&) const = default;
};

struct Payload {
  std::string title;
  std::variant<SeriesPayload, DistributionPayload, TablePayload, RankedPayload, LinesPayload> shape;
  bool operator==(const Payload&) const = default;
};

}  // namespace laggard
