#include "cmd/import_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "archive/writer.h"
#include "base/terminal_text.h"
#include "base/text.h"
#include "cmd/new_observations.h"
#include "cmd/output.h"
#include "cmd/recording_folder.h"
#include "collect/import/csv/moment.h"
#include "model/code_profile.h"

namespace laggard::cmd {

namespace {

using collect::ImportResult;
using Json = nlohmann::ordered_json;

std::string import_json(const ImportOptions& common, const ImportResult& result, const ImportCounts& counts) {
  Json json;
  json["schema"] = "laggard.import/1";
  json["recording"] = common.out;
  json["new"] = counts.added;
  json["already_there"] = counts.already_there;
  json["sources"] = result.sources;
  json["from"] = result.first ? Json(to_iso8601(*result.first)) : Json();
  json["to"] = result.last ? Json(to_iso8601(*result.last)) : Json();
  json["errors"] = Json::array();
  for (const Error& error : result.errors) json["errors"].push_back(error.message());
  if (result.passed_over) json["passed_over"] = *result.passed_over;
  return with_escapes(json.dump(-1, ' ', false, Json::error_handler_t::replace)) + "\n";
}

std::string import_text(const ImportOptions& common, const ImportResult& result, const ImportCounts& counts) {
  std::string text = fmt::format("{}: {} new {}", printable(common.out), with_separators(counts.added),
                                 counts.added == 1 ? counts.one : counts.many);
  if (counts.already_there > 0) {
    text += fmt::format(" ({} already there)", with_separators(counts.already_there));
  }
  if (result.first) text += fmt::format(", {} to {}", to_iso8601(*result.first), to_iso8601(*result.last));
  return text + "\n";
}

}  // namespace

void add_common(CLI::App& command, ImportOptions& common) {
  command
      .add_option("-o,--out", common.out, "The recording, a folder; made if need be, added to if it is there")
      ->required()
      ->type_name("REC");
  command.add_flag("--json", common.json, "Say what was imported as JSON on standard output");
}

CLI::Option* add_list(CLI::App& command, const std::string& name, std::vector<std::string>& list,
                      const std::string& help) {
  return command.add_option(name, list, help)->delimiter(',')->allow_extra_args(false);
}

void add_max_unpacked(CLI::App& command, collect::UnpackLimits& limits, const std::string& otherwise) {
  command
      .add_option_function<std::string>(
          "--max-unpacked",
          [&limits](const std::string& text) {
            limits.most = parse_bytes(text);
            if (!limits.most)
              throw CLI::ValidationError("--max-unpacked", text + " is no size; write 500M or 10G");
          },
          "Refuse a packed file that unpacks to more than this (" + otherwise + ")")
      ->type_name("SIZE");
}

void ImportDisplay::progress(const collect::ImportState& state) {
  const double part =
      state.total == 0 ? 0 : static_cast<double>(state.done) / static_cast<double>(state.total);
  constexpr std::size_t kLongestName = 40;
  std::string name = state.source;
  if (name.size() > kLongestName) name = "…" + name.substr(name.size() - kLongestName);
  line_.update(part, state.values, name);
}

int finish_import(const ImportOptions& common, Result<ImportResult> result, const Status& closed,
                  const ImportCounts& counts) {
  ImportResult shown;
  if (result) {
    shown = std::move(*result);
  } else {
    shown.errors.push_back(std::move(result.error()));
  }
  if (!closed && (shown.errors.empty() || shown.errors.back().message() != closed.error().message())) {
    shown.errors.push_back(closed.error());
  }
  if (counts.made && counts.added == 0) remove_empty_recording(common.out);
  int status = kClean;
  for (Error& error : shown.errors) {
    if (error.code != ErrorCode::kNoSpace) continue;
    error.what += "; make room and import again, what is there already is kept";
    shown.first.reset();  // What was read is more than what found room.
  }
  for (const Error& error : shown.errors) status = std::max(status, report_error(error));
  Status printed;
  if (common.json) {
    printed = print(import_json(common, shown, counts));
  } else if (shown.errors.empty() || counts.added + counts.already_there > 0) {
    printed = print(import_text(common, shown, counts));
  }
  if (!printed) status = std::max(status, report_error(printed.error()));
  if (shown.errors.size() > 1) {
    std::fprintf(stderr, "laggard: %zu sources could not be read\n", shown.errors.size());
  }
  return status;
}

int run_observation_import(const ImportOptions& common, const ImportedKinds& what,
                           const ImportObservations& import) {
  if (const Status usable = check_recording_folder(common.out); !usable) return report_error(usable.error());
  SystemClock clock;
  std::error_code unknown;
  const bool made = !std::filesystem::exists(common.out, unknown);
  archive::ObservationWriter writer(common.out, {.recorder = what.recorder}, clock);
  auto fresh = NewObservations::open(common.out, what.shape, what.kinds, writer);
  if (!fresh) return report_error(fresh.error());
  ImportDisplay display(clock);
  auto result = import(*fresh, display);
  display.clear();
  const Status closed = writer.close();
  return finish_import(common, std::move(result), closed,
                       {.added = writer.stats().rows_added,
                        .already_there = fresh->already_there(),
                        .made = made,
                        .one = what.one,
                        .many = what.many});
}

const ImportedKinds& code_kinds() {
  static const ImportedKinds kinds{.recorder = "samples",
                                   .shape = ObservationShape::kProfiles,
                                   .kinds = {std::string(kSamplesKind), std::string(kStacksKind)},
                                   .one = "profile",
                                   .many = "profiles"};
  return kinds;
}

Result<std::optional<Duration>> zone_option(const std::string& text) {
  if (text.empty()) return std::optional<Duration>();
  auto zone = collect::parse_zone(text);
  if (!zone) return forward(zone);
  return std::optional(*zone);
}

Result<Duration> frequency_option(const std::string& text) {
  if (text.empty()) return Duration::zero();
  constexpr double kMostHz = 1e6;
  constexpr double kNsPerSecond = 1e9;
  const std::optional<double> hz = to_number<double>(text);
  if (!hz || !(*hz > 0) || *hz > kMostHz) {
    return fail(ErrorCode::kBadUse, "--frequency",
                fmt::format("'{}' is no number of samples a second, as 99, of at most a million", text));
  }
  return Duration(std::llround(std::min(kNsPerSecond / *hz, kNsPerSecond * 1e6)));
}

}  // namespace laggard::cmd
