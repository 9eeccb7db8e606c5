#include "lab/score/scale_truth_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "lab/json_fields.h"
#include "lab/scale/scale_truth.h"

namespace laggard::lab {

namespace {

/// Collects the first thing that is wrong, so that a file is read straight through and checked once.
class TruthReader {
 public:
  [[nodiscard]] TimeSpan span(const Json& object, const char* from, const char* to) {
    return {time(object, from), time(object, to)};
  }

  [[nodiscard]] Part blame(const Json& object) {
    const std::string kind = text_of(object, "kind");
    const auto known = find_part_kind(kind);
    if (!known) complain(fmt::format("'{}' is no kind of part", kind));
    return {known.value_or(PartKind::kServer), text_of(object, "name")};
  }

  [[nodiscard]] TrueIncident incident(const Json& object) {
    TrueIncident incident;
    incident.kind = text_of(object, "kind");
    if (incident.kind.empty()) complain("has an incident without a kind");
    incident.right.push_back(blame(member_of(object, "blame")));
    for (const Json& other : member_of(object, "accepted")) incident.right.push_back(blame(other));
    for (const char* list : {"affected", "relieving"}) incident.shows.merge(texts_of(object, list));
    incident.span = span(object, "start", "stop");
    return incident;
  }

  [[nodiscard]] const std::optional<std::string>& complaint() const { return complaint_; }

 private:
  WallTime time(const Json& object, const char* name) {
    const auto parsed = time_of(object, name);
    if (!parsed) complain(fmt::format("has no time '{}' where one is due", name));
    return parsed.value_or(WallTime{});
  }

  void complain(std::string what) {
    if (!complaint_) complaint_ = std::move(what);
  }

  std::optional<std::string> complaint_;
};

}  // namespace

bool is_scale_truth(std::string_view json) {
  const Json object = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  return object.is_object() && text_of(object, "schema") == scale::kTruthSchema;
}

Result<ScaleTruth> parse_scale_truth(std::string_view json, const std::filesystem::path& path) {
  const Json object = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object() || text_of(object, "schema") != scale::kTruthSchema) {
    return fail(ErrorCode::kBadInput, path.string(), fmt::format("is no {}", scale::kTruthSchema));
  }
  TruthReader reader;
  ScaleTruth truth;
  truth.recorded = reader.span(object, "from", "to");
  for (const Json& incident : member_of(object, "incidents")) {
    truth.incidents.push_back(reader.incident(incident));
  }
  for (const Json& transient : member_of(object, "transients")) {
    truth.transients.push_back({texts_of(transient, "luns"), reader.span(transient, "start", "stop")});
  }
  if (reader.complaint()) return fail(ErrorCode::kBadInput, path.string(), *reader.complaint());
  return truth;
}

}  // namespace laggard::lab
