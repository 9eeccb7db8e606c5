#include <fmt/format.h>

#include "lab/cluster/cluster.h"

namespace laggard::lab {

namespace {

std::string unix_seconds(WallTime t) {
  const std::int64_t ns = to_unix_ns(t);
  return fmt::format("{}.{:06}", ns / 1'000'000'000, ns % 1'000'000'000 / 1000);
}

/// Lines `"name": "value"` for 0 .. n-1.
template <typename Name, typename Value>
std::string members(std::size_t n, const Name& name, const Value& value) {
  std::string text;
  for (std::size_t i = 0; i < n; ++i) {
    text += fmt::format("{}\n  \"{}\": \"{}\"", i == 0 ? "" : ",", name(i), value(i));
  }
  return text;
}

}  // namespace

std::string truth_json(const ClusterSpec& cluster, const RunSpec& run) {
  const bool sick = run.fault != FaultKind::kNone;
  const auto disk = [](std::size_t) { return kStorageDisk; };
  std::string text = "{\n";
  text +=
      fmt::format(" \"workload\": \"{}\",\n \"fault\": \"{}\",\n", to_name(run.workload), to_name(run.fault));
  text += fmt::format(" \"faulty_server\": {},\n",
                      sick ? "\"" + server_name(run.faulty_server) + "\"" : std::string("null"));
  text += fmt::format(" \"fault_start\": {},\n", sick ? unix_seconds(run.start + run.fault_from) : "null");
  text += fmt::format(" \"fault_stop\": {},\n", sick ? unix_seconds(run.start + run.fault_to) : "null");
  text += fmt::format(" \"workload_start\": {},\n \"workload_stop\": {},\n", unix_seconds(run.start),
                      unix_seconds(run.start + run.duration));
  text += fmt::format(" \"file_system\": \"{}\",\n \"clients\": {},\n \"servers\": {},\n",
                      to_name(cluster.file_system), cluster.clients, cluster.servers);
  text += fmt::format(" \"hardware_seed\": {},\n \"seed\": {},\n", cluster.hardware_seed, run.seed);
  text += fmt::format(" \"device\": {{{}\n }},\n", members(cluster.servers, server_name, disk));
  text += fmt::format(" \"server_ip\": {{{}\n }},\n", members(cluster.servers, server_name, server_address));
  text += fmt::format(" \"client_ip\": {{{}\n }}\n", members(cluster.clients, client_name, client_address));
  return text + "}\n";
}

}  // namespace laggard::lab
