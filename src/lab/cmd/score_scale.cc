#include "lab/cmd/score_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <system_error>

#include "base/file.h"
#include "cmd/diagnose.h"
#include "cmd/output.h"
#include "lab/cmd/path_blame.h"
#include "lab/cmd/run_folder.h"
#include "lab/score/scale_score.h"
#include "report/json_writer.h"
#include "topology/system_file.h"

namespace laggard::lab {

namespace {

using report::JsonWriter;

/// The LUN of every attachment that the recording's system file names.
Result<std::map<std::string, std::string>> luns_of(const std::filesystem::path& day) {
  auto system = topology::load_system((day / kSystemFile).string());
  if (!system) return forward(system);
  std::map<std::string, std::string> luns;
  for (const Attachment& attachment : system->topology.attachments) {
    luns[attachment.name] = system->topology.luns[attachment.lun.index()].name;
  }
  return luns;
}

cmd::DiagnoseOptions options_for(const std::filesystem::path& day) {
  cmd::DiagnoseOptions options;
  options.analysis.recordings = {day};
  options.analysis.system = (day / kSystemFile).string();
  options.quiet = true;
  return options;
}

Result<Diagnosis> diagnosis_of(const std::filesystem::path& day, const std::string& name) {
  if (name.empty()) return cmd::diagnose(options_for(day));
  auto text = read_file(day / name);
  if (!text) return forward(text);
  return parse_diagnosis(*text, (day / name).string());
}

Result<ScaleScore> score_day(const std::filesystem::path& day, const ScaleScoreOptions& options) {
  auto text = read_file(day / kTruthFile);
  if (!text) return forward(text);
  auto truth = scale::parse_scale_truth(*text, day / kTruthFile);
  if (!truth) return forward(truth);
  auto diagnosis = diagnosis_of(day, options.diagnosis);
  if (!diagnosis) return forward(diagnosis);
  if (options.paths) {
    auto setup = cmd::prepare_diagnosis(options_for(day));
    if (!setup) return forward(setup);
    blame_by_paths(*diagnosis, setup->grouping);
  }
  auto luns = luns_of(day);
  if (!luns) return forward(luns);
  return score_scale(*truth, *diagnosis, *luns);
}

std::string minutes(const std::optional<Duration>& d) {
  return d ? fmt::format("{:.0f}", to_seconds(*d) / 60) : "–";
}

std::string to_row(const std::string& name, const ScaleSummary& summary) {
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", name, summary.problems,
                     summary.blamed, summary.kind_right, summary.confirmed, minutes(summary.onset),
                     minutes(summary.faulty), minutes(summary.persistent), minutes(summary.alarm),
                     summary.end_right);
}

std::string to_markdown(const std::vector<std::filesystem::path>& days,
                        const std::vector<ScaleScore>& scores) {
  std::string text =
      "| recording | injected | blamed | kind | said | onset | faulty | persistent | confirmed | end | "
      "alarms |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < days.size(); ++i) {
    for (const ProblemScore& problem : scores[i].problems) {
      text += fmt::format("| {} | {} {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
                          days[i].filename().string(), problem.kind, problem.blame,
                          problem.blamed ? "yes" : "**no**", problem.kind_right ? "yes" : "**no**",
                          problem.said.empty() ? "nothing" : problem.said, minutes(problem.onset),
                          minutes(problem.faulty), minutes(problem.persistent), minutes(problem.alarm),
                          minutes(problem.end), problem.alarms);
    }
  }
  text +=
      "\n| kind | injected | blamed | kind right | confirmed | onset | faulty | persistent | confirmed after "
      "| end right |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n";
  for (const auto& [kind, summary] : summarize_by_kind(scores)) text += to_row(kind, summary);
  const ScaleSummary all = summarize_scale(scores);
  text += to_row("all", all);
  text += fmt::format(
      "\nTimes are minutes after the beginning, that of the end after the end; medians. {:.1f} days: {} "
      "false "
      "alarms, {} false suspicions, {} of {} transients confirmed, the end of {} of them right.\n",
      all.days, all.false_alarms, all.suspected, all.transients, all.injected_transients,
      all.transient_end_right);
  for (std::size_t i = 0; i < days.size(); ++i) {
    for (const std::string& alarm : scores[i].false_alarms) {
      text += fmt::format("- false: {}: {}\n", days[i].filename().string(), alarm);
    }
  }
  return text;
}

void write_delay(JsonWriter& json, std::string_view name, const std::optional<Duration>& delay) {
  json.member(name, delay ? std::optional(to_seconds(*delay)) : std::nullopt);
}

