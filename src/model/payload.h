#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "base/missing.h"
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
    /// Where `own` is an estimate: with 90 % it lies between these.
    double low = kMissing;
    double high = kMissing;
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

/// A number for each pair of a row and a column: of whose requests to what a share failed.
struct GridPayload {
  std::string unit;
  std::string row_kind;     ///< What the rows are: client.
  std::string column_kind;  ///< target
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  std::vector<double> values;  ///< Row after row; NaN where nothing is known.
  bool in_time = false;        ///< Columns are moments that follow each other: to be looked at, not read.
  bool operator==(const GridPayload&) const = default;
};

/// What the subject's time, or calls, are made of, part within part, beside what a healthy peer's are: from
/// this flame graphs are drawn.
struct FlamesPayload {
  struct Frame {
    std::string name;
    std::size_t depth = 0;  ///< 0: the whole, which is the first and the only one.
    double own = 0;         ///< Of the subject, with all the parts of this frame: never less than their sum.
    double peers = 0;       ///< The same of a healthy peer.
    bool operator==(const Frame&) const = default;
  };
  std::string unit;
  std::vector<Frame> frames;  ///< Each is followed by its parts, which are one deeper.
  bool operator==(const FlamesPayload&) const = default;
};

struct Payload {
  std::string title;
  std::variant<SeriesPayload, DistributionPayload, TablePayload, RankedPayload, LinesPayload, GridPayload,
               FlamesPayload>
      shape;
  bool operator==(const Payload&) const = default;
};

}  // namespace laggard
