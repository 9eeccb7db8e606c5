#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "archive/reader.h"
#include "base/node_set.h"
#include "cmd/read_recording.h"
#include "cmd/system_command.h"
#include "stats/rand_index.h"
#include "topology/discover.h"
#include "topology/discover/similar_throughput.h"
#include "topology/groups.h"
#include "topology/system_file.h"
#include "topology/system_text.h"

/// A first system file from a recording: who is there, and, asked for, who moves about as much as whom.
namespace laggard::cmd {

namespace {

struct DiscoverOptions {
  std::vector<std::filesystem::path> recordings;
  DiskPeers peers = DiskPeers::kAuto;
  SystemOutput output;
  bool by_throughput = false;
  std::string block = "10m";
  topology::SimilarOptions similar;
  std::string truth;
};

using Profiles = std::vector<topology::ThroughputProfile>;

Result<Profiles> read_profiles(SeriesSource& recording, const Inventory& inventory, Duration block) {
  ReadRequest request;
  request.kinds = {DeviceKind::kDisk};
  request.counters = {"rd_sectors", "wr_sectors", "throughput"};
  topology::ThroughputProfiles profiles(block);
  Status read = read_tables({recording, request, recorded_span(inventory, request)}, "discovering",
                            [&](std::span<const SampleTable> tables) {
                              for (const SampleTable& table : tables) profiles.add(table);
                            });
  if (!read) return forward(read);
  return profiles.profiles();
}

std::vector<std::string> names_of(const Profiles& profiles, const std::vector<std::size_t>& members) {
  std::vector<std::string> names;
  names.reserve(members.size());
  for (const std::size_t i : members) names.push_back(profiles[i].host + "/" + profiles[i].device);
  return names;
}

std::string proposal(const Profiles& profiles, const topology::SimilarGroups& found) {
  std::string text =
      "\n# Devices that moved about as much at the same times. Compare these in latency only: a device that "
      "moves\n"
      "# more or less than its peers because it is sick is not in their group.\n";
  for (std::size_t g = 0; g < found.groups.size(); ++g) {
    const std::string members = fold_node_set(names_of(profiles, found.groups[g]));
    text += fmt::format("[[peer_groups]]  # {} devices\nname    = \"similar-{}\"\nmembers = {}\n\n",
                        found.groups[g].size(), g + 1, topology::toml_string(members));
  }
  const auto mention = [&](const std::vector<std::size_t>& members, const char* what) {
    if (members.empty()) return;
    text += fmt::format("# {} {}: {}\n", members.size(), what, fold_node_set(names_of(profiles, members)));
  };
  mention(found.idle, "without load, so that nothing tells them apart");
  mention(found.alone, "like no two others");
  return text;
}

/// Which group a device is in; those in none have one of their own each.
std::vector<std::size_t> classes_found(std::size_t n, const topology::SimilarGroups& found) {
  std::vector<std::size_t> classes(n);
  for (std::size_t i = 0; i < n; ++i) classes[i] = found.groups.size() + i;
  for (std::size_t g = 0; g < found.groups.size(); ++g) {
    for (const std::size_t i : found.groups[g]) classes[i] = g;
  }
  return classes;
}

/// How well the proposed groups agree with those of a system file, over the devices that have load and are
/// in a group of the file.
Result<std::string> agreement(const DiscoverOptions& options, const Inventory& inventory,
                              const Profiles& profiles, const topology::SimilarGroups& found) {
  auto model = topology::load_system(options.truth);
  if (!model) return forward(model);
  auto grouping = topology::make_groups(inventory, &*model, {.peers = options.peers});
  if (!grouping) return forward(grouping);
  std::vector<std::optional<std::size_t>> group_of(grouping->components.size());
  for (std::size_t g = 0; g < grouping->groups.size(); ++g) {
    if (grouping->groups[g].second_only) continue;
    for (const ComponentId id : grouping->groups[g].members) group_of[id.index()] = g;
  }
  const std::vector<std::size_t> classes = classes_found(profiles.size(), found);
  std::vector<std::size_t> proposed;
  std::vector<std::size_t> true_groups;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    if (std::ranges::find(found.idle, i) != found.idle.end()) continue;
    const auto component = grouping->resolver.find(profiles[i].host, DeviceKind::kDisk, profiles[i].device);
    if (!component || !group_of[component->index()]) continue;
    proposed.push_back(classes[i]);
    true_groups.push_back(*group_of[component->index()]);
  }
  return fmt::format(
      "# Agreement with {} over {} devices under load: adjusted Rand index {:.3f} (1: the same)\n",
      options.truth, proposed.size(), stats::adjusted_rand_index(proposed, true_groups));
}

Result<std::string> discover(const DiscoverOptions& options) {
  auto reader = archive::Reader::open(options.recordings);
  if (!reader) return forward(reader);
  auto inventory = (*reader)->inventory();
  if (!inventory) return forward(inventory);
  auto text = topology::discover_system(*inventory, {.peers = options.peers});
  if (!text || !options.by_throughput) return text;
  auto block = parse_duration(options.block);
  if (!block) return fail(ErrorCode::kBadUse, "--block", block.error().what);
  if (*block < std::chrono::seconds(1))
    return fail(ErrorCode::kBadUse, "--block", "is shorter than a second");
  auto profiles = read_profiles(**reader, *inventory, *block);
  if (!profiles) return forward(profiles);
  const topology::SimilarGroups found = topology::group_by_throughput(*profiles, options.similar);
  *text += proposal(*profiles, found);
  if (options.truth.empty()) return text;
  auto agrees = agreement(options, *inventory, *profiles, found);
  if (!agrees) return forward(agrees);
  return *text + *agrees;
}

}  // namespace

void add_system_discover(CLI::App& system, Context& context) {
  auto options = std::make_shared<DiscoverOptions>();
  CLI::App* command =
      system.add_subcommand("discover", "Write a first system file from what a recording shows");
  command->add_option("REC", options->recordings, "Recordings of the system")->required();
  add_peers_option(*command, options->peers);
  CLI::Option* by = command->add_flag("--by-throughput", options->by_throughput,
                                      "Propose peer groups of devices that move about as much");
  command->add_option("--similar", options->similar.factor, "What no gap of this factor parts is similar")
      ->needs(by)
      ->check(CLI::Range(1.01, 100.0))
      ->capture_default_str();
  command->add_option("--block", options->block, "Traffic is compared in blocks of this length")
      ->needs(by)
      ->type_name("TIME")
      ->capture_default_str();
  command->add_option("--truth", options->truth, "A system file, to say how well the proposal agrees with it")
      ->needs(by)
      ->type_name("FILE");
  add_output_options(*command, options->output);
  command->footer(
      "Examples:\n  laggard system discover monday/ -o system.toml\n"
      "  laggard system discover monday/ --by-throughput");
  command->callback([options, &context] {
    const std::filesystem::path truth = options->truth;
    const auto status = write_output(options->output, {&truth, 1}, [&] { return discover(*options); });
    context.status = status ? *status : report_error(status.error());
  });
}

}  // namespace laggard::cmd
