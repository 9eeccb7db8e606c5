#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/cmd/results.h"
#include "lab/cmd/sweep.h"

namespace laggard::lab {

namespace {

std::string title(const ClusterResults& cluster) {
  const std::string name = cluster.file_system.empty() ? "cluster" : cluster.file_system;
  std::string text = fmt::format("{} {}/{}, {} runs", name, cluster.clients, cluster.servers, cluster.runs);
  if (cluster.paper != nullptr) text += fmt::format(" (F's Table {})", cluster.paper->number);
  return text;
}

/// `92.0 (85–97)`: the figure and its 95 % interval, in per cent.
std::string figure(const Proportion& proportion) {
  if (proportion.runs == 0) return "–";
  const Interval interval = proportion.interval();
  return fmt::format("{:.1f} ({:.0f}–{:.0f})", proportion.percent(), 100 * interval.low, 100 * interval.high);
}

std::string seconds(const std::optional<double>& value) {
  return value ? fmt::format("{:.0f} s", *value) : "–";
}

std::string paper_columns(const ClusterResults& cluster, const std::string& name) {
  if (cluster.paper == nullptr) return "";
  if (name == "observable") {
    return fmt::format(" {:.1f} | | {:.1f} | |", cluster.paper->observable_itp,
                       cluster.paper->observable_dtp);
  }
  const auto& rows = cluster.paper->rows;
  const auto* const row =
      std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.fault == name; });
  if (row == rows.end()) return " | | | |";
  return fmt::format(" {:.1f} | {:.1f} | {:.1f} | {:.1f} |", row->itp, row->ifp, row->dtp, row->dfp);
}

std::string rates_line(const std::string& name, const Rates& rates) {
  return fmt::format("| {} | {} | {} | {} | {} | {} |", name, figure(rates.itp), figure(rates.ifp),
                     figure(rates.dtp), figure(rates.dfp), seconds(rates.median_latency_s()));
}

std::string method_table(const ClusterResults& cluster, const MethodResults& method) {
  const bool paper = cluster.paper != nullptr;
  std::string text = fmt::format("| {} | ITP % | IFP % | DTP % | DFP % | latency |", method.name);
  text += paper ? " F ITP | F IFP | F DTP | F DFP |\n" : "\n";
  text += std::string("|---|---|---|---|---|---|") + (paper ? "---|---|---|---|\n" : "\n");
  const auto add = [&](const std::string& name, const Rates& rates) {
    text += rates_line(name, rates) + paper_columns(cluster, name) + "\n";
  };
  for (const Tally::Row& row : method.tally.faults) add(row.name, row.rates);
  add("aggregate", method.tally.aggregate);
  add("observable", method.tally.observable);
  return text;
}

std::string workload_table(const MethodResults& method) {
  std::string text =
      fmt::format("| {}, by workload | ITP % | IFP % | DTP % | DFP % | latency |\n", method.name);
  text += "|---|---|---|---|---|---|\n";
  for (const Tally::Row& row : method.tally.workloads) text += rates_line(row.name, row.rates) + "\n";
  return text;
}

/// How often a fault is found, by how hard it strikes or by what it costs; empty where no run says so.
std::string size_table(const std::string& head, const std::vector<Tally::Row>& rows) {
  if (rows.empty()) return "";
  std::string text = fmt::format(
      "| {} | all found % | another accused % | cause right % | right or unknown % | latency |\n", head);
  text += "|---|---|---|---|---|---|\n";
  for (const Tally::Row& row : rows) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", row.name, figure(row.rates.itp),
                        figure(row.rates.ifp), figure(row.rates.dtp), figure(row.rates.cause_ok),
                        seconds(row.rates.median_latency_s()));
  }
  return text + "\n";
}