void write_delays(JsonWriter& json, const auto& of) {
  write_delay(json, "onset_s", of.onset);
  write_delay(json, "faulty_s", of.faulty);
  write_delay(json, "persistent_s", of.persistent);
  write_delay(json, "confirmed_s", of.alarm);
}

void write_summary(JsonWriter& json, const ScaleSummary& summary) {
  const auto count = [&](std::string_view name, std::size_t n) {
    json.integer_member(name, static_cast<std::int64_t>(n));
  };
  count("problems", summary.problems);
  count("blamed", summary.blamed);
  count("kind_right", summary.kind_right);
  count("confirmed", summary.confirmed);
  count("end_right", summary.end_right);
  write_delays(json, summary);
}

void write_problem(JsonWriter& json, const ProblemScore& problem) {
  json.begin_object();
  json.member("kind", problem.kind);
  json.member("blame", problem.blame);
  json.member("said", problem.said);
  json.integer_member("blamed", problem.blamed ? 1 : 0);
  json.integer_member("kind_right", problem.kind_right ? 1 : 0);
  json.integer_member("confirmed", problem.confirmed ? 1 : 0);
  json.integer_member("incidents", static_cast<std::int64_t>(problem.incidents));
  json.integer_member("alarms", static_cast<std::int64_t>(problem.alarms));
  write_delays(json, problem);
  write_delay(json, "observed_s", problem.observed);
  write_delay(json, "end_s", problem.end);
  json.end_object();
}

std::string to_json(const std::vector<std::filesystem::path>& days, const std::vector<ScaleScore>& scores) {
  JsonWriter json(JsonWriter::Style::kReadable);
  json.begin_object();
  json.member("schema", "laggard.lab-scale-score/1");
  json.key("recordings");
  json.begin_list();
  for (std::size_t i = 0; i < days.size(); ++i) {
    json.begin_object();
    json.member("recording", days[i].string());
    json.key("problems");
    json.begin_list();
    for (const ProblemScore& problem : scores[i].problems) write_problem(json, problem);
    json.end_list();
    json.member("false_alarms", scores[i].false_alarms);
    json.integer_member("suspected", static_cast<std::int64_t>(scores[i].suspected));
    json.integer_member("transients", static_cast<std::int64_t>(scores[i].transients));
    json.end_object();
  }
  json.end_list();
  json.key("kinds");
  json.begin_object();
  for (const auto& [kind, summary] : summarize_by_kind(scores)) {
    json.key(kind);
    json.begin_object();
    write_summary(json, summary);
    json.end_object();
  }
  json.end_object();
  const ScaleSummary all = summarize_scale(scores);
  json.key("all");
  json.begin_object();
  json.member("days", all.days);
  write_summary(json, all);
  json.integer_member("false_alarms", static_cast<std::int64_t>(all.false_alarms));
  json.integer_member("suspected", static_cast<std::int64_t>(all.suspected));
  json.integer_member("transients", static_cast<std::int64_t>(all.transients));
  json.integer_member("injected_transients", static_cast<std::int64_t>(all.injected_transients));
  json.integer_member("transient_end_right", static_cast<std::int64_t>(all.transient_end_right));
  json.end_object();
  json.end_object();
  return json.take();
}

bool is_day(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::exists(folder / kTruthFile, error)) return false;
  auto text = read_file(folder / kTruthFile);
  return text && scale::is_scale_truth(*text);
}

}  // namespace

Result<std::vector<std::filesystem::path>> find_days(const std::vector<std::filesystem::path>& folders) {
  std::vector<std::filesystem::path> days;
  for (const std::filesystem::path& folder : folders) {
    if (is_day(folder)) days.push_back(folder);
    std::error_code error;
    for (std::filesystem::recursive_directory_iterator it(folder, error), end; !error && it != end;
         it.increment(error)) {
      if (it->is_directory(error) && is_day(it->path())) days.push_back(it->path());
    }
  }
  std::sort(days.begin(), days.end());
  return days;
}

Status score_days(const ScaleScoreOptions& options) {
  std::vector<ScaleScore> scores;
  for (const std::filesystem::path& day : options.days) {
    auto score = score_day(day, options);
    if (!score) return forward(score);
    scores.push_back(std::move(*score));
  }
  Status printed;
  if (options.json != "-") printed = cmd::print(to_markdown(options.days, scores));
  if (options.json.empty()) return printed;
  Status written = cmd::print_or_write(options.json, to_json(options.days, scores));
  return written ? printed : written;
}

}  // namespace laggard::lab
