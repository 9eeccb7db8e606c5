#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "lab/cluster/scenario.h"

namespace laggard::lab {

/// One row of a table of results, in per cent.
struct PaperRow {
  std::string_view fault;  ///< `none`, disk-hog, …, or `aggregate`.
  double itp = 0;
  double ifp = 0;
  double dtp = 0;
  double dfp = 0;
};

/// What Kasick et al., FAST 2010, report of their algorithm on one cluster: 10 experiments for each of 5
/// workloads, so 50 behind each fault's row, 300 behind the aggregate's ITP and DTP, and 350 behind its IFP
/// and DFP, which include the control.
struct PaperTable {
  int number = 0;
  FileSystem file_system = FileSystem::kPvfs;
  std::size_t clients = 0;
  std::size_t servers = 0;
  std::array<PaperRow, 8> rows;
  /// §11: without the pairs in which packet loss cannot be observed.
  double observable_itp = 0;
  double observable_dtp = 0;

  [[nodiscard]] const PaperRow& row(std::string_view fault) const;
};

/// Tables 2 to 5.
[[nodiscard]] std::span<const PaperTable> paper_tables();
/// The table of such a cluster; null when the paper has none.
[[nodiscard]] const PaperTable* paper_table(std::string_view file_system, std::size_t clients,
                                            std::size_t servers);

inline constexpr std::size_t kPaperRuns = 10;  ///< Of each fault with each workload.

/// Whether a fault can show with a workload (docs/methods/peer.md): packet loss only where data flows in its
/// direction.
[[nodiscard]] bool observable(std::string_view fault, std::string_view workload);

}  // namespace laggard::lab
