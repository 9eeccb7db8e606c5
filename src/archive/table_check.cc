#include "archive/table_check.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "archive/file_name.h"
#include "archive/format.h"

namespace laggard::archive {

namespace {

template <typename Names>
bool has_duplicates(const Names& names) {
  std::unordered_set<std::string_view> seen;
  return std::ranges::any_of(names, [&](const std::string& name) { return !seen.insert(name).second; });
}

}  // namespace

Status check_host(const std::string& host) {
  constexpr std::size_t kLongestFileHost = 200;
  if (host.empty())
    return fail(ErrorCode::kBadInput, "", "samples without a host name; give one with --host");
  if (escape_host(host).size() > kLongestFileHost) {
    return fail(ErrorCode::kBadInput, "", fmt::format("host name '{}…' is too long", host.substr(0, 40)));
  }
  return {};
}

Status check_table(const SampleTable& table) {
  if (Status host = check_host(table.host()); !host) return host;
  const auto refuse = [&](std::string_view what) {
    return fail(ErrorCode::kBadInput, "", fmt::format("samples of host {}: {}", table.host(), what));
  };
  const auto too_long = [](const std::string& name) { return name.size() > kMaxNameBytes; };
  if (table.counters().size() > kMaxCounters) return refuse("too many different counters");
  if (table.devices().size() > kMaxDevices ||
      table.devices().size() * table.counters().size() > kMaxSampleCells) {
    return refuse("too many devices");
  }
  std::vector<std::string> counters;
  for (const TableCounter& counter : table.counters()) counters.push_back(counter.name);
  if (has_duplicates(counters) || has_duplicates(table.devices())) {
    return refuse("a device or counter is named twice at one time");
  }
  if (std::ranges::any_of(counters, too_long) || std::ranges::any_of(table.devices(), too_long) ||
      too_long(table.boot())) {
    return refuse("a name is longer than 4096 bytes");
  }
  return {};
}

}  // namespace laggard::archive
