#include "cmd/system_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "archive/reader.h"
#include "base/file.h"
#include "base/node_set.h"
#include "base/terminal_text.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "report/json_writer.h"
#include "topology/check.h"
#include "topology/groups.h"
#include "topology/system_file.h"

namespace laggard::cmd {

void add_output_options(CLI::App& command, SystemOutput& output) {
  command.add_option("-o,--out", output.path, "File to write; standard output without it")
      ->option_text("FILE");
  command.add_flag("--force", output.force, "Overwrite the file");
}

Result<int> write_output(const SystemOutput& output, std::span<const std::filesystem::path> inputs,
                         const std::function<Result<std::string>()>& make) {
  std::error_code error;
  const bool to_file = !output.path.empty() && output.path != "-";
  if (to_file && !output.force && std::filesystem::is_regular_file(output.path, error)) {
    return fail(ErrorCode::kBadUse, output.path, "is there already; --force overwrites it");
  }
  const NamedOutput named{"--out", output.path};
  if (Status safe = check_outputs({&named, 1}, inputs); !safe) return forward(safe);
  const auto text = make();
  if (!text) return tl::unexpected<Error>(text.error());
  Status done = to_file ? write_file(output.path, *text) : print_document(with_escapes(*text));
  if (done && to_file) {
    done = print(fmt::format("Wrote {}. Read it, correct it, then: laggard system check {}\n",
                             printable(output.path), printable(output.path)));
  }
  if (!done) return forward(done);
  return kClean;
}

void add_peers_option(CLI::App& command, DiskPeers& peers) {
  const std::map<std::string, DiskPeers> words{{"auto", DiskPeers::kAuto},
                                               {"rank", DiskPeers::kRank},
                                               {"host", DiskPeers::kHost},
                                               {"all", DiskPeers::kAll}};
  command
      .add_option(
          "--peers", peers,
          "Which disks of several hosts are peers: rank (first with first), host (those of one host), all, "
          "or auto")
      ->transform(CLI::CheckedTransformer(words, CLI::ignore_case))
      ->option_text("MODE");
}

namespace {

struct CheckOptions {
  std::string file;
  std::vector<std::filesystem::path> recordings;
  DiskPeers peers = DiskPeers::kAuto;
  bool groups = false;
  bool strict = false;
  std::string json;
};

/// All that check has to say.
struct CheckReport {
  topology::SystemReading reading;
  std::vector<Error> differences;
  std::optional<Grouping> grouping;
};

/// What recordings hold.
Result<Inventory> read_inventory(const std::vector<std::filesystem::path>& recordings) {
  auto reader = archive::Reader::open(recordings);
  if (!reader) return forward(reader);
  return (*reader)->inventory();
}

Result<CheckReport> check(const CheckOptions& options) {
  auto text = read_file(options.file);
  if (!text) return forward(text);
  CheckReport report{
      .reading = topology::read_system(*text, options.file), .differences = {}, .grouping = std::nullopt};
  if (!report.reading.mistakes.empty()) return report;
  const SystemModel& model = report.reading.model;
  const topology::GroupingOptions grouping_options{.peers = options.peers};
  Inventory inventory = topology::as_if_recorded(model);
  if (!options.recordings.empty()) {
    auto recorded = read_inventory(options.recordings);
    if (!recorded) return forward(recorded);
    inventory = std::move(*recorded);
    report.differences = topology::differences(model, inventory, grouping_options);
  }
  // A file of servers without devices says nothing that can be grouped before there is a recording.
  if (inventory.devices.empty()) return report;
  auto grouping = topology::make_groups(inventory, &model, grouping_options);
  if (!grouping) return forward(grouping);
  report.grouping = std::move(*grouping);
  return report;
}

struct Count {
  std::string_view one;
  std::string_view many;
  std::size_t n = 0;
};

std::vector<Count> counts(const Topology& topology) {
  const auto hosts = [&](HostRole role) {
    return static_cast<std::size_t>(std::count_if(topology.hosts.begin(), topology.hosts.end(),
                                                  [&](const Host& host) { return host.role == role; }));
  };
  return {{"server", "servers", hosts(HostRole::kServer)},
          {"metadata server", "metadata servers", hosts(HostRole::kMetadataServer)},
          {"client", "clients", hosts(HostRole::kClient)},
          {"disk", "disks", topology.disks.size()},
          {"array", "arrays", topology.arrays.size()},
          {"controller", "controllers", topology.controllers.size()},
          {"LUN", "LUNs", topology.luns.size()},
          {"attachment", "attachments", topology.attachments.size()},
          {"drawer", "drawers", topology.drawers.size()},
          {"network", "networks", topology.networks.size()},
          {"named group", "named groups", topology.groups.size()}};
}

std::vector<std::string> member_names(const Grouping& grouping, const PeerGroup& group) {
  std::vector<std::string> names;
  names.reserve(group.members.size());
  for (const ComponentId id : group.members) names.push_back(grouping[id].name);
  return names;
}

std::string groups_text(const Grouping& grouping, bool members) {
  std::string text;
  std::size_t widest = 0;
  for (const PeerGroup& group : grouping.groups) widest = std::max(widest, printable(group.name).size());
  text += fmt::format("\n{} peer group{}\n", grouping.groups.size(), grouping.groups.size() == 1 ? "" : "s");
  for (const PeerGroup& group : grouping.groups) {
    text += fmt::format("  {:<{}}  {:>6} members{}", printable(group.name), widest, group.members.size(),
                        group.second_only ? ", to confirm" : "");
    const std::vector<std::string> names = member_names(grouping, group);
    text += fmt::format("  {}\n", printable(members ? fold_node_set(names)
                                                    : fmt::format("{} … {}", names.front(), names.back())));
  }
  if (!grouping.not_comparable.empty()) text += fmt::format("\nnot comparable\n");
  for (const std::string& sentence : grouping.not_comparable)
    text += fmt::format("  {}\n", printable(sentence));
  if (!grouping.notes.empty()) text += fmt::format("\nnotes\n");
  for (const std::string& sentence : grouping.notes) text += fmt::format("  {}\n", printable(sentence));
  return text;
}

std::string check_text(const CheckReport& report, const CheckOptions& options) {
  std::string summary;
  for (const Count& count : counts(report.reading.model.topology)) {
    if (count.n == 0) continue;
    summary +=
        fmt::format("{}{} {}", summary.empty() ? "" : ", ", count.n, count.n == 1 ? count.one : count.many);
  }
  const std::string& name = report.reading.model.name;
  std::string text = fmt::format("{}: sound: {}{}{}\n", printable(options.file), printable(name),
                                 name.empty() ? "" : ": ", summary);
  if (!report.differences.empty()) {
    text += fmt::format("\nThe recording differs\n");
    for (const Error& difference : report.differences) text += fmt::format("  {}\n", difference.message());
  }
  if (report.grouping) text += groups_text(*report.grouping, options.groups);
  return text;
}

void write_errors(report::JsonWriter& json, std::string_view key, const std::vector<Error>& errors) {
  json.key(key);
  json.begin_list();
  for (const Error& error : errors) {
    json.begin_object();
    json.member("where", error.where);
    json.member("what", error.what);
    json.end_object();
  }
  json.end_list();
}

std::string to_json(const CheckReport& report) {
  report::JsonWriter json(report::JsonWriter::Style::kReadable);
  json.begin_object();
  json.member("schema", "laggard.system-check/1");
  json.member("file", report.reading.model.path);
  write_errors(json, "mistakes", report.reading.mistakes);
  write_errors(json, "differences", report.differences);
  json.key("counts");
  json.begin_object();
  for (const Count& count : counts(report.reading.model.topology)) {
    std::string key{count.many};
    std::replace(key.begin(), key.end(), ' ', '_');
    json.integer_member(key, static_cast<std::int64_t>(count.n));
  }
  json.end_object();
  const Grouping nothing;
  const Grouping& grouping = report.grouping ? *report.grouping : nothing;
  json.key("groups");
  json.begin_list();
  for (const PeerGroup& group : grouping.groups) {
    json.begin_object();
    json.member("name", group.name);
    json.member("kind", to_name(group.kind));
    json.member("role", group.second_only ? "second" : "peers");
    json.member("members", member_names(grouping, group));
    json.end_object();
  }
  json.end_list();
  json.member("not_comparable", grouping.not_comparable);
  json.member("notes", grouping.notes);
  json.end_object();
  return json.take();
}

Result<int> run_check(const CheckOptions& options) {
  const NamedOutput output{"--json", options.json};
  const std::filesystem::path input = options.file;
  if (Status safe = check_outputs({&output, 1}, {&input, 1}); !safe) return forward(safe);
  auto report = check(options);
  if (!report) return forward(report);
  for (const Error& mistake : report->reading.mistakes) report_error(mistake);
  const bool sound = report->reading.mistakes.empty();
  if (!options.json.empty()) {
    if (Status written = print_or_write(options.json, to_json(*report) + "\n"); !written)
      return forward(written);
  }
  if (sound && options.json != "-") {
    if (Status printed = print(check_text(*report, options)); !printed) return forward(printed);
  }
  if (!sound) return kBadUse;
  return options.strict && !report->differences.empty() ? kFinding : kClean;
}

void finish(const Result<int>& status, Context& context) {
  context.status = status ? *status : report_error(status.error());
}

void add_check(CLI::App& system, Context& context) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = system.add_subcommand(
      "check", "Find the mistakes in a system file, and where it and a recording disagree");
  command->add_option("FILE", options->file, "The system file")->required();
  command->add_option("REC", options->recordings, "Recordings of the system, to compare the file with");
  add_peers_option(*command, options->peers);
  command->add_flag("--groups", options->groups, "List the members of each peer group");
  command->add_flag("--strict", options->strict, "Exit with status 1 when a recording differs from the file");
  command->add_option("--json", options->json, "Write the result as JSON to a file, - for standard output")
      ->option_text("FILE");
  command->footer("Example: laggard system check system.toml monday/ --groups");
  command->callback([options, &context] { finish(run_check(*options), context); });
}

}  // namespace

void add_system_command(CLI::App& app, Context& context) {
  CLI::App* system =
      app.add_subcommand("system", "Describe what is connected to what, and who is whose peer");
  system->require_subcommand(1);
  system->footer("The format: docs/formats/system.md");
  add_check(*system, context);
  add_system_discover(*system, context);
  add_system_import(*system, context);
}

}  // namespace laggard::cmd
