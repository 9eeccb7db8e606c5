#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "base/text.h"
#include "topology/sketch.h"
#include "topology/system_text.h"

namespace laggard::topology {

namespace {

using Lun = SystemSketch::Lun;
using Order = std::vector<std::uint32_t>;  ///< Positions in a list of servers, counted from 0.

std::string fold(const Order& order) {
  std::string out;
  for (std::size_t i = 0; i < order.size();) {
    std::size_t j = i;
    while (j + 1 < order.size() && order[j + 1] == order[j] + 1) ++j;
    if (!out.empty()) out += ',';
    out += fmt::format("{}", order[i] + 1);
    if (j > i) out += fmt::format("-{}", order[j] + 1);
    i = j + 1;
  }
  return out;
}

/// LUNs that one table can describe: by array, set and servers.
struct Entry {
  const SystemSketch::Array* array = nullptr;
  std::string set;
  std::vector<std::string> servers;  ///< As the table counts them.
  bool servers_of_array = false;
  std::vector<const Lun*> luns;  ///< Natural order.
  std::vector<Order> orders;     ///< By LUN.
};

std::vector<std::string> sorted_servers(const Lun& lun) {
  std::vector<std::string> servers;
  for (const auto& path : lun.paths) servers.push_back(path.server);
  std::sort(servers.begin(), servers.end(), natural_less);
  return servers;
}

/// Which order each LUN has, from the servers of its paths.
void find_orders(Entry& entry) {
  for (const Lun* lun : entry.luns) {
    Order& order = entry.orders.emplace_back();
    for (const auto& path : lun->paths) {
      const auto found = std::find(entry.servers.begin(), entry.servers.end(), path.server);
      LAGGARD_CHECK(found != entry.servers.end());
      order.push_back(static_cast<std::uint32_t>(found - entry.servers.begin()));
    }
  }
}

std::vector<Entry> make_entries(const SystemSketch& sketch) {
  std::unordered_map<std::string, const SystemSketch::Array*> arrays;
  for (const auto& array : sketch.arrays) arrays.emplace(array.name, &array);
  std::map<std::tuple<std::string, std::string, std::vector<std::string>>, std::vector<const Lun*>> by_key;
  for (const Lun& lun : sketch.luns) by_key[{lun.array, lun.set, sorted_servers(lun)}].push_back(&lun);
  std::vector<Entry> entries;
  for (auto& [key, luns] : by_key) {
    Entry& entry = entries.emplace_back();
    const auto array = arrays.find(std::get<0>(key));
    entry.array = array == arrays.end() ? nullptr : array->second;
    entry.set = std::get<1>(key);
    entry.servers = std::get<2>(key);
    if (entry.array != nullptr) {
      std::vector<std::string> of_array = entry.array->servers;
      std::sort(of_array.begin(), of_array.end(), natural_less);
      entry.servers_of_array = of_array == entry.servers;
      if (entry.servers_of_array) entry.servers = entry.array->servers;
    }
    std::sort(luns.begin(), luns.end(),
              [](const Lun* a, const Lun* b) { return natural_less(a->name, b->name); });
    entry.luns = std::move(luns);
    find_orders(entry);
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return natural_less(a.luns.front()->name, b.luns.front()->name);
  });
  return entries;
}

/// After how many LUNs the orders repeat; nothing when that is more than a person would want to read.
std::optional<std::size_t> period_of(const std::vector<Order>& orders) {
  constexpr std::size_t kReadable = 32;
  for (std::size_t period = 1; period <= std::min(kReadable, orders.size()); ++period) {
    bool repeats = true;
    for (std::size_t i = period; repeats && i < orders.size(); ++i) repeats = orders[i] == orders[i - period];
    if (repeats) return period;
  }
  return std::nullopt;
}

bool is_listed(const Order& order) {
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    if (order[i] != i) return false;
  }
  return true;
}

bool is_rotating(const std::vector<Order>& orders, std::size_t offset) {
  for (std::size_t i = 0; i < orders.size(); ++i) {
    const std::size_t n = orders[i].size();
    for (std::size_t s = 0; s < n; ++s) {
      if (orders[i][s] != (offset + i + s) % n) return false;
    }
  }
  return true;
}

