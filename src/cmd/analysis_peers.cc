#include "cmd/analysis_peers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "archive/ledger.h"
#include "archive/recordings_in.h"
#include "cmd/read_recording.h"
#include "engine/one_client.h"
#include "topology/groups.h"
#include "topology/system_file.h"

namespace laggard::cmd {

namespace {

/// A description that lies in a recording but is not asked for: whoever forgets it gets another verdict.
void point_at_systems(const AnalysisOptions& options, AnalysisSetup& setup) {
  for (const std::filesystem::path& recording : options.recordings) {
    const std::filesystem::path file = recording / "system.toml";
    std::error_code none;
    if (!std::filesystem::is_regular_file(file, none)) continue;
    setup.remarks.push_back(
        fmt::format("{0} describes the system and is not used; --system {0} uses it", file.string()));
  }
}

}  // namespace

Status read_system(const AnalysisOptions& options, AnalysisSetup& setup) {
  if (options.system.empty()) return {};
  auto model = topology::load_system(options.system);
  if (!model) return forward(model);
  setup.system = std::move(*model);
  return {};
}

Status read_decisions(const AnalysisOptions& options, AnalysisSetup& setup) {
  std::vector<std::filesystem::path> ledgers;
  if (!options.ledger.empty()) {
    ledgers.emplace_back(options.ledger);
  } else {
    for (const std::filesystem::path& path : options.recordings) {
      std::ranges::transform(archive::recordings_in(path), std::back_inserter(ledgers), archive::ledger_of);
    }
  }
  for (const std::filesystem::path& ledger : ledgers) {
    auto decisions = archive::read_ledger(ledger);
    if (!decisions) return forward(decisions);
    setup.decisions.insert(setup.decisions.end(), decisions->begin(), decisions->end());
  }
  std::ranges::stable_sort(setup.decisions, {}, &Decision::made);
  return {};
}

Status group_peers(const AnalysisOptions& options, AnalysisSetup& setup) {
  if (options.system.empty()) point_at_systems(options, setup);
  if (setup.inventory.devices.empty()) {  // Of events alone nobody is compared.
    if (setup.system) setup.grouping = topology::parts_alone(*setup.system);
    return {};
  }
  topology::GroupingOptions grouping;
  if (options.peers == "rank") grouping.peers = DiskPeers::kRank;
  if (options.peers == "host") grouping.peers = DiskPeers::kHost;
  if (options.peers == "all") grouping.peers = DiskPeers::kAll;
  const TimeSpan span = recorded_span(setup.inventory, setup.request);
  std::vector<Decision> heeded;
  if (options.heed_decisions) heeded = standing(setup.decisions);
  if (!heeded.empty() || !options.left_out.empty()) {
    // Whom operators exclude only for a time the pipeline leaves out for that time.
    grouping.left_out = [&heeded, &options, span](const Grouping& groups, const Component& component) {
      const bool named = std::ranges::any_of(options.left_out, [&](const std::string& name) {
        return name == component.host || name == component.name;
      });
      return named || excluded_throughout(groups, component, heeded, span);
    };
  }
  auto groups = topology::make_groups(setup.inventory, setup.system ? &*setup.system : nullptr, grouping);
  if (!groups) return forward(groups);
  setup.grouping = std::move(*groups);
  if (options.one_client) {
    const std::string client = engine::OneClient(setup.grouping).client();
    setup.remarks.push_back("connections: " + (client.empty() ? "all, since no client is known"
                                                              : "only the windows of " + client));
  }
  // Who is connected with whom stands in the grouping now.
  if (setup.system) setup.system->topology = {};
  setup.pipeline.interventions = Interventions(setup.grouping, heeded);
  return {};
}

std::filesystem::path ledger_for(const AnalysisOptions& options) {
  if (!options.ledger.empty()) return options.ledger;
  return archive::ledger_of(options.recordings.front());
}

}  // namespace laggard::cmd
