#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/incident.h"
#include "report/quantity.h"

namespace laggard::report {

/// What one detector says of one component in one metric, over all the findings that an incident has of it.
struct MergedEvidence {
  Evidence evidence;  ///< Of the finding with the largest score; its windows are those of all findings.
  std::size_t findings = 0;  ///< How many there were.
};

/// An incident's evidence as people read it, in the order in which each piece was first met: a disk that
/// limps for weeks has the same one dozens of times. No evidence gives an empty list.
[[nodiscard]] std::vector<MergedEvidence> merged(std::span<const Evidence> evidence);

/// One column of an evidence table. Columns with no text in any row are not drawn.
struct EvidenceColumn {
  enum class Kind : std::uint8_t {
    kText,
    kNumber,
    kMainNumber,  ///< The number that a reader should see first.
    kMetric,      ///< The name of a metric; a page also says what it means.
    kComponent,   ///< The name of a component; on a page a button that follows it through all figures.
    kWindows,     ///< A sentence about moments.
  };
  std::string title;           ///< At the head of the column on a page; empty: not on a page.
  std::string terminal_title;  ///< The same on a terminal; empty: not on a terminal.
  Kind kind = Kind::kText;
  int importance = 0;  ///< On a terminal that is too narrow, the least important columns go first.
};

/// Evidence as a table. Text and page both draw it and know nothing of where it came from; nothing in it is
/// escaped.
struct EvidenceTable {
  struct Row {
    std::vector<std::string> cells;  ///< One for each column; empty where there is nothing to say.
    /// Equal in rows that say the same of different components: a list that is cut short keeps one of each.
    std::string what;
    std::string subject;  ///< What the note is about: `await of fs3/sdb`.
    std::string note;     ///< A clause for people; may be empty.
  };
  std::vector<EvidenceColumn> columns;
  std::vector<Row> rows;
  std::vector<std::string> meanings{};  ///< What the distance of each test in it is.
};

/// A table for each source of the incident's evidence that compares metrics, in the order in which the
/// sources first occur.
[[nodiscard]] std::vector<EvidenceTable> evidence_tables(const Incident& incident, const Clockface& clock);

/// `logs of metadata server mds1: 12 lines say that a disk failed`, for evidence that is of no metric. Its
/// payloads say the rest.
[[nodiscard]] std::string other_evidence(const Evidence& evidence);

}  // namespace laggard::report