/// \param offset  how many LUNs of the same array are in earlier tables: the reader continues counting there.
std::string order_line(const std::vector<Order>& orders, std::size_t period, std::size_t offset) {
  if (period == 1 && is_listed(orders.front())) return "";
  if (is_rotating(orders, offset)) return key_line("order", {"rotate"});
  std::vector<std::string> in_turn(period);
  for (std::size_t i = 0; i < period; ++i) in_turn[(offset + i) % period] = fold(orders[i]);
  return key_line("order", in_turn);
}

/// The names that one server has for the LUNs' devices.
std::vector<std::string> devices_on(const Entry& entry, const std::string& server) {
  std::vector<std::string> devices;
  for (const Lun* lun : entry.luns) {
    const auto path = std::find_if(lun->paths.begin(), lun->paths.end(),
                                   [&](const auto& candidate) { return candidate.server == server; });
    LAGGARD_CHECK(path != lun->paths.end());
    devices.push_back(path->device);
  }
  return devices;
}

/// One key for all servers where they agree, else a sub-table by server.
std::string device_line(const Entry& entry) {
  std::map<std::vector<std::string>, std::vector<std::string>> servers_by_devices;
  for (const std::string& server : entry.servers) {
    servers_by_devices[devices_on(entry, server)].push_back(server);
  }
  const auto text = [&](const std::vector<std::string>& devices) {
    const bool as_named = std::equal(devices.begin(), devices.end(), entry.luns.begin(),
                                     [](const auto& device, const Lun* lun) { return device == lun->name; });
    return as_named ? std::string("{lun}") : ordered_node_set(devices);
  };
  if (servers_by_devices.size() == 1) return key_line("device", {text(servers_by_devices.begin()->first)});
  std::map<std::string, std::string, bool (*)(std::string_view, std::string_view)> lines(natural_less);
  for (const auto& [devices, servers] : servers_by_devices) lines[ordered_node_set(servers)] = text(devices);
  std::string out;
  for (const auto& [servers, devices] : lines)
    out += fmt::format("device.\"{}\" = \"{}\"\n", servers, devices);
  return out;
}

std::string write_entry(const Entry& entry, std::size_t period, std::size_t offset) {
  std::vector<std::string> names;
  names.reserve(entry.luns.size());
  for (const Lun* lun : entry.luns) names.push_back(lun->name);
  std::string out = "[[luns]]\n";
  if (entry.array != nullptr) out += key_line("array", {entry.array->name});
  out += key_line("name", {ordered_node_set(names)});
  if (!entry.set.empty()) out += fmt::format("{:<7} = {}\n", "set", toml_string(entry.set));
  if (!entry.servers_of_array) out += key_line("servers", {ordered_node_set(entry.servers)});
  out += order_line(entry.orders, period, offset) + device_line(entry);
  // The default begins with the array's name, which the names of LUNs mostly hold already.
  if (entry.array != nullptr) out += "attachment = \"{lun}.{server}\"\n";
  return out + "\n";
}

/// One entry for each order, for LUNs whose orders do not repeat.
std::vector<Entry> split_by_order(const Entry& entry) {
  std::map<Order, Entry> by_order;
  for (std::size_t i = 0; i < entry.luns.size(); ++i) {
    Entry& part = by_order[entry.orders[i]];
    part.array = entry.array;
    part.set = entry.set;
    part.servers = entry.servers;
    part.servers_of_array = entry.servers_of_array;
    part.luns.push_back(entry.luns[i]);
    part.orders.push_back(entry.orders[i]);
  }
  std::vector<Entry> parts;
  parts.reserve(by_order.size());
  for (auto& [order, part] : by_order) parts.push_back(std::move(part));
  return parts;
}

}  // namespace

std::string write_luns(const SystemSketch& sketch) {
  std::string out;
  std::unordered_map<std::string, std::size_t> written;  // LUNs by array
  const auto write = [&](const Entry& entry, std::size_t period) {
    std::size_t none = 0;
    std::size_t& offset = entry.array == nullptr ? none : written[entry.array->name];
    out += write_entry(entry, period, offset);
    offset += entry.luns.size();
  };
  for (const Entry& entry : make_entries(sketch)) {
    if (const auto period = period_of(entry.orders)) {
      write(entry, *period);
      continue;
    }
    for (const Entry& part : split_by_order(entry)) write(part, 1);
  }
  return out;
}

}  // namespace laggard::topology
