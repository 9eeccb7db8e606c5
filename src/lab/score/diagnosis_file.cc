#include "lab/score/diagnosis_file.h"

#include <fmt/format.h>

#include <array>

#include "lab/json_fields.h"

namespace laggard::lab {

namespace {

constexpr std::string_view kSchema = "laggard.diagnosis/1";

template <class Enum, std::size_t N>
Enum one_of(const std::string& name, const std::array<Enum, N>& values) {
  for (const Enum value : values) {
    if (to_name(value) == name) return value;
  }
  return values.front();
}

Incident to_incident(const Json& object) {
  constexpr std::array kStates{IncidentState::kSuspected, IncidentState::kConfirmed};
  constexpr std::array kStatuses{IncidentStatus::kOpen, IncidentStatus::kClosed, IncidentStatus::kExcluded,
                                 IncidentStatus::kExplained};
  Incident incident;
  incident.id = text_of(object, "id");
  incident.since = time_of(object, "since").value_or(WallTime{});
  incident.faulty_since = time_of(object, "faulty_since");
  incident.persistent_since = time_of(object, "persistent_since");
  incident.confirmed_since = time_of(object, "confirmed_since");
  incident.until = time_of(object, "until");
  incident.state = one_of(text_of(object, "state"), kStates);
  incident.status = one_of(text_of(object, "status"), kStatuses);
  const Json& blame = member_of(object, "blame");
  incident.blame = {find_part_kind(text_of(blame, "kind")).value_or(PartKind::kServer),
                    text_of(blame, "name")};
  for (const Json& component : member_of(object, "components")) {
    if (component.is_string()) incident.components.push_back(component.get<std::string>());
  }
  incident.cause = text_of(object, "cause");
  return incident;
}

}  // namespace

Result<Diagnosis> parse_diagnosis(std::string_view json, const std::string& where) {
  const Json object = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object() || text_of(object, "schema") != kSchema) {
    return fail(ErrorCode::kBadInput, where, fmt::format("is no {}", kSchema));
  }
  Diagnosis diagnosis;
  diagnosis.from = time_of(object, "from").value_or(WallTime{});
  diagnosis.to = time_of(object, "to").value_or(WallTime{});
  diagnosis.distance = text_of(object, "distance");
  for (const Json& incident : member_of(object, "incidents")) {
    diagnosis.incidents.push_back(to_incident(incident));
  }
  return diagnosis;
}

}  // namespace laggard::lab
