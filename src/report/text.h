#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "model/decision.h"
#include "model/diagnosis.h"

namespace laggard::report {

struct TextOptions {
  std::size_t width = 80;    ///< Columns of the terminal; below 40 counts as 40.
  bool colour = false;       ///< ANSI colours.
  std::size_t ranking = 10;  ///< How many components the ranking names at most.
};

/// The diagnosis for a person on a terminal: the verdict in one sentence first, then every incident with its
/// evidence, the ranking, and what could not be looked at. Ends with a line feed. Names are made harmless
/// (`printable`), so a device cannot write escape sequences to the operator's terminal.
[[nodiscard]] std::string to_text(const Diagnosis& diagnosis, const TextOptions& options = {});

/// A line for every hour with the persistence and the name of its most persistent components, the most
/// persistent first (T Fig 5.3).
///     2011-04-17T00:00:00Z  7 s61/lun102  6 s65/lun74
/// An hour without any has a dash.
[[nodiscard]] std::string to_history_text(std::span<const PersistenceRow> rows);

/// The same for programs: `from,rank,persistence,severity,group,component`, one line for each place in the
/// list.
[[nodiscard]] std::string to_history_csv(std::span<const PersistenceRow> rows);

/// A line for each incident, its id first because other commands ask for it; a sentence for each incident
/// that was repaired or excluded; then all decisions that were ever made. Ends with a line feed.
[[nodiscard]] std::string to_list_text(const Diagnosis& diagnosis, std::span<const Decision> decisions,
                                       const TextOptions& options = {});

/// A line for each decision; empty when there are none.
[[nodiscard]] std::string to_ledger_text(std::span<const Decision> decisions,
                                         const TextOptions& options = {});

/// A change for a person who watches a terminal, without a line feed and without anything that a terminal
/// obeys: `2026-11-20T19:21:30Z opened    #17 s3: disk-hog (storage), suspected; s3/loop23 (id 7f3a)`.
[[nodiscard]] std::string change_line(const Change& change);

}  // namespace laggard::report
