#include "lab/cmd/production_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "lab/score/tally.h"

namespace laggard::lab {

namespace {

using Score = StretchScore StretchResult::*;

/// What a row of the first two tables counts.
struct Sums {
  std::size_t issues = 0;
  Proportion localized;
  Proportion exact;
  std::size_t alarms = 0;
  std::vector<double> told_s;
  std::vector<double> confirmed_s;
  Proportion mode;  ///< Of those that were localized by a right part, or not: said rightly.
  std::size_t unknown_mode = 0;
  std::vector<double> mode_s;
  std::size_t of_interest = 0;

  void add(const IssueScore& issue) {
    ++issues;
    mode.add(issue.localized && issue.mode == production::mode_of(issue.kind));
    if (!issue.mode) ++unknown_mode;
    if (issue.mode_told) mode_s.push_back(to_seconds(*issue.mode_told));
    if (issue.of_interest) ++of_interest;
    localized.add(issue.localized);
    exact.add(issue.exact);
    alarms += issue.alarms;
    if (issue.told) told_s.push_back(to_seconds(*issue.told));
    if (issue.confirmed) confirmed_s.push_back(to_seconds(*issue.confirmed));
  }
};

/// Of those that were told of at all.
std::string median(std::vector<double> seconds) {
  if (seconds.empty()) return "–";
  std::ranges::sort(seconds);
  return fmt::format("{:.0f}", seconds[seconds.size() / 2]);
}

std::string with_interval(const Proportion& share) {
  const Interval interval = share.interval();
  return fmt::format("{:.1f} % [{:.1f}, {:.1f}]", share.percent(), 100 * interval.low, 100 * interval.high);
}

struct FalseAlarms {
  std::size_t count = 0;
  std::size_t transient = 0;
  double hours = 0;
};

FalseAlarms false_alarms(std::span<const StretchResult> stretches, Score score) {
  FalseAlarms sum;
  for (const StretchResult& stretch : stretches) {
    sum.count += (stretch.*score).false_alarms;
    sum.transient += (stretch.*score).transient_alarms;
    sum.hours += 1;
  }
  return sum;
}

std::string per_day(const FalseAlarms& alarms) {
  if (alarms.hours == 0) return "–";
  const double days = alarms.hours / 24;
  const Interval interval = poisson_interval(alarms.count);
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", static_cast<double>(alarms.count) / days, interval.low / days,
                     interval.high / days);
}

std::string method_row(const char* name, const ProductionResults& results, Score score) {
  Sums sums;
  for (const StretchResult& one : results.issues) {
    if ((one.*score).issue) sums.add(*(one.*score).issue);
  }
  const FalseAlarms beside = false_alarms(results.issues, score);
  const FalseAlarms healthy = false_alarms(results.healthy, score);
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", name, sums.issues,
                     with_interval(sums.localized), with_interval(sums.exact), median(sums.told_s),
                     median(sums.confirmed_s), sums.alarms, beside.transient, beside.count, per_day(healthy));
}

std::string kinds_table(const ProductionResults& results) {
  std::map<production::IncidentKind, Sums> kinds;
  for (const StretchResult& one : results.issues) {
    if (one.ours.issue) kinds[one.ours.issue->kind].add(*one.ours.issue);
  }
  std::string text =
      "\n| kind | mode | issues | localized | by itself | mode right | told after, s | confirmed, s | "
      "mode, s | alarms |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n";
  for (const auto& [kind, sums] : kinds) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", to_name(kind),
                        to_name(production::mode_of(kind)), sums.issues, sums.localized.hits, sums.exact.hits,
                        sums.mode.hits, median(sums.told_s), median(sums.confirmed_s), median(sums.mode_s),
                        sums.alarms);
  }
  return text;
}

/// In K's rows (Table I); an incident that is not localized counts as wrong.
std::string modes_table(const ProductionResults& results) {
  std::map<FailureMode, Sums> modes;
  Sums all;
  for (const StretchResult& one : results.issues) {
    if (!one.ours.issue) continue;
    modes[production::mode_of(one.ours.issue->kind)].add(*one.ours.issue);
    all.add(*one.ours.issue);
  }
  std::string text =
      "\n| mode | issues | right | said otherwise | unknown | told after, s | alarmed about by K's policies "
      "|\n"
      "|---|---|---|---|---|---|---|\n";
  const auto row = [&](std::string_view name, const Sums& sums) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", name, sums.issues, with_interval(sums.mode),
                        sums.issues - sums.mode.hits - sums.unknown_mode, sums.unknown_mode,
                        median(sums.mode_s), sums.of_interest);
  };
  for (const auto& [mode, sums] : modes) row(to_name(mode), sums);
  row("both", all);
  std::size_t beside = 0;
  for (const StretchResult& one : results.issues) beside += one.ours.alarms_of_interest;
  return text + fmt::format("\n{} alarms in the hours of the {} incidents are left by K's policies.\n",
                            beside, all.issues);
}

