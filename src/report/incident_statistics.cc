#include "report/incident_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/missing.h"
#include "base/terminal_text.h"
#include "base/text.h"
#include "report/html_parts.h"
#include "report/json_writer.h"
#include "report/layout.h"
#include "report/payloads.h"
#include "report/quantity.h"
#include "report/wording.h"

namespace laggard::report {

namespace {

constexpr std::size_t kMostCauses = 3;
constexpr std::size_t kMostStretches = 10;

double sum_of(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

std::string length(double seconds) {
  if (!std::isfinite(seconds)) return "";
  return coarse(Duration(static_cast<std::int64_t>(seconds * 1e9)));
}

/// `1 incident in 12d, 3 confirmed, …`: all of it in one sentence.
std::string sentence(const IncidentStatistics& statistics) {
  const IncidentDurations& all = statistics.all;
  std::string said = fmt::format("{} from {} to {} ({})", counted(all.incidents, "incident"),
                                 Clockface::dated(statistics.from), Clockface::dated(statistics.to),
                                 coarse(statistics.to - statistics.from));
  if (all.incidents > 0) {
    said += fmt::format(", {} confirmed, {} still open; half of them over within {}, 99 % within {}",
                        all.confirmed, all.open, length(at_share(all.sorted_s, 0.5)),
                        length(at_share(all.sorted_s, 0.99)));
  }
  if (statistics.accounted_for > 0) {
    said += fmt::format("; {} more explained by others or withdrawn", statistics.accounted_for);
  }
  return said;
}

std::vector<std::string> cells_of(std::string name, const IncidentDurations& durations) {
  const std::span<const double> sorted = durations.sorted_s;
  return {std::move(name),
          std::to_string(durations.incidents),
          std::to_string(durations.confirmed),
          std::to_string(durations.open),
          length(at_share(sorted, 0.5)),
          length(at_share(sorted, 0.9)),
          length(at_share(sorted, 1)),
          length(sum_of(sorted))};
}

Payload durations_by(std::string_view what, std::string title, std::span<const IncidentDurations> rows) {
  TablePayload table{
      {std::string(what), "incidents", "confirmed", "open", "median", "90 %", "longest", "in all"}, {}};
  for (const IncidentDurations& row : rows) table.rows.push_back(cells_of(row.name, row));
  return {std::move(title), std::move(table)};
}

Payload relapses_of(const IncidentStatistics& statistics) {
  TablePayload table{{"part", "incidents", "last began", "in all", "causes"}, {}};
  for (const Relapses& relapses : statistics.relapses) {
    table.rows.push_back({blamed(relapses.part), std::to_string(relapses.durations.incidents),
                          Clockface::dated(relapses.last), length(sum_of(relapses.durations.sorted_s)),
                          first_few(relapses.causes, kMostCauses)});
  }
  return {"Sick more than once", std::move(table)};
}

Payload excess_of(const IncidentStatistics& statistics) {
  TablePayload table{{"metric", "incidents", "median", "90 %", "most"}, {}};
  for (const Excess& excess : statistics.excess) {
    const auto times = [&](double share) { return humanise(at_share(excess.sorted, share)) + "x"; };
    table.rows.push_back(
        {excess.metric, std::to_string(excess.sorted.size()), times(0.5), times(0.9), times(1)});
  }
  return {"What was sick against its peers, the worst of each incident", std::move(table)};
}

double mean_of(const LatencyTally& tally) {
  return tally.count > 0 ? tally.sum_ms / static_cast<double>(tally.count) : kMissing;
}

Payload under_load_of(const IncidentStatistics& statistics) {
  TablePayload table{{"load", "samples", "mean", "median", "99 %", "1 s and more"}, {}};
  for (const LoadLatency& row : statistics.under_load) {
    table.rows.push_back({fmt::format("{} to {}", humanise(row.from), humanise(row.to)),
                          with_separators(row.latency.count), humanise(mean_of(row.latency), "ms"),
                          humanise(latency_at_share(row.latency, 0.5), "ms"),
                          humanise(latency_at_share(row.latency, 0.99), "ms"), with_separators(row.slow)});
  }
  return {"Latency per request of disks by the load of their host", std::move(table)};
}

Payload probes_of(const IncidentStatistics& statistics) {
  TablePayload table{{"operation", "while", "done", "failed", "mean", "median", "99 %"}, {}};
  for (const ProbeTimes& probes : statistics.probes) {
    for (const auto& [name, times] : {std::pair("sick", &probes.sick), std::pair("well", &probes.well)}) {
      const LatencyTally& done = times->done;
      const auto all = static_cast<double>(done.count + times->failed);
      if (all <= 0) continue;
      table.rows.push_back({probes.operation, name, with_separators(done.count),
                            humanise(100 * static_cast<double>(times->failed) / all, "%"),
                            humanise(mean_of(done), "ms"), humanise(latency_at_share(done, 0.5), "ms"),
                            humanise(latency_at_share(done, 0.99), "ms")});
    }
  }
  return {"Probes while something on their way was sick, and all others", std::move(table)};
}

std::vector<double> sorted_seconds(const HeavyWork& work) {
  std::vector<double> seconds;
  for (const HeavyStretch& stretch : work.stretches) seconds.push_back(to_seconds(stretch.to - stretch.from));
  std::ranges::sort(seconds);
  return seconds;
}

/// Those with the most requests.
std::vector<HeavyStretch> heaviest(const HeavyWork& work) {
  std::vector<HeavyStretch> most = work.stretches;
  std::ranges::stable_sort(most, std::greater{}, &HeavyStretch::requests);
  most.resize(std::min(most.size(), kMostStretches));
  return most;
}

double per_second(const HeavyStretch& stretch) {
  return static_cast<double>(stretch.requests) / to_seconds(stretch.to - stretch.from);
}

void add_heavy_work(const HeavyWork& work, std::vector<Payload>& all) {
  if (work.jobs == 0) return;
  const std::string what =
      fmt::format("Metadata work of {} from {} requests/s on, {}", counted(work.jobs, "job"),
                  humanise(work.from_per_second), counted(work.stretches.size(), "time"));
  if (work.stretches.empty()) {
    all.push_back({what, TablePayload{{"target", "job"}, {}}});
    return;
  }
  all.push_back({what + ": how long it lasted", DistributionPayload{"s", {{"all", sorted_seconds(work)}}}});
  TablePayload table{{"target", "job", "from", "lasted", "requests", "requests/s"}, {}};
  for (const HeavyStretch& stretch : heaviest(work)) {
    table.rows.push_back({stretch.target, stretch.job, Clockface::dated(stretch.from),
                          coarse(stretch.to - stretch.from), with_separators(stretch.requests),
                          humanise(per_second(stretch))});
  }
  all.push_back({"The most requests of it", std::move(table)});
}

/// What text and page show, in this order.
std::vector<Payload> payloads_of(const IncidentStatistics& statistics) {
  std::vector<Payload> all;
  if (statistics.all.incidents > 0) {
    all.push_back({"How long they lasted", DistributionPayload{"s", {{"all", statistics.all.sorted_s}}}});
    all.push_back(durations_by("cause", "By cause", statistics.causes));
    all.push_back(durations_by("mode", "By mode", statistics.modes));
    all.push_back(durations_by("kind", "By kind of part", statistics.kinds));
  }
  if (!statistics.relapses.empty()) all.push_back(relapses_of(statistics));
  if (!statistics.excess.empty()) all.push_back(excess_of(statistics));
  if (!statistics.probes.empty()) all.push_back(probes_of(statistics));
  if (!statistics.under_load.empty()) all.push_back(under_load_of(statistics));
  add_heavy_work(statistics.heavy_work, all);
  return all;
}

void write_members(JsonWriter& json, const IncidentDurations& durations) {
  const std::span<const double> sorted = durations.sorted_s;
  json.integer_member("incidents", static_cast<std::int64_t>(durations.incidents));
  json.integer_member("confirmed", static_cast<std::int64_t>(durations.confirmed));
  json.integer_member("open", static_cast<std::int64_t>(durations.open));
  json.member("median_s", at_share(sorted, 0.5));
  json.member("p90_s", at_share(sorted, 0.9));
  json.member("p99_s", at_share(sorted, 0.99));
  json.member("longest_s", at_share(sorted, 1));
  json.member("all_s", sum_of(sorted));
}

void write_rows(JsonWriter& json, std::string_view name, std::span<const IncidentDurations> rows) {
  json.list(name, rows, [&](const IncidentDurations& row) {
    json.begin_object();
    json.member("name", row.name);
    write_members(json, row);
    json.end_object();
  });
}

void write_latency(JsonWriter& json, const LatencyTally& tally) {
  json.member("mean_ms", mean_of(tally));
  json.member("median_ms", latency_at_share(tally, 0.5));
  json.member("p99_ms", latency_at_share(tally, 0.99));
}

void write_times(JsonWriter& json, std::string_view name, const ProbeTimes::Times& times) {
  json.key(name);
  json.begin_object();
  json.integer_member("done", static_cast<std::int64_t>(times.done.count));
  json.integer_member("failed", static_cast<std::int64_t>(times.failed));
  write_latency(json, times.done);
  json.end_object();
}

void write_heavy_work(JsonWriter& json, const HeavyWork& work) {
  const std::vector<double> sorted = sorted_seconds(work);
  json.key("heavy_work");
  json.begin_object();
  json.member("from_per_second", work.from_per_second);
  json.integer_member("jobs", static_cast<std::int64_t>(work.jobs));
  json.integer_member("stretches", static_cast<std::int64_t>(sorted.size()));
  json.member("median_s", at_share(sorted, 0.5));
  json.member("p99_s", at_share(sorted, 0.99));
  json.member("longest_s", at_share(sorted, 1));
  json.list("most", heaviest(work), [&](const HeavyStretch& stretch) {
    json.begin_object();
    json.member("host", stretch.host);
    json.member("target", stretch.target);
    json.member("job", stretch.job);
    json.member("from", stretch.from);
    json.member("to", stretch.to);
    json.integer_member("requests", static_cast<std::int64_t>(stretch.requests));
    json.end_object();
  });
  json.end_object();
}

}  // namespace

double latency_at_share(const LatencyTally& tally, double share) {
  const auto wanted = share * static_cast<double>(tally.count);
  double sum = 0;
  for (std::size_t b = 0; b < tally.bins.size(); ++b) {
    sum += static_cast<double>(tally.bins[b]);
    if (tally.bins[b] > 0 && sum >= wanted) return std::exp2(static_cast<double>(b + 1) / 2) / 1e3;
  }
  return kMissing;
}

std::string to_text(const IncidentStatistics& statistics, const TextOptions& options) {
  Page page(options);
  page.paragraph(printable(sentence(statistics)), 0, Ink::kBold);
  const Clockface clock(statistics.from, statistics.to);
  for (const Payload& payload : payloads_of(statistics)) {
    page.blank();
    put_payload(page, payload, clock, 0);
  }
  return page.take();
}

std::string to_json(const IncidentStatistics& statistics) {
  JsonWriter json(JsonWriter::Style::kReadable);
  json.begin_object();
  json.member("schema", "laggard.history/1");
  json.member("from", statistics.from);
  json.member("to", statistics.to);
  write_members(json, statistics.all);
  json.integer_member("accounted_for", static_cast<std::int64_t>(statistics.accounted_for));
  write_rows(json, "causes", statistics.causes);
  write_rows(json, "modes", statistics.modes);
  write_rows(json, "kinds", statistics.kinds);
  json.list("relapses", statistics.relapses, [&](const Relapses& relapses) {
    json.begin_object();
    json.member("kind", to_name(relapses.part.kind));
    json.member("name", relapses.part.name);
    json.member("last_since", relapses.last);
    json.member("causes", relapses.causes);
    write_members(json, relapses.durations);
    json.end_object();
  });
  json.list("excess", statistics.excess, [&](const Excess& excess) {
    json.begin_object();
    json.member("metric", excess.metric);
    json.integer_member("incidents", static_cast<std::int64_t>(excess.sorted.size()));
    json.member("median", at_share(excess.sorted, 0.5));
    json.member("p90", at_share(excess.sorted, 0.9));
    json.member("most", at_share(excess.sorted, 1));
    json.end_object();
  });
  json.list("probes", statistics.probes, [&](const ProbeTimes& probes) {
    json.begin_object();
    json.member("operation", probes.operation);
    write_times(json, "sick", probes.sick);
    write_times(json, "well", probes.well);
    json.end_object();
  });
  json.list("under_load", statistics.under_load, [&](const LoadLatency& row) {
    json.begin_object();
    json.member("load_from", row.from);
    json.member("load_to", row.to);
    json.integer_member("samples", static_cast<std::int64_t>(row.latency.count));
    write_latency(json, row.latency);
    json.integer_member("slow", static_cast<std::int64_t>(row.slow));
    json.end_object();
  });
  write_heavy_work(json, statistics.heavy_work);
  json.end_object();
  return json.take() + "\n";
}

std::string to_html(const IncidentStatistics& statistics) {
  const Clockface clock(statistics.from, statistics.to);
  std::string main =
      fmt::format("<section class=\"verdict\"><h1>{}</h1></section>\n", html_escape(sentence(statistics)));
  for (const Payload& payload : payloads_of(statistics)) {
    main += "<section class=\"card\">\n" + payload_markup(payload, clock) + "</section>\n";
  }
  return document({.title = "laggard history",
                   .heading = clock.span(statistics.from, statistics.to),
                   .main = std::move(main),
                   .plots = to_script_json(PageData{}),
                   .diagnosis = ""});
}

}  // namespace laggard::report
