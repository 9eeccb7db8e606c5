#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/node_set.h"
#include "base/terminal_text.h"
#include "base/text.h"
#include "base/time.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/shared_options.h"
#include "collect/pings/ping_backend.h"
#include "detect/pings/probing_plan.h"
#include "report/json_writer.h"
#include "topology/check.h"
#include "topology/groups.h"
#include "topology/system_file.h"

namespace laggard::cmd {

namespace {

struct PlanOptions {
  std::filesystem::path system;
  std::string clients = "*";
  std::string targets = "*";
  std::size_t k = 1;
  std::string interval = "60s";
  std::uint64_t seed = 1;
  std::string json;
};

/// What is planned for, by name.
struct Endpoints {
  std::vector<std::string> clients;
  std::vector<std::string> targets;
};

/// Clients of the file; as targets its LUNs and the disks that one server alone reaches, else its servers.
Result<Endpoints> endpoints(const Topology& topology, const PlanOptions& options) {
  Endpoints ends;
  const auto add = [](std::vector<std::string>& names, const std::string& pattern, std::string name) {
    if (glob_match(pattern, name)) names.push_back(std::move(name));
  };
  for (const Host& host : topology.hosts) {
    if (host.role == HostRole::kClient) add(ends.clients, options.clients, host.name);
  }
  for (const Lun& lun : topology.luns) add(ends.targets, options.targets, lun.name);
  for (const Disk& disk : topology.disks) {
    const Host& host = topology.hosts[disk.host.index()];
    if (host.role == HostRole::kServer) add(ends.targets, options.targets, host.name + "/" + disk.device);
  }
  if (topology.luns.empty() && topology.disks.empty()) {
    for (const Host& host : topology.hosts) {
      if (host.role == HostRole::kServer) add(ends.targets, options.targets, host.name);
    }
  }
  const std::string where = options.system.string();
  if (ends.clients.empty()) {
    return fail(ErrorCode::kBadInput, where,
                "no client to probe from: name them in a table [[clients]], and let --client match them");
  }
  if (ends.targets.empty()) return fail(ErrorCode::kBadInput, where, "nothing to probe: no target matches");
  return ends;
}

std::string title_of(const Part& part) { return std::string(part.kind.spec().title) + " " + part.name; }

std::string titles_of(const std::vector<Part>& parts) {
  std::vector<std::string> titles;
  titles.reserve(parts.size());
  for (const Part& part : parts) titles.push_back(title_of(part));
  constexpr std::size_t kMost = 5;
  return first_few(titles, kMost);
}

/// A line for all parts that the same others hide.
std::string hidden_text(const detect::ProbingPlan& plan, std::size_t k) {
  if (plan.hidden.empty()) {
    return fmt::format("\nWhichever {} at once, probes tell of each of the {} parts whether it works.\n",
                       k == 1 ? "one fails" : fmt::format("{} fail", k), plan.parts);
  }
  std::map<std::pair<bool, std::string>, std::vector<Part>> lines;
  for (const detect::HiddenPart& one : plan.hidden)
    lines[{!one.always, titles_of(one.by)}].push_back(one.part);
  std::string text =
      fmt::format("\nNot always told of, when {} at once (of {} parts)\n",
                  k == 1 ? "one part fails" : fmt::format("up to {} parts fail", k), plan.parts);
  for (const auto& [why, parts] : lines) {
    const auto& [is_partly, by] = why;
    const std::string what = printable(titles_of(parts));
    if (by.empty()) {
      text += fmt::format("  {}: no probe passes it\n", what);
    } else if (is_partly) {
      text += fmt::format("  {}: nobody knows while {} has failed\n", what, printable(by));
    } else {
      text += fmt::format("  {}: no probe can tell it from {}\n", what, printable(by));
    }
  }
  return text;
}

std::string plan_text(const detect::ProbingPlan& plan, const detect::ProbingPlanOptions& options) {
  std::string text =
      fmt::format("Probe {} target{} from {} client{} ({} of {} class{} of clients)\n", plan.targets.size(),
                  plan.targets.size() == 1 ? "" : "s", plan.clients(), plan.clients() == 1 ? "" : "s",
                  plan.monitors.size(), plan.classes, plan.classes == 1 ? "" : "es");
  for (const detect::ClientClass& each : plan.monitors) {
    text += fmt::format("  {}, chosen at random from {}\n", printable(fold_node_set(each.chosen)),
                        printable(fold_node_set(each.clients)));
  }
  constexpr double kBusySeconds = 0.01;
  const double per_target = plan.probes_per_minute(options);
  text += fmt::format(
      "\nLoad: {:.0f} probes a minute, {:.0f} of them to each target, a block each\n"
      "A target whose disk a probe keeps busy for 10 ms loses {:.2g} % of its time\n",
      per_target * static_cast<double>(plan.targets.size()), per_target,
      100 * per_target * kBusySeconds / 60);
  return text + hidden_text(plan, options.k);
}

void write_parts(report::JsonWriter& json, std::string_view key, const std::vector<Part>& parts) {
  json.key(key);
  json.begin_list();
  for (const Part& part : parts) {
    json.begin_object();
    json.member("kind", to_name(part.kind));
    json.member("name", part.name);
    json.end_object();
  }
  json.end_list();
}

std::string plan_json(const detect::ProbingPlan& plan, const detect::ProbingPlanOptions& options) {
  report::JsonWriter json(report::JsonWriter::Style::kReadable);
  json.begin_object();
  json.member("schema", "laggard.ping-plan/1");
  json.member("k", static_cast<double>(options.k));
  json.key("monitors");
  json.begin_list();
  for (const detect::ClientClass& each : plan.monitors) {
    json.begin_object();
    json.member("chosen", each.chosen);
    json.member("clients", each.clients);
    json.end_object();
  }
  json.end_list();
  json.member("targets", plan.targets);
  json.member("probes_per_minute_and_target", plan.probes_per_minute(options));
  json.member("parts", static_cast<double>(plan.parts));
  json.key("hidden");
  json.begin_list();
  for (const detect::HiddenPart& one : plan.hidden) {
    json.begin_object();
    json.member("kind", to_name(one.part.kind));
    json.member("name", one.part.name);
    json.key("always");
    json.boolean(one.always);
    write_parts(json, "by", one.by);
    json.end_object();
  }
  json.end_list();
  json.end_object();
  return json.take();
}

Result<int> run_plan(const PlanOptions& options) {
  const NamedOutput output{"--json", options.json};
  if (Status safe = check_outputs({&output, 1}, {&options.system, 1}); !safe) return forward(safe);
  auto interval =
      duration_option("--interval", options.interval, std::chrono::seconds(1), std::chrono::hours(1));
  if (!interval) return forward(interval);
  constexpr std::size_t kMostAtOnce = 3;
  if (options.k > kMostAtOnce) return fail(ErrorCode::kBadUse, "--k", "is 3 at most");
  auto text = read_file(options.system);
  if (!text) return forward(text);
  const auto reading = topology::read_system(*text, options.system.string());
  for (const Error& mistake : reading.mistakes) report_error(mistake);
  if (!reading.mistakes.empty()) return 2;
  auto grouping = topology::make_groups(topology::as_if_recorded(reading.model), &reading.model, {});
  if (!grouping) return forward(grouping);
  auto ends = endpoints(reading.model.topology, options);
  if (!ends) return forward(ends);
  std::mt19937_64 random(options.seed);
  const detect::ProbingPlanOptions settings{.k = options.k, .interval = *interval};
  const detect::ProbingPlan plan =
      detect::plan_probes(*grouping, ends->clients, ends->targets, settings, random);
  if (!options.json.empty()) {
    if (Status written = print_or_write(options.json, plan_json(plan, settings) + "\n"); !written) {
      return forward(written);
    }
  }
  if (options.json != "-") {
    if (Status printed = print(plan_text(plan, settings)); !printed) return forward(printed);
  }
  return 0;
}

}  // namespace

void add_ping_command(CLI::App& app, Context& context) {
  CLI::App* ping = app.add_subcommand("ping", "Plan which clients probe what");
  ping->require_subcommand(1);
  auto options = std::make_shared<PlanOptions>();
  CLI::App* plan = ping->add_subcommand(
      "plan", "Choose clients to probe from, and say which parts their probes cannot tell apart");
  plan->add_option("FILE", options->system, "The system file, with its clients")->required();
  const auto add = [&](const char* name, auto& value, const char* help, const char* type) {
    plan->add_option(name, value, help)->type_name(type)->capture_default_str();
  };
  add("--client", options->clients, "Only clients that match", "GLOB");
  add("--target", options->targets, "Only LUNs, disks or servers that match", "GLOB");
  add("--k", options->k, "So many parts that fail at once are to be told apart, 3 at most", "N");
  add("--interval", options->interval, "Between two probes of a target by a client", "TIME");
  add("--seed", options->seed, "Of the choice among clients that are alike", "N");
  plan->add_option("--json", options->json, "Write the plan as JSON to a file, - for standard output")
      ->option_text("FILE");
  std::string footer =
      "Example:\n  laggard ping plan system.toml --client 'login*'\n"
      "How far a backend of `laggard record pings` pins its requests:";
  for (const collect::PingBackend& backend : collect::ping_backends())
    footer += fmt::format("\n  {:8} {}", backend.name, backend.pins);
  plan->footer(footer);
  plan->callback([options, &context] {
    const Result<int> done = run_plan(*options);
    context.status = done ? *done : report_error(done.error());
  });
}

}  // namespace laggard::cmd
