#pragma once

#include <CLI/CLI.hpp>

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/cmd/campaign.h"
#include "lab/score/tally.h"

namespace laggard::lab {

/// The results of one method on one cluster.
struct MethodResults {
  std::string name;
  Tally tally;
  /// Median over the indicted runs of the faulty server's persistence less the largest of any other server's
  /// (T §6.4.1).
  std::optional<double> persistence_gap;
  /// Healthy servers that were anomalous at all, on average over the runs with a fault and over those without
  /// (T §6.4.1); nothing where there is no such run.
  std::optional<double> anomalous_beside_fault{};
  std::optional<double> anomalous_without_fault{};
};

/// One cluster's table of results.
struct ClusterResults {
  std::string file_system;
  std::size_t clients = 0;
  std::size_t servers = 0;
  std::size_t runs = 0;
  std::vector<MethodResults> methods;
  const PaperTable* paper = nullptr;  ///< Null where the paper has no such cluster.
};

/// \param runs  of one cluster, judged by all methods.
[[nodiscard]] ClusterResults summarize(const std::vector<CampaignRun>& runs,
                                       const std::vector<MethodSpec>& methods);

/// As Markdown: one table per method with the paper's figures, one by workload, latency, and how many cells
/// of the paper's table the method named `paper` reproduces.
[[nodiscard]] std::string to_markdown(const std::vector<ClusterResults>& results);
/// For sweeps: one line per method, and the claims of F §11.2.
[[nodiscard]] std::string to_sweep_markdown(const std::vector<ClusterResults>& results);
/// {"schema": "laggard.lab-score/1", …}: docs/cmd/lab.md.
[[nodiscard]] std::string to_score_json(const std::vector<ClusterResults>& results);
/// The Markdown's tables as one page that opens offline.
[[nodiscard]] std::string to_score_html(const std::vector<ClusterResults>& results);

/// Where the results go; `laggard-lab score` and `campaign` share these options.
struct ScoreOutput {
  std::string json;
  std::string html;
  std::string markdown;
};

void add_score_output(CLI::App& command, ScoreOutput& output);

/// Checks before the work whether the files can be written without overwriting `inputs`.
[[nodiscard]] Status check(const ScoreOutput& output, std::span<const std::filesystem::path> inputs = {});

/// Prints the tables, unless JSON goes to standard output, and writes the files.
[[nodiscard]] Status put_out(const ScoreOutput& output, const std::vector<ClusterResults>& results,
                             bool sweep);

}  // namespace laggard::lab
