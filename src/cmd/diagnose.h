#pragma once

#include <string>

#include "base/error.h"
#include "cmd/analysis_setup.h"
#include "model/incident.h"
#include "report/text.h"

namespace laggard::cmd {

struct DiagnoseOptions {
  AnalysisOptions analysis;
  std::string thresholds;
  std::string rules;
  std::string json;
  std::string html;
  std::string history;
  std::size_t history_top = 100;
  bool correct_skew = false;
  bool check = false;
  bool quiet = false;
};

/// Declares what decides a verdict: recordings, windows, thresholds, rules.
void add_verdict_options(CLI::App& command, DiagnoseOptions& options);

/// What is known before the first sample is read. The preset of the thresholds is that of the analysis,
/// unless another was asked for.
[[nodiscard]] Result<AnalysisSetup> prepare_diagnosis(const DiagnoseOptions& options);

/// Reads the recordings, judges them, prints and writes what the options ask for.
[[nodiscard]] Result<Diagnosis> diagnose(const DiagnoseOptions& options, AnalysisSetup& setup);

/// Both in one.
[[nodiscard]] Result<Diagnosis> diagnose(const DiagnoseOptions& options);

/// As wide and as colourful as the terminal.
[[nodiscard]] report::TextOptions text_options();

}  // namespace laggard::cmd
