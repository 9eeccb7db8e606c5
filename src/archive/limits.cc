#include "archive/limits.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "archive/file_name.h"
#include "archive/format.h"
#include "base/bytes.h"

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

bool FileWords::add(const Dictionary& words) {
  std::vector<std::uint64_t> added;
  std::size_t bytes = 0;
  for (std::uint32_t word = 0; word < words.size(); ++word) {
    const std::string_view text = words.text(Word{word});
    const std::uint64_t hash = checksum(text);
    if (known_.contains(hash)) continue;
    added.push_back(hash);
    bytes += text.size();
  }
  if (known_.size() + added.size() > kMaxFileWords || bytes_ + bytes > kMaxFileWordBytes) return false;
  known_.insert(added.begin(), added.end());
  bytes_ += bytes;
  return true;
}

void FileWords::add_written(const Dictionary& words) {
  for (std::uint32_t word = 0; word < words.size(); ++word) {
    const std::string_view text = words.text(Word{word});
    if (known_.insert(checksum(text)).second) bytes_ += text.size();
  }
}

}  // namespace laggard::archive
