#include "lab/bench/truth.h"

#include <fmt/format.h>

namespace laggard::lab::bench {

namespace {

std::string unix_seconds(const std::optional<WallTime>& t) {
  if (!t) return "null";
  const std::int64_t ns = to_unix_ns(*t);
  return fmt::format("{}.{:06}", ns / 1'000'000'000, ns % 1'000'000'000 / 1000);
}

/// Members `"name": "value"` for 1 .. n.
template <typename Name, typename Value>
std::string members(std::size_t n, const Name& name, const Value& value) {
  std::string text;
  for (std::size_t i = 1; i <= n; ++i) {
    text += fmt::format("{}\n  \"{}\": \"{}\"", i == 1 ? "" : ",", name(i), value(i));
  }
  return text;
}

}  // namespace

std::string truth_json(const Layout& layout, const Truth& truth) {
  const bool sick = truth.fault != FaultKind::kNone;
  const auto server = [&](std::size_t i) { return layout.server(i); };
  const auto client = [&](std::size_t i) { return layout.client(i); };
  std::string text = "{\n";
  text += fmt::format(" \"workload\": \"{}\",\n \"fault\": \"{}\",\n", to_name(truth.workload),
                      to_name(truth.fault));
  text += fmt::format(" \"faulty_server\": {},\n",
                      sick ? "\"" + layout.server(truth.server) + "\"" : std::string("null"));
  text += fmt::format(" \"fault_start\": {},\n \"fault_stop\": {},\n", unix_seconds(truth.fault_start),
                      unix_seconds(truth.fault_stop));
  text += fmt::format(" \"workload_start\": {},\n \"workload_stop\": {},\n",
                      unix_seconds(truth.workload_start), unix_seconds(truth.workload_stop));
  text += fmt::format(" \"file_system\": \"glusterfs\",\n \"clients\": {},\n \"servers\": {},\n",
                      layout.clients, layout.servers);
  text += fmt::format(" \"disk_megabytes_per_second\": {},\n \"network_megabits\": {},\n",
                      layout.disk_megabytes_per_second, layout.network_megabits);
  text += fmt::format(" \"cpu_busy\": {},\n \"kernel\": \"{}\",\n",
                      truth.cpu_busy ? fmt::format("{:.3f}", *truth.cpu_busy) : "null", truth.kernel);
  text += fmt::format(" \"device\": {{{}\n }},\n",
                      members(truth.loops.size(), server, [&](std::size_t i) { return truth.loops[i - 1]; }));
  text +=
      fmt::format(" \"server_ip\": {{{}\n }},\n",
                  members(layout.servers, server, [&](std::size_t i) { return layout.server_address(i); }));
  text +=
      fmt::format(" \"client_ip\": {{{}\n }}\n",
                  members(layout.clients, client, [&](std::size_t i) { return layout.client_address(i); }));
  return text + "}\n";
}

std::string system_toml(const Layout& layout, const std::vector<std::string>& loops) {
  std::string text = "# The bench: GlusterFS on one machine.\nname = \"bench\"\n";
  for (std::size_t i = 1; i <= loops.size(); ++i) {
    text += fmt::format("\n[[servers]]\nname = \"{}\"\naddress = \"{}\"\ndevice = \"{}\"\n", layout.server(i),
                        layout.server_address(i), loops[i - 1]);
  }
  for (std::size_t i = 1; i <= layout.clients; ++i) {
    text += fmt::format("\n[[clients]]\nname = \"{}\"\naddress = \"{}\"\n", layout.client(i),
                        layout.client_address(i));
  }
  return text;
}

}  // namespace laggard::lab::bench
