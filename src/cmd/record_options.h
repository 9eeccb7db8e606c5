#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/time.h"

namespace laggard::cmd {

/// What every recorder is told on the command line, whatever it records.
struct RecordOptions {
  std::string out;
  std::string duration;
  std::string flush;  ///< Its default is the recorder's own.
  std::string keep;
  std::string max_size;
  std::string root = "/";
  std::string host;
};

/// `--out`, `--duration`, `--flush`, `--keep`, `--max-size`, `--root` and `--host`.
void add_record_options(CLI::App& command, RecordOptions& options);

struct RecordTimes {
  Duration flush{};
  std::optional<Duration> duration;  ///< Without it, until stopped.
};

/// `--flush` and `--duration`, from 100 ms to an hour and ten years.
[[nodiscard]] Result<RecordTimes> record_times(const RecordOptions& options);

}  // namespace laggard::cmd
