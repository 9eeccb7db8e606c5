#include "topology/system_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/node_set.h"
#include "base/terminal_text.h"
#include "base/text.h"

namespace laggard::topology {

bool expressible(std::string_view name) {
  if (name.empty() || name.find_first_of("[]{},\"\\ \t#") != std::string_view::npos) return false;
  return is_printable(name);
}

std::string harmless(std::string_view text) {
  std::string out(text);
  std::replace_if(
      out.begin(), out.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f; },
      '?');
  return out;
}

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : harmless(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string ordered_node_set(const std::vector<std::string>& names) {
  std::string folded = fold_node_set(names);
  const auto back = expand_node_set(folded);
  if (back && *back == names) return folded;
  return fmt::format("{}", fmt::join(names, ","));
}

std::string key_line(std::string_view key, const std::vector<std::string>& sets) {
  if (sets.size() == 1) return fmt::format("{:<7} = \"{}\"\n", key, sets[0]);
  std::string list;
  for (const std::string& set : sets) list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", set);
  return fmt::format("{:<7} = [{}]\n", key, list);
}

namespace {

/// The n-th name of each host's list, as a node set; a single name when it is the same everywhere.
std::string column(const std::vector<const HostText*>& hosts, std::vector<std::string> HostText::*list,
                   std::size_t n, bool shorten) {
  std::vector<std::string> names;
  names.reserve(hosts.size());
  for (const HostText* host : hosts) names.push_back((host->*list)[n]);
  const bool same =
      std::all_of(names.begin(), names.end(), [&](const auto& name) { return name == names[0]; });
  return same && shorten ? names[0] : ordered_node_set(names);
}

}  // namespace

std::string address_line(const std::vector<const HostText*>& hosts) {
  const std::size_t count = hosts.front()->addresses.size();
  const bool even = std::all_of(hosts.begin(), hosts.end(),
                                [&](const HostText* host) { return host->addresses.size() == count; });
  if (!even) return "# Addresses are left to the recording: not all of these hosts show equally many.\n";
  if (count == 0) return "";
  std::vector<std::string> sets;
  for (std::size_t n = 0; n < count; ++n) sets.push_back(column(hosts, &HostText::addresses, n, false));
  return key_line("address", sets);
}

std::string name_line(const std::vector<const HostText*>& hosts) {
  std::vector<std::string> names;
  names.reserve(hosts.size());
  for (const HostText* host : hosts) names.push_back(host->name);
  return key_line("name", {ordered_node_set(names)});
}

std::string device_lines(const std::vector<const HostText*>& hosts) {
  constexpr std::string_view kAll = "devices";
  constexpr std::string_view kEach = "device";
  const std::vector<std::string>& first = hosts.front()->devices;
  if (first.empty()) return "";
  const bool same =
      std::all_of(hosts.begin(), hosts.end(), [&](const HostText* host) { return host->devices == first; });
  if (same && first.size() > 1) return key_line(kAll, {ordered_node_set(first)});
  std::vector<std::string> sets;
  for (std::size_t n = 0; n < first.size(); ++n) sets.push_back(column(hosts, &HostText::devices, n, true));
  return key_line(kEach, sets);
}

std::vector<std::vector<const HostText*>> shared_entries(const std::vector<HostText>& hosts) {
  constexpr std::size_t kReadableColumns = 4;
  std::map<std::vector<std::string>, std::vector<const HostText*>> by_devices;
  for (const HostText& host : hosts) by_devices[host.devices].push_back(&host);
  std::vector<std::vector<const HostText*>> entries;
  std::map<std::size_t, std::vector<const HostText*>> columns;
  const auto less = [](const HostText* a, const HostText* b) { return natural_less(a->name, b->name); };
  for (auto& [devices, of_these] : by_devices) {
    if (of_these.size() == 1 && devices.size() <= kReadableColumns) {
      columns[devices.size()].push_back(of_these.front());
    } else {
      std::sort(of_these.begin(), of_these.end(), less);
      entries.push_back(std::move(of_these));
    }
  }
  for (auto& [count, of_these] : columns) {
    std::sort(of_these.begin(), of_these.end(), less);
    entries.push_back(std::move(of_these));
  }
  std::sort(entries.begin(), entries.end(),
            [&](const auto& a, const auto& b) { return less(a.front(), b.front()); });
  return entries;
}

}  // namespace laggard::topology