std::string reproduction(const ClusterResults& cluster, const MethodResults& method) {
  const std::vector<CellCheck> cells = check_cells(method.tally, *cluster.paper);
  const auto inside = std::ranges::count_if(cells, [](const auto& cell) { return cell.inside(); });
  const auto alike = std::ranges::count_if(cells, [](const auto& cell) { return !cell.told_apart(); });
  const std::string text = fmt::format(
      "{} of {} cells lie within the 95 % interval around F's figure; {} cannot be told from it as samples "
      "(Fisher's exact test, 5 %).",
      inside, cells.size(), alike);
  std::string outside;
  for (const CellCheck& cell : cells) {
    if (cell.inside()) continue;
    outside += fmt::format("{}{} {} {:.1f} (F: {:.1f}, p = {:.3f})", outside.empty() ? "" : "; ", cell.row,
                           cell.figure, cell.ours, cell.paper, cell.p);
  }
  return outside.empty() ? text + "\n" : text + " Outside: " + outside + ".\n";
}

/// T §6.4.1's figures, which need no alarm.
std::string persistence_text(const MethodResults& method) {
  std::vector<std::string> said;
  if (method.persistence_gap) {
    said.push_back(fmt::format(
        "persistence of the faulty server less the largest of another one, median: {:.0f} windows",
        *method.persistence_gap));
  }
  if (method.anomalous_beside_fault) {
    said.push_back(fmt::format("healthy servers that were anomalous in a run with a fault: {:.2f}",
                               *method.anomalous_beside_fault));
  }
  if (method.anomalous_without_fault)
    said.push_back(fmt::format("in a run without one: {:.2f}", *method.anomalous_without_fault));
  return said.empty() ? std::string() : fmt::format("{}: {}.\n\n", method.name, fmt::join(said, "; "));
}

}  // namespace

std::string to_markdown(const std::vector<ClusterResults>& results) {
  std::string text;
  for (const ClusterResults& cluster : results) {
    text += fmt::format("## {}\n\n", title(cluster));
    for (const MethodResults& method : cluster.methods) {
      text += method_table(cluster, method) + "\n";
      const bool as_papers = method.name == paper_method().name || method.name == one_client_method().name;
      if (cluster.paper != nullptr && as_papers) text += reproduction(cluster, method) + "\n";
      text += workload_table(method) + "\n";
      text += size_table(method.name + ", by strength", method.tally.strengths);
      text += size_table(method.name + ", by the throughput that it cost", method.tally.costs);
      text += persistence_text(method);
    }
  }
  return text;
}

namespace {

std::string span_text(const Interval& span) {
  return span.low == span.high ? fmt::format("{:.1f}", span.low)
                               : fmt::format("{:.1f} to {:.1f}", span.low, span.high);
}

std::string paper_text(const Interval& paper) {
  if (std::isinf(paper.high)) return "rises";
  if (std::isinf(paper.low)) return "falls";
  return paper.low == paper.high ? fmt::format("{}", paper.low)
                                 : fmt::format("{} to {}", paper.low, paper.high);
}

}  // namespace

std::string to_sweep_markdown(const std::vector<ClusterResults>& results) {
  constexpr std::string_view kHead =
      "| setting | ITP % | IFP % | DTP % | DFP % | latency |\n|---|---|---|---|---|---|\n";
  std::string text;
  for (const ClusterResults& cluster : results) {
    text += fmt::format("## {}\n\n{}", title(cluster), kHead);
    for (const MethodResults& method : cluster.methods)
      text += rates_line(method.name, method.tally.aggregate) + "\n";
    text += "\n";
  }
  const std::vector<SweepRow> all = over_all_clusters(results);
  if (results.size() > 1) {
    text += fmt::format("## {} clusters together\n\n{}", results.size(), kHead);
    for (const SweepRow& row : all) text += rates_line(row.name, row.rates) + "\n";
    text += "\n";
  }
  text += "| F §11.2, over its four clusters | | F | ours | 95 % | inside |\n|---|---|---|---|---|---|\n";
  for (const SweepFigure& figure : compare_with_paper(all)) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", figure.setting, figure.rate,
                        paper_text(figure.paper), span_text(figure.ours), span_text(figure.interval),
                        figure.holds ? "yes" : "no");
  }
  return text;
}

}  // namespace laggard::lab