/// As it was told of, and in the end, of suspicions and of alarms apart.
std::string calibration_table(const ProductionResults& results) {
  constexpr std::array kEdges{0.0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0};
  struct Bin {
    Proportion right;
    double said = 0;
  };
  std::map<std::pair<ConfidenceStage, std::size_t>, Bin> bins;
  for (const auto* stretches : {&results.issues, &results.healthy}) {
    for (const StretchResult& stretch : *stretches) {
      for (const ConfidenceScore& one : stretch.ours.confidences) {
        const auto above = std::upper_bound(kEdges.begin() + 1, kEdges.end() - 1, one.confidence);
        Bin& bin = bins[{one.stage, static_cast<std::size_t>(above - kEdges.begin()) - 1}];
        bin.right.add(one.right);
        bin.said += one.confidence;
      }
    }
  }
  constexpr std::array kStages{"when told of", "suspected to the end", "confirmed"};
  std::string text = "\n| state | confidence | parts | mean | truly sick |\n|---|---|---|---|---|\n";
  for (const auto& [key, bin] : bins) {
    const auto& [stage, edge] = key;
    text +=
        fmt::format("| {} | {:g} to {:g} | {} | {:.1f} % | {} |\n", kStages[static_cast<std::size_t>(stage)],
                    kEdges[edge], kEdges[edge + 1], bin.right.runs,
                    100 * bin.said / static_cast<double>(bin.right.runs), with_interval(bin.right));
  }
  return text;
}

std::string misses(const ProductionResults& results) {
  std::string text;
  for (std::size_t i = 0; i < results.issues.size(); ++i) {
    const StretchScore& score = results.issues[i].ours;
    if (score.issue && score.issue->localized &&
        score.issue->mode != production::mode_of(score.issue->kind)) {
      text += fmt::format("- mode: {} {} {}, said: {}\n", i, to_name(score.issue->kind), score.issue->truth,
                          score.issue->mode ? to_name(*score.issue->mode) : "nothing");
    }
    if (score.issue && !score.issue->localized) {
      text += fmt::format("- missed: {} {} {}, said: {}\n", i, to_name(score.issue->kind), score.issue->truth,
                          score.issue->said.empty() ? "nothing" : score.issue->said);
    }
    for (const std::string& part : score.false_parts) text += fmt::format("- false: {} {}\n", i, part);
  }
  for (std::size_t i = 0; i < results.healthy.size(); ++i) {
    for (const std::string& part : results.healthy[i].ours.false_parts) {
      text += fmt::format("- false: healthy {} {}\n", i, part);
    }
  }
  return text.empty() ? text : "\n" + text;
}

std::string load_line(const ProductionResults& results) {
  std::uint64_t probes = 0;
  std::uint64_t failed = 0;
  double prompt = 0;
  double judged = 0;
  double stretches = 0;
  for (const auto* all : {&results.issues, &results.healthy}) {
    for (const StretchResult& stretch : *all) {
      probes += stretch.probes;
      failed += stretch.failed;
      prompt += stretch.prompt_share;
      judged += stretch.judged_s;
      ++stretches;
    }
  }
  return fmt::format(
      "\n{} probes, {:.2f} % of them failed; {:.1f} % of rounds began within 3 s; an hour is judged in "
      "{:.1f} s "
      "of CPU.\n",
      probes, 100 * static_cast<double>(failed) / static_cast<double>(std::max<std::uint64_t>(probes, 1)),
      100 * prompt / std::max(stretches, 1.0), judged / std::max(stretches, 1.0));
}

}  // namespace

std::string production_markdown(const ProductionResults& results) {
  std::string text =
      "| method | issues | localized | by itself | told after, s | confirmed, s | alarms | of transients | "
      "false | false a healthy day |\n|---|---|---|---|---|---|---|---|---|---|\n";
  text += method_row("laggard", results, &StretchResult::ours);
  text += method_row("NetBouncer", results, &StretchResult::netbouncer);
  text += modes_table(results);
  text += kinds_table(results);
  text += calibration_table(results);
  text += load_line(results);
  return text + misses(results);
}

}  // namespace laggard::lab
