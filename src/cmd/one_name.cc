#include "cmd/one_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "archive/file_name.h"
#include "archive/reader.h"
#include "model/counter.h"
#include "model/series_source.h"

namespace laggard::cmd {

namespace {

namespace fs = std::filesystem;

/// So much of the time that two files have in common is looked at, ...
constexpr Duration kLongest = std::chrono::minutes(5);
/// ... and so many of their devices.
constexpr std::size_t kMostDevices = 8;
/// One is a restart.
constexpr std::size_t kLeastFalls = 3;

/// A file of a host, and when the devices in it were recorded. What cannot be read has none: the recording's
/// reader has said so.
struct HostFile {
  fs::path path;
  std::unique_ptr<archive::Reader> reader;
  std::map<std::pair<DeviceKind, std::string>, TimeSpan> devices;
};

/// Of a counter that only grows, by time; at one time there may be two.
using Values = std::vector<std::pair<WallTime, std::uint64_t>>;

HostFile open_file(const fs::path& path) {
  HostFile file{.path = path, .reader = nullptr, .devices = {}};
  const std::vector<fs::path> one{path};
  auto reader = archive::Reader::open(one);
  if (!reader) return file;
  file.reader = std::move(*reader);
  const auto inventory = file.reader->inventory();
  if (!inventory) return file;
  for (const DeviceInfo& device : inventory->devices) {
    if (device.kind != DeviceKind::kDisk && device.kind != DeviceKind::kNet) continue;
    file.devices.try_emplace({device.kind, device.device}, TimeSpan{device.first, device.last});
  }
  return file;
}

/// The first counter that only grows.
std::optional<std::size_t> growing(const SampleTable& table) {
  for (std::size_t c = 0; c < table.counters().size(); ++c) {
    if (table.counters()[c].form == CounterForm::kCumulative) return c;
  }
  return std::nullopt;
}

Result<std::map<std::string, Values>> read_values(const HostFile& file, DeviceKind kind,
                                                  const std::string& device, TimeSpan span) {
  ReadRequest request;
  request.from = span.from;
  request.to = span.to;
  request.kinds = {kind};
  auto tables = file.reader->read(request);
  if (!tables) return forward(tables);
  std::map<std::string, Values> values;
  for (;;) {
    auto table = (*tables)->next();
    if (!table) return forward(table);
    if (!*table) return values;
    const auto counter = growing(**table);
    const auto& devices = (*table)->devices();
    const auto found = std::ranges::find(devices, device);
    if (!counter || found == devices.end()) continue;
    const auto d = static_cast<std::size_t>(found - devices.begin());
    Values& mine = values[(*table)->counters()[*counter].name];
    for (std::size_t t = 0; t < (*table)->times().size(); ++t) {
      if (!(*table)->present(*counter, d, t)) continue;
      mine.emplace_back((*table)->times()[t], (*table)->bits(*counter, d, t));
    }
  }
}

/// How often the counter falls when both files are read as one.
std::size_t falls(const std::map<std::string, Values>& a, const std::map<std::string, Values>& b) {
  std::size_t most = 0;
  for (const auto& [counter, values] : a) {
    const auto other = b.find(counter);
    if (other == b.end()) continue;
    Values both = values;
    both.insert(both.end(), other->second.begin(), other->second.end());
    std::ranges::sort(both);
    std::size_t count = 0;
    for (std::size_t i = 1; i < both.size(); ++i) {
      const bool at_once = both[i].first == both[i - 1].first && both[i].second != both[i - 1].second;
      if (at_once || both[i].second < both[i - 1].second) ++count;
    }
    most = std::max(most, count);
  }
  return most;
}

/// The device that counts differently in two files at the same time; empty: there is none.
Result<std::string> device_of_two(const HostFile& a, const HostFile& b) {
  std::size_t looked_at = 0;
  for (const auto& [device, span] : a.devices) {
    const auto other = b.devices.find(device);
    if (other == b.devices.end()) continue;
    TimeSpan both{std::max(span.from, other->second.from), std::min(span.to, other->second.to)};
    both.to = std::min(both.to, both.from + kLongest);
    if (both.from >= both.to) continue;
    if (++looked_at > kMostDevices) break;
    auto one = read_values(a, device.first, device.second, both);
    if (!one) return forward(one);
    auto another = read_values(b, device.first, device.second, both);
    if (!another) return forward(another);
    if (falls(*one, *another) >= kLeastFalls) return device.second;
  }
  return std::string{};
}

/// A sentence when two of a host's files are of two hosts; else empty.
Result<std::string> two_of(const std::string& host, std::span<const fs::path> paths) {
  std::vector<HostFile> files;
  for (const fs::path& path : paths) {
    HostFile file = open_file(path);
    for (const HostFile& before : files) {
      auto device = device_of_two(before, file);
      if (!device) return forward(device);
      if (device->empty()) continue;
      return fmt::format(
          "{} is the name of two hosts: {} counts differently in {} and {}; give one of them another name "
          "(record --host, import --host)",
          host, *device, before.path.string(), file.path.string());
    }
    if (file.reader && !file.devices.empty()) files.push_back(std::move(file));
  }
  return std::string{};
}

}  // namespace

Result<std::vector<std::string>> hosts_of_one_name(std::span<const fs::path> recordings,
                                                   std::span<const TimeSpan> disorder) {
  std::vector<std::string> sentences;
  if (disorder.empty()) return sentences;
  auto reader = archive::Reader::open(recordings);
  if (!reader) return forward(reader);
  std::map<std::string, std::vector<fs::path>> files;
  for (const fs::path& file : (*reader)->files()) {
    if (auto name = archive::parse_file_name(file.filename().string()))
      files[name->writer.host].push_back(file);
  }
  for (const auto& [host, paths] : files) {
    if (paths.size() < 2) continue;
    auto sentence = two_of(host, paths);
    if (!sentence) return forward(sentence);
    if (!sentence->empty()) sentences.push_back(std::move(*sentence));
  }
  return sentences;
}

}  // namespace laggard::cmd
