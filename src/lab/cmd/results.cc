#include "lab/cmd/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/file.h"
#include "base/text.h"
#include "cmd/output.h"
#include "report/json_writer.h"
#include "stats/quantile.h"

namespace laggard::lab {

namespace {

std::optional<double> persistence_gap(const std::vector<CampaignRun>& runs, std::size_t method) {
  std::vector<double> gaps;
  for (const CampaignRun& run : runs) {
    if (!run.outcomes[method].itp) continue;
    int own = 0;
    int others = 0;
    for (const auto& [server, persistence] : run.judgements[method].persistence) {
      int& kind = run.truth.part_of(server) != nullptr ? own : others;
      kind = std::max(kind, persistence);
    }
    gaps.push_back(own - others);
  }
  if (gaps.empty()) return std::nullopt;
  std::sort(gaps.begin(), gaps.end());
  return stats::quantile_of_sorted(gaps, 0.5);
}

std::optional<double> anomalous_healthy(const std::vector<CampaignRun>& runs, std::size_t method, bool sick) {
  std::size_t counted = 0;
  std::size_t anomalous = 0;
  for (const CampaignRun& run : runs) {
    if (run.truth.sick() != sick) continue;
    ++counted;
    for (const auto& [server, persistence] : run.judgements[method].persistence) {
      anomalous += run.truth.part_of(server) == nullptr && persistence > 0 ? 1U : 0U;
    }
  }
  if (counted == 0) return std::nullopt;
  return static_cast<double>(anomalous) / static_cast<double>(counted);
}

}  // namespace

ClusterResults summarize(const std::vector<CampaignRun>& runs, const std::vector<MethodSpec>& methods) {
  ClusterResults results;
  results.runs = runs.size();
  if (!runs.empty()) {
    results.file_system = runs.front().truth.file_system;
    results.clients = runs.front().truth.clients;
    results.servers = runs.front().truth.servers;
  }
  results.paper = paper_table(results.file_system, results.clients, results.servers);
  for (std::size_t m = 0; m < methods.size(); ++m) {
    results.methods.push_back({methods[m].name, tally(scored(runs, m)), persistence_gap(runs, m),
                               anomalous_healthy(runs, m, true), anomalous_healthy(runs, m, false)});
  }
  return results;
}

void add_score_output(CLI::App& command, ScoreOutput& output) {
  command.add_option("--json", output.json, "The results as JSON; - prints them instead of the tables")
      ->type_name("FILE|-");
  command.add_option("--html", output.html, "The tables as one page")->type_name("FILE");
  command.add_option("--markdown", output.markdown, "The tables as Markdown")->type_name("FILE");
}

Status check(const ScoreOutput& output, std::span<const std::filesystem::path> inputs) {
  const cmd::NamedOutput outputs[] = {
      {"--json", output.json}, {"--html", output.html}, {"--markdown", output.markdown}};
  return cmd::check_outputs(outputs, inputs);
}

Status put_out(const ScoreOutput& output, const std::vector<ClusterResults>& results, bool sweep) {
  const std::string tables = sweep ? to_sweep_markdown(results) : to_markdown(results);
  Status printed = cmd::print(output.json == "-" ? to_score_json(results) : tables);
  if (!output.json.empty() && output.json != "-") {
    if (Status written = write_file(output.json, to_score_json(results)); !written) return written;
  }
  if (!output.html.empty()) {
    if (Status written = write_file(output.html, to_score_html(results)); !written) return written;
  }
  if (!output.markdown.empty()) {
    if (Status written = write_file(output.markdown, tables); !written) return written;
  }
  return printed;
}

namespace {

using report::JsonWriter;

void write_proportion(JsonWriter& json, std::string_view name, const Proportion& proportion) {
  json.key(name);
  json.begin_object();
  json.integer_member("hits", static_cast<std::int64_t>(proportion.hits));
  json.integer_member("runs", static_cast<std::int64_t>(proportion.runs));
  const Interval interval = proportion.interval();
  json.member("low", interval.low);
  json.member("high", interval.high);
  json.end_object();
}

void write_rates(JsonWriter& json, const std::string& name, const Rates& rates) {
  json.begin_object();
  json.member("name", name);
  write_proportion(json, "itp", rates.itp);
  write_proportion(json, "ifp", rates.ifp);
  write_proportion(json, "dtp", rates.dtp);
  write_proportion(json, "dfp", rates.dfp);
  json.member("median_latency_s", rates.median_latency_s());
  write_proportion(json, "cause_ok", rates.cause_ok);
  json.end_object();
}

void write_cells(JsonWriter& json, const MethodResults& method, const PaperTable& paper) {
  json.key("paper_cells");
  json.begin_list();
  for (const CellCheck& cell : check_cells(method.tally, paper)) {
    json.begin_object();
    json.member("row", cell.row);
    json.member("figure", cell.figure);
    json.member("ours", cell.ours);
    json.member("paper", cell.paper);
    json.member("low", 100 * cell.around_paper.low);
    json.member("high", 100 * cell.around_paper.high);
    json.member("p", cell.p);
    json.end_object();
  }
  json.end_list();
}

void write_method(JsonWriter& json, const ClusterResults& cluster, const MethodResults& method) {
  json.begin_object();
  json.member("name", method.name);
  json.key("faults");
  json.begin_list();
  for (const Tally::Row& row : method.tally.faults) write_rates(json, row.name, row.rates);
  write_rates(json, "aggregate", method.tally.aggregate);
  write_rates(json, "observable", method.tally.observable);
  json.end_list();
  json.key("workloads");
  json.begin_list();
  for (const Tally::Row& row : method.tally.workloads) write_rates(json, row.name, row.rates);
  json.end_list();
  json.member("persistence_gap", method.persistence_gap);
  json.member("anomalous_beside_fault", method.anomalous_beside_fault);
  json.member("anomalous_without_fault", method.anomalous_without_fault);
  for (const auto& [name, rows] :
       {std::pair("strengths", &method.tally.strengths), std::pair("costs", &method.tally.costs)}) {
    json.key(name);
    json.begin_list();
    for (const Tally::Row& row : *rows) write_rates(json, row.name, row.rates);
    json.end_list();
  }
  if (cluster.paper != nullptr) write_cells(json, method, *cluster.paper);
  json.end_object();
}

}  // namespace

std::string to_score_json(const std::vector<ClusterResults>& results) {
  JsonWriter json(JsonWriter::Style::kReadable);
  json.begin_object();
  json.member("schema", "laggard.lab-score/1");
  json.key("clusters");
  json.begin_list();
  for (const ClusterResults& cluster : results) {
    json.begin_object();
    json.member("file_system", cluster.file_system);
    json.integer_member("clients", static_cast<std::int64_t>(cluster.clients));
    json.integer_member("servers", static_cast<std::int64_t>(cluster.servers));
    json.integer_member("runs", static_cast<std::int64_t>(cluster.runs));
    json.key("methods");
    json.begin_list();
    for (const MethodResults& method : cluster.methods) write_method(json, cluster, method);
    json.end_list();
    json.end_object();
  }
  json.end_list();
  json.end_object();
  return json.take() + "\n";
}

namespace {

constexpr std::string_view kPageHead =
    R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>laggard-lab</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>body{font:15px system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em}
table{border-collapse:collapse;margin:1em 0}td,th{border:1px solid #bbb;padding:.2em .6em;text-align:right}
td:first-child,th:first-child{text-align:left}</style></head><body>
)";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

/// `| a | b |` as a row of cells.
std::string row(std::string_view line, std::string_view tag) {
  std::string text = "<tr>";
  line.remove_prefix(1);
  if (line.ends_with('|')) line.remove_suffix(1);
  for (const std::string_view cell : split(line, '|')) {
    text += fmt::format("<{}>{}</{}>", tag, escaped(trim(cell)), tag);
  }
  return text + "</tr>\n";
}

}  // namespace

std::string to_score_html(const std::vector<ClusterResults>& results) {
  // The Markdown is our own and uses three forms only: headings, tables and plain sentences.
  const std::string markdown = to_markdown(results);
  std::string page(kPageHead);
  bool in_table = false;
  for (const std::string_view line : split(markdown, '\n')) {
    const bool table_line = line.starts_with("|");
    if (in_table && !table_line) page += "</table>\n";
    if (table_line && !in_table) {
      page += "<table>\n" + row(line, "th");
    } else if (table_line) {
      if (!line.starts_with("|---")) page += row(line, "td");
    } else if (line.starts_with("## ")) {
      page += fmt::format("<h2>{}</h2>\n", escaped(line.substr(3)));
    } else if (!line.empty()) {
      page += fmt::format("<p>{}</p>\n", escaped(line));
    }
    in_table = table_line;
  }
  return page + "</body></html>\n";
}

}  // namespace laggard::lab
