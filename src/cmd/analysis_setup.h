#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "archive/reader_cache.h"
#include "base/error.h"
#include "base/workers.h"
#include "derive/derivation_table.h"
#include "detect/behaviour/code_measure.h"
#include "detect/peer/compare/preset.h"
#include "detect/peer/compare/thresholds.h"
#include "engine/algorithm.h"
#include "engine/detectors.h"
#include "engine/pipeline_options.h"
#include "model/decision.h"
#include "model/grouping.h"
#include "model/observation_source.h"
#include "model/series_source.h"

namespace laggard::cmd {

/// The options that `train` and `diagnose` share: what to read, and how to compare.
struct AnalysisOptions {
  std::vector<std::filesystem::path> recordings;
  std::string preset = "auto";
  std::vector<std::string> trained{};  ///< Presets that `auto` may choose from; empty: all.
  bool live = false;  ///< `auto` goes by how often samples are taken: how long was recorded says nothing.
  std::string system;
  std::string distances = "cdf";
  std::string code_distance = "manhattan";  ///< detect::CodeDistance by name.
  std::string code_weights;                 ///< A file (detect::read_weights); empty: none.
  std::string metrics;
  std::string from;
  std::string to;
  std::string algorithm = "laggard";
  bool one_client = false;
  std::string peers = "auto";
  // Every constant of the preset; unset means the preset's.
  std::optional<std::size_t> window_size;
  std::optional<std::size_t> window_shift;
  std::optional<std::size_t> smoothing;
  std::optional<std::size_t> k;
  std::optional<double> factor;
  std::optional<int> confirm_persistence;
  std::vector<std::string> parameters;  ///< NAME=VALUE, for detect::set_parameter.
  std::string step;
  std::string ledger;                     ///< Empty: those that lie in the recordings.
  std::vector<std::string> left_out;      ///< Hosts and components that are compared with nobody.
  bool heed_decisions = true;             ///< Without: as if nobody had repaired or excluded anything.
  archive::ReaderCache* cache = nullptr;  ///< Of whoever reads the same recordings again and again.
  std::size_t threads = 0;                ///< To work with; 0: as many as the machine runs at once.
  std::span<const DetectorSpec> detectors = engine::detector_table();            ///< Of events and profiles.
  std::span<const derive::Derivation> derivations = derive::derivation_table();  ///< Of events.
};

/// What `--code-distance` and `--code-weights` say.
[[nodiscard]] Result<detect::CodeMeasure> code_measure_of(const AnalysisOptions& options);

/// Declares them on a subcommand.
void add_analysis_options(CLI::App& command, AnalysisOptions& options);

/// Those of them that are numbers (constant_options.cc).
void add_constant_options(CLI::App& command, AnalysisOptions& options);

/// Everything that is known before the first sample is read.
struct AnalysisSetup {
  std::unique_ptr<Workers> workers;
  std::unique_ptr<SeriesSource> source;
  ObservationSource* observations = nullptr;  ///< Events and profiles of the same recordings; of `source`.
  std::vector<ObservationStream> streams;     ///< Those that somebody asks for.
  Inventory inventory;
  std::vector<TimeSpan> disorder;  ///< archive::Reader::disorder
  std::optional<SystemModel> system;
  Grouping grouping;
  detect::Preset preset;
  engine::PipelineOptions pipeline;
  std::optional<detect::Thresholds> thresholds;  ///< That a diagnosis is given.
  ReadRequest request;
  engine::Algorithm algorithm = engine::laggard_algorithm();
  std::vector<Decision>
      decisions;  ///< Of the operators' ledgers, undone ones too, in the order of their making.
  Duration sample_interval{};
  std::vector<std::string> uncompared;  ///< What no metric is made of, one sentence each.
  std::vector<std::string> remarks;     ///< What was chosen for the user, one sentence each.
};

[[nodiscard]] Result<AnalysisSetup> prepare(const AnalysisOptions& options);

/// Adds to the inventory's notices what has shown while values were read. What one thread would have met
/// first does not come first: the order is the same whoever read what.
void add_notices(AnalysisSetup& setup, std::vector<std::string> notices);
/// The same of files of which something could not be read.
void add_damaged(AnalysisSetup& setup, const std::vector<std::string>& files);

/// Reads all tables that the setup asks for and hands them to `consume`, a few at a time and in order, with a
/// progress bar on a terminal.
[[nodiscard]] Status read_all(AnalysisSetup& setup, std::string_view doing,
                              const std::function<void(std::span<const SampleTable>)>& consume);

}  // namespace laggard::cmd
