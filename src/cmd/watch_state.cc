#include "cmd/watch_state.h"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/output_file.h"

namespace laggard::cmd {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema = "laggard.watch/1";

Json to_json(const engine::ChangeTracker::Told& told) {
  const Incident& incident = told.incident;
  Json json{{"told", to_name(told.kind)},
            {"id", incident.id},
            {"since", to_unix_ns(incident.since)},
            {"seen_until", to_unix_ns(incident.seen_until)},
            {"state", to_name(incident.state)},
            {"kind", to_name(incident.blame.kind)},
            {"name", incident.blame.name},
            {"called", incident.blame.called},
            {"cause", incident.cause},
            {"resource", incident.resource},
            {"components", incident.components},
            {"persistence", incident.persistence},
            {"severity", incident.severity}};
  if (incident.until) json["until"] = to_unix_ns(*incident.until);
  return json;
}

/// Throws what nlohmann::json throws; caught below.
engine::ChangeTracker::Told from_json(const Json& json) {
  engine::ChangeTracker::Told told;
  told.kind = change_kind(json.at("told").get<std::string>()).value_or(ChangeKind::kOpened);
  Incident& incident = told.incident;
  incident.id = json.at("id").get<std::string>();
  incident.since = from_unix_ns(json.at("since").get<std::int64_t>());
  incident.seen_until = from_unix_ns(json.at("seen_until").get<std::int64_t>());
  const bool confirmed = json.at("state").get<std::string>() == to_name(IncidentState::kConfirmed);
  incident.state = confirmed ? IncidentState::kConfirmed : IncidentState::kSuspected;
  incident.blame.kind = find_part_kind(json.at("kind").get<std::string>()).value_or(PartKind::kServer);
  incident.blame.name = json.at("name").get<std::string>();
  incident.blame.called = json.at("called").get<std::string>();
  incident.cause = json.at("cause").get<std::string>();
  incident.resource = json.at("resource").get<std::string>();
  incident.components = json.at("components").get<std::vector<std::string>>();
  incident.persistence = json.at("persistence").get<int>();
  incident.severity = json.at("severity").get<double>();
  if (json.contains("until")) incident.until = from_unix_ns(json.at("until").get<std::int64_t>());
  incident.status = incident.until ? IncidentStatus::kClosed : IncidentStatus::kOpen;
  return told;
}

}  // namespace

Status write_watch_state(const std::filesystem::path& file, const engine::ChangeTracker::State& state) {
  Json json{{"schema", kSchema}, {"number", state.number}, {"at", to_unix_ns(state.at)}};
  Json& told = json["incidents"] = Json::array();
  for (const engine::ChangeTracker::Told& one : state.told) told.push_back(to_json(one));
  return write_file(file, json.dump(1) + "\n");
}

Result<std::optional<engine::ChangeTracker::State>> read_watch_state(const std::filesystem::path& file) {
  Result<std::string> text = read_file(file);
  if (!text) {
    if (text.error().code == ErrorCode::kNotFound) return std::nullopt;
    return forward(text);
  }
  const auto refuse = [&] {
    return fail(ErrorCode::kBadInput, file.string(),
                "is no state of laggard watch, or is damaged; name another file, or remove it to begin anew");
  };
  const Json json = Json::parse(*text, nullptr, false);
  if (!json.is_object()) return refuse();
  try {
    if (json.at("schema").get<std::string>() != kSchema) return refuse();
    engine::ChangeTracker::State state;
    state.number = json.at("number").get<std::uint64_t>();
    state.at = from_unix_ns(json.at("at").get<std::int64_t>());
    for (const Json& told : json.at("incidents")) state.told.push_back(from_json(told));
    return state;
  } catch (const Json::exception&) {
    return refuse();
  }
}

}  // namespace laggard::cmd
