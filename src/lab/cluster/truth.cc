#include "lab/cluster/truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lab/cluster/recorder.h"
#include "lab/json_fields.h"

namespace laggard::lab {

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson unix_seconds(const std::optional<WallTime>& t) {
  if (!t) return nullptr;
  const std::int64_t microseconds = to_unix_ns(*t) / 1000;
  return static_cast<double>(microseconds) * 1e-6;
}

std::optional<WallTime> wall_time(const Json& object, const char* name) {
  const Json& member = member_of(object, name);
  if (!member.is_number()) return std::nullopt;
  const auto time = parse_time(fmt::format("{:.6f}", member.get<double>()));
  return time ? std::optional(*time) : std::nullopt;
}

std::uint64_t count(const Json& object, const char* name) {
  const Json& member = member_of(object, name);
  return member.is_number_unsigned() ? member.get<std::uint64_t>() : 0;
}

std::optional<double> number(const Json& object, const char* name) {
  const Json& member = member_of(object, name);
  return member.is_number() ? std::optional(member.get<double>()) : std::nullopt;
}

std::optional<double> lost_of(const Json& object) {
  const Json& throughput = member_of(object, "throughput");
  const std::optional<double> median = number(throughput, "lost_median");
  const std::optional<double> mean = number(throughput, "lost_mean");
  return median && mean ? std::max(*median, *mean) : mean;
}

std::vector<Truth::Part> parts_of(const Json& object, const Truth& truth) {
  std::vector<Truth::Part> parts;
  for (const Json& fault : member_of(object, "faults")) {
    Truth::Part part{text_of(fault, "fault"), {}};
    for (const char* kind : {"servers", "clients"}) {
      for (const std::string& host : texts_of(fault, kind)) part.hosts.push_back(host);
    }
    if (!part.fault.empty() && !part.hosts.empty()) parts.push_back(std::move(part));
  }
  if (parts.empty() && truth.sick() && !truth.faulty_server.empty()) {
    parts.push_back({truth.fault, {truth.faulty_server}});
  }
  return parts;
}

}  // namespace

const Truth::Part* Truth::part_of(std::string_view host) const {
  for (const Part& part : parts) {
    if (std::find(part.hosts.begin(), part.hosts.end(), host) != part.hosts.end()) return &part;
  }
  return nullptr;
}

std::set<std::string> Truth::faulty_hosts() const {
  std::set<std::string> hosts;
  for (const Part& part : parts) hosts.insert(part.hosts.begin(), part.hosts.end());
  return hosts;
}

std::vector<std::string> faulty_hosts(const ClusterSpec& cluster, const RunSpec& run) {
  switch (about(run.fault).strikes) {
    case Strikes::kNobody:
      return {};
    case Strikes::kServer:
      return {server_name(run.faulty_server)};
    case Strikes::kClient:
      return {client_name(faulty_client(cluster, run))};
    case Strikes::kSwitch:
      break;
  }
  std::vector<std::string> hosts;
  for (const std::size_t server : second_switch(cluster)) hosts.push_back(server_name(server));
  return hosts;
}

Truth truth_of(const ClusterSpec& cluster, const RunSpec& run) {
  Truth truth;
  truth.workload = to_name(run.workload);
  truth.fault = to_name(run.fault);
  truth.start = run.start + run.lead;
  truth.stop = truth.start + run.duration;
  truth.file_system = to_name(cluster.file_system);
  truth.clients = cluster.clients;
  truth.servers = cluster.servers;
  truth.hardware_seed = cluster.hardware_seed;
  truth.seed = run.seed;
  if (truth.sick()) {
    truth.strength = to_name(strength_of(run));
    truth.parts = {{truth.fault, faulty_hosts(cluster, run)}};
    truth.faulty_server = truth.parts.front().hosts.front();
    truth.fault_start = truth.start + run.fault_from;
    truth.fault_stop = truth.start + run.fault_to;
  }
  return truth;
}

std::string to_json(const Truth& truth) {
  OrderedJson json;
  json["workload"] = truth.workload;
  json["fault"] = truth.fault;
  json["faulty_server"] = truth.sick() ? OrderedJson(truth.faulty_server) : OrderedJson(nullptr);
  json["fault_start"] = unix_seconds(truth.fault_start);
  json["fault_stop"] = unix_seconds(truth.fault_stop);
  json["workload_start"] = unix_seconds(truth.start);
  json["workload_stop"] = unix_seconds(truth.stop);
  json["strength"] = truth.strength.empty() ? OrderedJson(nullptr) : OrderedJson(truth.strength);
  json["faulty_servers"] = truth.faulty_hosts();
  json["faults"] = OrderedJson::array();
  for (const Truth::Part& part : truth.parts) {
    const std::optional<FaultKind> kind = fault_of(part.fault);
    const bool client = kind && about(*kind).strikes == Strikes::kClient;
    const std::vector<std::string> nobody;
    json["faults"].push_back({{"fault", part.fault},
                              {"servers", client ? nobody : part.hosts},
                              {"clients", client ? part.hosts : nobody}});
  }
  json["file_system"] = truth.file_system;
  json["clients"] = truth.clients;
  json["servers"] = truth.servers;
  json["hardware_seed"] = truth.hardware_seed;
  json["seed"] = truth.seed;
  return json.dump(2) + "\n";
}

Result<Truth> parse_truth(std::string_view json, const std::filesystem::path& path) {
  const Json object = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return fail(ErrorCode::kBadInput, path.string(), "is no JSON object");
  Truth truth;
  truth.workload = text_of(object, "workload");
  truth.fault = text_of(object, "fault");
  truth.faulty_server = text_of(object, "faulty_server");
  truth.fault_start = wall_time(object, "fault_start");
  truth.fault_stop = wall_time(object, "fault_stop");
  truth.start = wall_time(object, "workload_start").value_or(WallTime{});
  truth.stop = wall_time(object, "workload_stop").value_or(WallTime{});
  truth.file_system = text_of(object, "file_system");
  truth.clients = count(object, "clients");
  truth.servers = count(object, "servers");
  truth.hardware_seed = count(object, "hardware_seed");
  truth.seed = count(object, "seed");
  if (truth.fault.empty()) return fail(ErrorCode::kBadInput, path.string(), "does not say which fault");
  truth.parts = parts_of(object, truth);
  truth.strength = text_of(object, "strength");
  truth.lost = lost_of(object);
  const bool whole = !truth.parts.empty() && truth.fault_start && truth.fault_stop;
  if (truth.sick() && !whole) {
    return fail(ErrorCode::kBadInput, path.string(),
                "names a fault, but not faulty_server, fault_start and fault_stop");
  }
  return truth;
}

std::string system_toml(const ClusterSpec& cluster) {
  std::string toml = fmt::format("name = \"{} {}/{}, simulated\"\n", to_name(cluster.file_system),
                                 cluster.clients, cluster.servers);
  for (std::size_t s = 0; s < cluster.servers; ++s) {
    toml += fmt::format("\n[[servers]]\nname = \"{}\"\ndevice = \"{}\"\naddress = \"{}\"\n", server_name(s),
                        kStorageDisk, server_address(s));
  }
  for (std::size_t c = 0; c < cluster.clients; ++c) {
    toml +=
        fmt::format("\n[[clients]]\nname = \"{}\"\naddress = \"{}\"\n", client_name(c), client_address(c));
  }
  return toml;
}

}  // namespace laggard::lab
