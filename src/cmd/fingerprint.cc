#include "cmd/fingerprint.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <system_error>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"
#include "base/text.h"
#include "detect/peer/judge/parameters.h"

namespace laggard::cmd {

namespace {

constexpr int kHex = 16;

void put_time(ByteWriter& out, WallTime t) { out.zigzag(to_unix_ns(t)); }

void put_time(ByteWriter& out, const std::optional<WallTime>& t) {
  out.u8(t ? 1 : 0);
  if (t) put_time(out, *t);
}

void put_names(ByteWriter& out, const auto& names) {
  out.varint(names.size());
  for (const std::string& name : names) out.text(name);
}

std::uint64_t sum_of(const Inventory& inventory) {
  ByteWriter out;
  out.varint(inventory.devices.size());
  for (const DeviceInfo& device : inventory.devices) {
    out.text(device.host);
    out.text(to_name(device.kind));
    out.text(device.device);
    out.varint(device.counters.size());
    for (const TableCounter& counter : device.counters) {
      out.text(counter.name);
      out.u8(static_cast<std::uint8_t>(counter.form));
    }
    put_time(out, device.first);
    put_time(out, device.last);
    out.varint(device.samples);
    out.varint(device.active_samples);
    out.varint(device.facts.size());
    for (const auto& [key, value] : device.facts) {
      out.text(key);
      out.text(value);
    }
  }
  for (const Gap& gap : inventory.gaps) {
    out.text(gap.host);
    put_time(out, gap.from);
    put_time(out, gap.to);
  }
  return checksum(out.str());
}

void put_grouping(ByteWriter& out, const Grouping& grouping) {
  out.varint(grouping.components.size());
  for (const Component& component : grouping.components) {
    out.text(component.name);
    out.text(component.host);
    out.text(to_name(component.kind));
    out.text(component.device);
    out.u8(component.rotational ? (*component.rotational ? 1 : 2) : 0);
    out.varint(component.series.size());
    for (const SeriesKey& key : component.series) {
      out.text(key.host);
      out.text(to_name(key.kind));
      out.text(key.device);
    }
  }
  out.varint(grouping.groups.size());
  for (const PeerGroup& group : grouping.groups) {
    out.text(group.name);
    out.text(to_name(group.kind));
    out.u8(group.second_only ? 1 : 0);
    out.varint(group.members.size());
    for (const ComponentId id : group.members) out.varint(id.index());
  }
}

void put_constants(ByteWriter& out, const detect::Parameters& parameters) {
  for (const detect::NamedParameter& constant : detect::named_parameters()) {
    out.text(constant.name);
    out.u64(std::bit_cast<std::uint64_t>(constant.get(parameters)));
  }
  for (const MetricSpec& metric : metric_catalogue()) {
    out.text(metric.name);
    for (const bool flash : {false, true}) {
      out.u64(std::bit_cast<std::uint64_t>(detect::noise_floor(parameters, metric, flash)));
    }
  }
}

std::uint64_t sum_of_settings(const AnalysisSetup& setup, std::string_view system) {
  ByteWriter out;
  const detect::WindowSpec& windows = setup.preset.windows;
  out.zigzag(windows.interval.count());
  for (const std::size_t n : {windows.size, windows.shift, windows.smoothing}) out.varint(n);
  out.zigzag(setup.sample_interval.count());
  out.varint(setup.pipeline.distances.size());
  for (const detect::Distance distance : setup.pipeline.distances) out.text(to_name(distance));
  out.varint(setup.pipeline.metrics.size());
  for (const MetricSpec* metric : setup.pipeline.metrics) out.text(metric->name);
  put_names(out, setup.pipeline.counters);
  out.text(setup.algorithm.name);
  out.u8(setup.pipeline.parameters.policies.one_client ? 1 : 0);
  put_constants(out, setup.pipeline.parameters);
  out.u8(setup.pipeline.beside ? 1 : 0);
  if (const auto& beside = setup.pipeline.beside) {
    const detect::WindowSpec& other = beside->preset.windows;
    for (const std::size_t n : {other.size, other.shift, other.smoothing}) out.varint(n);
    put_constants(out, beside->parameters);
  }
  put_time(out, setup.request.from);
  put_time(out, setup.request.to);
  put_names(out, setup.request.counters);
  for (const Decision& decision : standing(setup.decisions)) {
    out.text(to_name(decision.kind));
    out.text(decision.subject);
    if (decision.about) put_names(out, decision.about->components);
    put_time(out, decision.from);
  }
  put_grouping(out, setup.grouping);
  out.text(system);
  return checksum(out.str());
}

}  // namespace

Result<Fingerprint> fingerprint(const AnalysisOptions& options, const AnalysisSetup& setup) {
  std::string system;
  if (!options.system.empty()) {
    auto text = read_file(options.system);
    if (!text) return forward(text);
    system = std::move(*text);
  }
  return Fingerprint{LAGGARD_VERSION, sum_of(setup.inventory), sum_of_settings(setup, system)};
}

std::string fingerprint_text(const Fingerprint& fingerprint) {
  return fmt::format("{} {:x} {:x}", fingerprint.version, fingerprint.recordings, fingerprint.settings);
}

std::optional<Fingerprint> parse_fingerprint(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ' ');
  if (parts.size() != 3) return std::nullopt;
  const auto number = [](std::string_view hex) -> std::optional<std::uint64_t> {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), value, kHex);
    if (error != std::errc{} || end != hex.data() + hex.size()) return std::nullopt;
    return value;
  };
  const auto recordings = number(parts[1]);
  const auto settings = number(parts[2]);
  if (!recordings || !settings) return std::nullopt;
  return Fingerprint{std::string(parts[0]), *recordings, *settings};
}

std::string_view difference(const Fingerprint& a, const Fingerprint& b) {
  if (a.version != b.version) return "another version of laggard";
  if (a.recordings != b.recordings) return "other recordings";
  if (a.settings != b.settings) return "other options";
  return {};
}

}  // namespace laggard::cmd
