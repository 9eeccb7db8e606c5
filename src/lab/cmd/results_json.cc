#include "lab/cmd/results.h"
#include "report/json_writer.h"

namespace laggard::lab {

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

}  // namespace laggard::lab
