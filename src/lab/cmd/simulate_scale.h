#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/workers.h"

namespace laggard::lab {

/// The site on which disks fail (T §6.3).
inline constexpr std::string_view kRaidLaboratory = "raid";

/// Options of `laggard-lab simulate --scale SITE`.
struct ScaleOptions {
  std::string site;        ///< Empty: no scale run.
  std::size_t arrays = 0;  ///< Replaces the site's number of arrays, unless 0.
  std::vector<std::string> incidents;
  std::size_t random_incidents = 0;
  std::string interval = "15s";
  std::string day = "2011-05-09";
  std::string duration = "24h";
  std::string workload = "ddr";  ///< Of the laboratory's clients.
  std::size_t threads = all_threads();
  std::string out;
  unsigned long long seed = 1;
};

/// Declares --scale and its related options.
void add_scale_options(CLI::App& command, ScaleOptions& options);

/// Writes the recording of a production site: samples, system.toml, truth.json.
[[nodiscard]] Status simulate_scale(const ScaleOptions& options);

}  // namespace laggard::lab
