#pragma once

#include <string>

#include "base/error.h"
#include "cmd/analysis_setup.h"
#include "cmd/coordinator.h"
#include "engine/diagnoser.h"
#include "model/diagnosis.h"
#include "report/text.h"

namespace laggard::cmd {

struct DiagnoseOptions {
  AnalysisOptions analysis;
  std::string thresholds;
  std::string learn;  ///< Where to write what the recording's own days teach; empty: nobody learns.
  std::string rules;
  std::string log_patterns;
  std::string json;
  std::string html;
  std::string history;
  std::size_t history_top = 100;
  bool correct_skew = false;
  std::string resume;  ///< A checkpoint to go on from and to go on with; empty: none.
  bool check = false;
  bool quiet = false;
};

/// Declares what decides a verdict: recordings, windows, thresholds, rules.
void add_verdict_options(CLI::App& command, DiagnoseOptions& options);

/// What is known before the first sample is read. The preset of the thresholds is that of the analysis,
/// unless another was asked for.
[[nodiscard]] Result<AnalysisSetup> prepare_diagnosis(const DiagnoseOptions& options);

/// What a diagnoser is told of rules, thresholds and history.
[[nodiscard]] Result<engine::DiagnoserOptions> diagnoser_options(const DiagnoseOptions& options,
                                                                 const AnalysisSetup& setup);

/// What the days that are over taught goes into a file as `train` writes one; without such a day no file is
/// written.
[[nodiscard]] Status write_learnt(const engine::Diagnoser& diagnoser, const std::string& path);

/// Reads the recordings, judges them, prints and writes what the options ask for. \param coordinator  to
/// share the judging with; none: this process alone.
[[nodiscard]] Result<Diagnosis> diagnose(const DiagnoseOptions& options, AnalysisSetup& setup,
                                         Coordinator* coordinator = nullptr);

/// Both in one; on rank 0.
[[nodiscard]] Result<Diagnosis> diagnose(const DiagnoseOptions& options, Ranks& ranks);
/// The same of a process by itself.
[[nodiscard]] Result<Diagnosis> diagnose(const DiagnoseOptions& options);
/// The other ranks' part of it.
void help_diagnose(const DiagnoseOptions& options, Ranks& ranks);

/// As wide and as colourful as the terminal.
[[nodiscard]] report::TextOptions text_options();

}  // namespace laggard::cmd
