#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "cmd/program.h"
#include "cmd/progress.h"
#include "collect/import/import.h"
#include "collect/import/unpack.h"
#include "model/observation_source.h"

namespace laggard::cmd {

// What all kinds of `laggard import` have in common: options, the display, and what is said at the end.

struct ImportOptions {
  std::string out;
  bool json = false;
};

void add_common(CLI::App& command, ImportOptions& common);

/// Options that may be given several times, or once with commas, and never take the word after their value.
CLI::Option* add_list(CLI::App& command, const std::string& name, std::vector<std::string>& list,
                      const std::string& help);

/// What packed files may unpack to.
void add_max_unpacked(CLI::App& command, collect::UnpackLimits& limits, const std::string& otherwise);

/// The line on a terminal that says how far the import is, and the notices above it.
class ImportDisplay final : public collect::ImportObserver {
 public:
  explicit ImportDisplay(Clock& clock) : line_("importing", clock) {}

  void progress(const collect::ImportState& state) override;
  void notice(const std::string& sentence) override { line_.notice(sentence); }
  void clear() { line_.clear(); }

 private:
  SampleProgress line_;
};

/// What came of an import.
struct ImportCounts {
  std::uint64_t added = 0;
  std::uint64_t already_there = 0;
  bool made = false;  ///< There was no such recording before.
  std::string_view one = "sample";
  std::string_view many = "samples";
};

/// Says what came of an import, as text or JSON, with a sentence per error. \return the exit status.
[[nodiscard]] int finish_import(const ImportOptions& common, Result<collect::ImportResult> result,
                                const Status& closed, const ImportCounts& counts);

/// What is imported as events or profiles.
struct ImportedKinds {
  /// Of `laggard record`, which records the same: the two never write at the same time.
  std::string recorder;
  ObservationShape shape = ObservationShape::kEvents;
  std::vector<std::string> kinds;
  std::string_view one;
  std::string_view many;
};
/// Samples of code and their stacks.
[[nodiscard]] const ImportedKinds& code_kinds();
using ImportObservations =
    std::function<Result<collect::ImportResult>(ObservationSink& sink, collect::ImportObserver& observer)>;
/// Imports what the recording does not have yet. \return the exit status.
[[nodiscard]] int run_observation_import(const ImportOptions& common, const ImportedKinds& what,
                                         const ImportObservations& import);
/// What `--tz` says, east of Greenwich; nothing when it was not given.
[[nodiscard]] Result<std::optional<Duration>> zone_option(const std::string& text);
/// What one sample stands for, as `--frequency` says, in Hz; zero when it was not given.
[[nodiscard]] Result<Duration> frequency_option(const std::string& text);

}  // namespace laggard::cmd
