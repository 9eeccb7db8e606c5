#include "report/page_data.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "report/html_parts.h"
#include "report/json_writer.h"

namespace laggard::report {

namespace {
constexpr double kMantissas = 10'000;  // one more than the largest
constexpr int kFirstDecade = 10'000;
constexpr int kDecade = 9'000;
constexpr int kDecades = 3;
}  // namespace

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kMostAtOnce = 3 << 20;  // OpenSSL counts in ints; a multiple of 3 needs no padding.
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');  // It ends what it writes with a zero.
  auto* end = reinterpret_cast<unsigned char*>(out.data());
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), kMostAtOnce));
    end += EVP_EncodeBlock(end, piece.data(), static_cast<int>(piece.size()));
    bytes = bytes.subspan(piece.size());
  }
  out.pop_back();
  return out;
}

Packer::Packer(double largest) {
  const double top = std::isfinite(largest) && largest > 0 ? largest : 1;
  exponent_ = static_cast<int>(std::floor(std::log10(top))) - 3 - (kDecades - 1);
  unit_ = std::pow(10.0, exponent_);
  // log10 may land on the wrong side of a power of ten, and 99996 rounds up to 10000: one decade more then.
  if (std::round(top / (unit_ * 100)) >= kMantissas) {
    ++exponent_;
    unit_ = std::pow(10.0, exponent_);
  }
}

std::int16_t Packer::encode(double value) const {
  if (!std::isfinite(value)) return missing();
  double mantissa = std::abs(value) / unit_;
  int base = 0;
  for (int k = 0; k < kDecades; ++k) {
    const double rounded = std::round(mantissa);
    if (rounded < kMantissas) {
      const int code = k == 0 ? static_cast<int>(rounded) : base + static_cast<int>(rounded) - 1000;
      return static_cast<std::int16_t>(value < 0 ? -code : code);
    }
    base = k == 0 ? kFirstDecade : base + kDecade;
    mantissa /= 10;
  }
  return static_cast<std::int16_t>((value < 0 ? -1 : 1) * (kFirstDecade + (kDecades - 1) * kDecade - 1));
}

void Packer::add(float value) {
  const auto code = static_cast<std::uint16_t>(encode(static_cast<double>(value)));
  bytes_.push_back(static_cast<std::uint8_t>(code & 0xFFU));
  bytes_.push_back(static_cast<std::uint8_t>(code >> 8U));
}

Packed pack(std::span<const std::vector<float>> rows) {
  float largest = 0;
  for (const auto& row : rows) {
    for (const float value : row) {
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    }
  }
  Packer packer(static_cast<double>(largest));
  for (const auto& row : rows) {
    for (const float value : row) packer.add(value);
  }
  return packer.take();
}

namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

/// The least and the greatest of `values` in the order in which they came; missing ones are passed over.
std::pair<float, float> extremes(std::span<const float> values) {
  std::size_t least = values.size();
  std::size_t most = values.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    if (least == values.size() || values[i] < values[least]) least = i;
    if (most == values.size() || values[i] > values[most]) most = i;
  }
  if (least == values.size()) return {kMissing, kMissing};
  return {values[std::min(least, most)], values[std::max(least, most)]};
}

float greatest(std::span<const float> values) {
  float out = kMissing;
  for (const float value : values) {
    if (!(value <= out)) out = std::isnan(value) ? out : value;
  }
  return out;
}

}  // namespace

PeerPlot thinned(const PeerPlot& plot, std::size_t most) {
  LAGGARD_CHECK(most >= 2);
  const std::size_t n = plot.times.size();
  if (n <= most) return plot;
  const std::size_t bucket = (n + most / 2 - 1) / (most / 2);
  PeerPlot out = plot;
  out.times.clear();
  for (auto& row : out.values) row.clear();
  for (std::size_t first = 0; first < n; first += bucket) {
    const std::size_t length = std::min(bucket, n - first);
    out.times.push_back(plot.times[first]);
    if (length > 1) out.times.push_back(plot.times[first + length / 2]);
    for (std::size_t c = 0; c < plot.values.size(); ++c) {
      const auto [early, late] = extremes(std::span(plot.values[c]).subspan(first, length));
      out.values[c].push_back(early);
      if (length > 1) out.values[c].push_back(late);
    }
  }
  return out;
}

