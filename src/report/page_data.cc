#include "report/page_data.h"

#include <cmath>

#include "report/json_writer.h"
#include "report/pack.h"
#include "report/utf8.h"

namespace laggard::report {

namespace {

std::int64_t to_ms(Duration d) { return std::chrono::duration_cast<std::chrono::milliseconds>(d).count(); }
std::int64_t to_ms(WallTime t) { return to_ms(t.time_since_epoch()); }

/// Names as the markup has them, or the script could not match the two.
void write_name(JsonWriter& json, std::string_view key, std::string_view name) {
  json.member(key, cleaned(name));
}

void write_names(JsonWriter& json, const std::vector<std::string>& names) {
  json.key("components");
  json.begin_list();
  for (const std::string& name : names) json.text(cleaned(name));
  json.end_list();
}

void write_times(JsonWriter& json, std::span<const WallTime> times) {
  const WallTime start = times.empty() ? WallTime{} : times.front();
  json.integer_member("t0", to_ms(start));
  json.key("times");
  json.begin_list();
  for (const WallTime t : times) json.integer(to_ms(t - start));
  json.end_list();
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
  json.key("flagged");
  json.begin_list();
  for (const TimeSpan& span : plot.flagged) {
    json.begin_list();
    json.integer(to_ms(span.from));
    json.integer(to_ms(span.to));
    json.end_list();
  }
  json.end_list();
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
  json.key("lengths");
  json.begin_list();
  for (const auto& row : plot.sorted) json.integer(static_cast<std::int64_t>(row.size()));
  json.end_list();
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

template <typename Item>
void write_list(JsonWriter& json, std::string_view name, const std::vector<const Item*>& items) {
  json.key(name);
  json.begin_list();
  for (const Item* item : items) write(json, *item);
  json.end_list();
}

}  // namespace

std::string to_script_json(const PageData& data) {
  JsonWriter json(JsonWriter::Style::kScript);
  json.begin_object();
  write_list(json, "peers", data.peers);
  write_list(json, "distributions", data.distributions);
  write_list(json, "maps", data.maps);
  json.end_object();
  return json.take();
}

}  // namespace laggard::report
