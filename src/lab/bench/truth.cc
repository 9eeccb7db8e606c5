#include "lab/bench/truth.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "lab/bench/run_spec.h"

namespace laggard::lab::bench {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSwitchNames[] = {"sw1", "sw2"};

Json unix_seconds(const std::optional<WallTime>& t) {
  if (!t) return nullptr;
  const std::int64_t microseconds = to_unix_ns(*t) / 1000;
  return static_cast<double>(microseconds) * 1e-6;
}

/// A list of hosts.
template <typename Name>
Json hosts(const std::vector<std::size_t>& numbers, const Name& name) {
  Json list = Json::array();
  for (const std::size_t number : numbers) list.push_back(name(number));
  return list;
}

/// `"s1": …` for 1 .. n.
template <typename Name, typename Value>
Json members(std::size_t n, const Name& name, const Value& value) {
  Json object = Json::object();
  for (std::size_t i = 1; i <= n; ++i) object[name(i)] = value(i);
  return object;
}

Json describe(const Layout& layout, const FaultPlace& place) {
  const FaultRow& row = about(place.fault.kind);
  Json json;
  json["fault"] = row.name;
  json["family"] = row.family;
  json["resource"] = row.resource;
  json["strength"] = to_name(place.fault.strength);
  json["strikes"] = to_name(row.strikes);
  json["servers"] = hosts(faulty_servers({place}, layout), [&](std::size_t i) { return layout.server(i); });
  const std::vector<std::size_t> clients =
      row.strikes == Strikes::kClient ? place.numbers : std::vector<std::size_t>{};
  json["clients"] = hosts(clients, [&](std::size_t i) { return layout.client(i); });
  json["switch"] = row.strikes == Strikes::kSwitch ? Json(kSwitchNames[1]) : Json(nullptr);
  json["causes"] = split(row.causes, ' ');
  json["parameters"] = Json::object();
  for (const FaultParameter& parameter : row.parameters) {
    if (parameter.name.empty()) continue;
    json["parameters"][std::string(parameter.name)] = {
        {"value", value_of(place.fault.kind, place.fault.strength, parameter.name)},
        {"unit", parameter.unit}};
  }
  return json;
}

/// `a+b` of the names of all faults, or of their strengths.
template <typename Name>
std::string joined(const std::vector<FaultPlace>& faults, const Name& name) {
  std::string text;
  for (const FaultPlace& place : faults) {
    text += fmt::format("{}{}", text.empty() ? "" : "+", name(place.fault));
  }
  return text;
}

/// What was wrong, as far as it says where.
void add_places(Json& json, const Layout& layout, const Truth& truth) {
  const std::vector<std::size_t> servers = faulty_servers(truth.faults, layout);
  const bool sick = !truth.faults.empty();
  const auto server = [&](std::size_t i) { return layout.server(i); };
  json["fault"] =
      sick ? joined(truth.faults, [](const SizedFault& f) { return to_name(f.kind); }) : std::string("none");
  json["faulty_server"] = servers.empty() ? Json(nullptr) : Json(layout.server(servers.front()));
  json["fault_start"] = unix_seconds(truth.fault_start);
  json["fault_stop"] = unix_seconds(truth.fault_stop);
  json["strength"] =
      sick ? Json(joined(truth.faults, [](const SizedFault& f) { return to_name(f.strength); })) : nullptr;
  json["faulty_servers"] = hosts(servers, server);
  json["faulty_clients"] = Json::array();
  json["faults"] = Json::array();
  for (const FaultPlace& place : truth.faults) {
    Json fault = describe(layout, place);
    for (const Json& client : fault["clients"]) json["faulty_clients"].push_back(client);
    json["faults"].push_back(std::move(fault));
  }
}

Json describe(const std::optional<Pace>& pace) {
  if (!pace) return nullptr;
  return {{"median", pace->median_mb_per_second}, {"mean", pace->mean_mb_per_second}, {"bins", pace->bins}};
}

Json describe(const Paces& paces) {
  const auto or_null = [](const std::optional<double>& x) { return x ? Json(*x) : Json(nullptr); };
  Json json;
  json["what"] = "MB/s through the clients' ports, both ways";
  json["bin_seconds"] = to_seconds(Throughput::kBin);
  json["before"] = describe(paces.before);
  json["during"] = describe(paces.during);
  json["after"] = describe(paces.after);
  json["lost_median"] = or_null(lost(paces, &Pace::median_mb_per_second));
  json["lost_mean"] = or_null(lost(paces, &Pace::mean_mb_per_second));
  return json;
}

}  // namespace