ScoreMap thinned(const ScoreMap& map, std::size_t most) {
  LAGGARD_CHECK(most >= 1);
  const std::size_t n = map.windows.size();
  if (n <= most) return map;
  const std::size_t bucket = (n + most - 1) / most;
  ScoreMap out = map;
  out.windows.clear();
  for (auto& row : out.scores) row.clear();
  for (std::size_t first = 0; first < n; first += bucket) {
    const std::size_t length = std::min(bucket, n - first);
    out.windows.push_back(map.windows[first]);
    for (std::size_t c = 0; c < map.scores.size(); ++c) {
      out.scores[c].push_back(greatest(std::span(map.scores[c]).subspan(first, length)));
    }
  }
  out.window_length = map.windows[bucket - 1] - map.windows[0] + map.window_length;
  return out;
}

namespace {

std::int64_t to_ms(Duration d) { return std::chrono::duration_cast<std::chrono::milliseconds>(d).count(); }
std::int64_t to_ms(WallTime t) { return to_ms(t.time_since_epoch()); }

/// Names as the markup has them, or the script could not match the two.
void write_name(JsonWriter& json, std::string_view key, std::string_view name) {
  json.member(key, cleaned(name));
}

void write_names(JsonWriter& json, const std::vector<std::string>& names) {
  json.list("components", names, [&](const std::string& name) { json.text(cleaned(name)); });
}

void write_times(JsonWriter& json, std::span<const WallTime> times) {
  const WallTime start = times.empty() ? WallTime{} : times.front();
  json.integer_member("t0", to_ms(start));
  json.list("times", times, [&](const WallTime t) { json.integer(to_ms(t - start)); });
}

void write_packed(JsonWriter& json, std::span<const std::vector<float>> rows) {
  const Packed packed = pack(rows);
  json.integer_member("exponent", packed.exponent);
  json.member("packed", packed.base64);
}

void write(JsonWriter& json, const PeerPlot& full) {
  const PeerPlot plot = thinned(full);
  json.begin_object();
  write_name(json, "metric", plot.metric);
  write_name(json, "unit", plot.unit);
  write_name(json, "group", plot.group);
  write_name(json, "sick", plot.sick);
  write_names(json, plot.components);
  json.list("flagged", plot.flagged, [&](const TimeSpan& span) {
    json.begin_list();
    json.integer(to_ms(span.from));
    json.integer(to_ms(span.to));
    json.end_list();
  });
  write_times(json, plot.times);
  write_packed(json, plot.values);
  json.end_object();
}

void write(JsonWriter& json, const DistributionPlot& plot) {
  json.begin_object();
  write_name(json, "metric", plot.metric);
  write_name(json, "unit", plot.unit);
  write_name(json, "sick", plot.sick);
  write_names(json, plot.components);
  json.list("lengths", plot.sorted,
            [&](const auto& row) { json.integer(static_cast<std::int64_t>(row.size())); });
  write_packed(json, plot.sorted);
  json.end_object();
}

void write(JsonWriter& json, const ScoreMap& full) {
  const ScoreMap map = thinned(full);
  json.begin_object();
  write_name(json, "group", map.group);
  write_names(json, map.components);
  json.integer_member("length", to_ms(map.window_length));
  write_times(json, map.windows);
  write_packed(json, map.scores);
  json.end_object();
}

}  // namespace

std::string to_script_json(const PageData& data) {
  JsonWriter json(JsonWriter::Style::kScript);
  json.begin_object();
  json.list("peers", data.peers, [&](const PeerPlot* plot) { write(json, *plot); });
  json.list("distributions", data.distributions, [&](const DistributionPlot* plot) { write(json, *plot); });
  json.list("maps", data.maps, [&](const ScoreMap* map) { write(json, *map); });
  json.end_object();
  return json.take();
}

}  // namespace laggard::report