std::string truth_json(const Layout& layout, const Truth& truth) {
  const auto server = [&](std::size_t i) { return layout.server(i); };
  Json json;
  json["workload"] = to_name(truth.workload);
  add_places(json, layout, truth);
  json["workload_start"] = unix_seconds(truth.workload_start);
  json["workload_stop"] = unix_seconds(truth.workload_stop);
  json["throughput"] = describe(truth.paces);
  json["file_system"] = std::string(to_name(layout.file_system));
  json["clients"] = layout.clients;
  json["servers"] = layout.servers;
  json["disk_megabytes_per_second"] = layout.disk_megabytes_per_second;
  json["network_megabits"] = layout.network_megabits;
  json["cpu_busy"] = truth.cpu_busy ? Json(*truth.cpu_busy) : Json(nullptr);
  json["kernel"] = truth.kernel;
  json["device"] = members(truth.loops.size(), server, [&](std::size_t i) { return truth.loops[i - 1]; });
  json["server_ip"] =
      members(layout.servers, server, [&](std::size_t i) { return layout.server_address(i); });
  json["client_ip"] = members(
      layout.clients, [&](std::size_t i) { return layout.client(i); },
      [&](std::size_t i) { return layout.client_address(i); });
  return json.dump(1) + "\n";
}

namespace {

std::string_view long_name(FileSystem file_system) {
  switch (file_system) {
    case FileSystem::kGluster:
      return "GlusterFS";
    case FileSystem::kStriped:
      return "striped files";
    case FileSystem::kCeph:
      break;
  }
  return "Ceph";
}

/// The servers' ports on both switches; the second is reached over the first.
std::string switches_toml(const Layout& layout) {
  const std::size_t first = layout.servers - layout.on_second_switch();
  return fmt::format(
      "\n[[switches]]\nname = \"{0}\"\nports = \"s[1-{2}]/eth0\"\n"
      "\n[[switches]]\nname = \"{1}\"\nports = \"s[{3}-{4}]/eth0\"\nuplink = \"{0}\"\n",
      kSwitchNames[0], kSwitchNames[1], first, first + 1, layout.servers);
}

}  // namespace

std::string system_toml(const Layout& layout, const std::vector<std::string>& loops) {
  std::string text =
      fmt::format("# The bench: {} on one machine.\nname = \"bench\"\n", long_name(layout.file_system));
  for (std::size_t i = 1; i <= loops.size(); ++i) {
    text += fmt::format("\n[[servers]]\nname = \"{}\"\naddress = \"{}\"\ndevice = \"{}\"\n", layout.server(i),
                        layout.server_address(i), loops[i - 1]);
  }
  for (std::size_t i = 1; i <= layout.clients; ++i) {
    text += fmt::format("\n[[clients]]\nname = \"{}\"\naddress = \"{}\"\n", layout.client(i),
                        layout.client_address(i));
  }
  const std::string storage =
      layout.has_bricks() ? (layout.state() / "brick*/data/*").native() : "/dev/loop*";
  text += fmt::format("\n[syscalls]\nstorage = \"{}\"\n", storage);
  return layout.on_second_switch() > 0 ? text + switches_toml(layout) : text;
}

}  // namespace laggard::lab::bench
