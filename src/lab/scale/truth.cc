#include "lab/scale/truth.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "lab/json_fields.h"

namespace laggard::lab::scale {

namespace {

using OrderedJson = nlohmann::ordered_json;

class Writer {
 public:
  explicit Writer(const ScaleSpec& spec) : spec_(spec) {}

  [[nodiscard]] std::string time(Seconds t) const {
    return to_iso8601(spec_.start + std::chrono::seconds(t));
  }

  [[nodiscard]] static OrderedJson part(const Part& blame) {
    return {{"kind", to_name(blame.kind)}, {"name", blame.name}};
  }

  [[nodiscard]] OrderedJson incident(const ScaleIncident& incident) const {
    OrderedJson json;
    json["kind"] = to_name(incident.kind);
    json["source"] = source_of(incident.kind);
    json["description"] = incident.description;
    json["start"] = time(incident.start);
    json["stop"] = time(incident.stop);
    json["ongoing"] = incident.stop >= spec_.duration;
    json["blame"] = part(incident.blame);
    json["accepted"] = OrderedJson::array();
    for (const Part& other : incident.accepted) json["accepted"].push_back(part(other));
    const Affected affected = affected_by(spec_.site, incident);
    json["affected"] = affected.attachments;
    json["relieving"] = affected.relieving;
    json["slowed"] = affected.slowed;
    return json;
  }

  [[nodiscard]] OrderedJson transient(const Transient& transient) const {
    OrderedJson luns = OrderedJson::array();
    const Effect& effect = transient.effect;
    for (std::size_t lun = 0; lun < spec_.site.luns_per_array(); ++lun) {
      if (effect.luns.test(lun)) luns.push_back(spec_.site.lun_name(effect.array, lun));
    }
    return {
        {"kind", transient.what}, {"luns", luns}, {"start", time(effect.from)}, {"stop", time(effect.to)}};
  }

  [[nodiscard]] OrderedJson server_work(const ServerWork& work) const {
    return {{"server", spec_.site.server_name(work.array, work.server)},
            {"start", time(work.from)},
            {"stop", time(work.to)},
            {"requests_per_s", work.requests.rate.reads_per_s + work.requests.rate.writes_per_s}};
  }

  [[nodiscard]] OrderedJson clock_step(const ClockStep& step) const {
    return {{"server", spec_.site.server_name(step.array, step.server)},
            {"at", time(step.at)},
            {"by_s", step.by}};
  }

 private:
  const ScaleSpec& spec_;
};

}  // namespace

std::string to_json(const ScaleSpec& spec, const Plan& plan) {
  const Writer writer(spec);
  OrderedJson json;
  json["schema"] = kTruthSchema;
  json["site"] = spec.site.name;
  json["seed"] = spec.seed;
  json["from"] = writer.time(0);
  json["to"] = writer.time(spec.duration);
  json["interval_s"] = spec.interval;
  json["incidents"] = OrderedJson::array();
  for (const ScaleIncident& incident : plan.incidents) json["incidents"].push_back(writer.incident(incident));
  json["transients"] = OrderedJson::array();
  for (const Transient& each : plan.transients) json["transients"].push_back(writer.transient(each));
  json["server_work"] = OrderedJson::array();
  for (const ServerWork& each : plan.server_work) json["server_work"].push_back(writer.server_work(each));
  json["clock_steps"] = OrderedJson::array();
  for (const ClockStep& each : plan.clock_steps) json["clock_steps"].push_back(writer.clock_step(each));
  return json.dump(1) + "\n";
}

namespace {

/// Keeps the first error, so that a file is read straight through and checked once.
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
    for (const char* list : {"affected", "relieving", "slowed"}) incident.shows.merge(texts_of(object, list));
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
  return object.is_object() && text_of(object, "schema") == kTruthSchema;
}

Result<ScaleTruth> parse_scale_truth(std::string_view json, const std::filesystem::path& path) {
  const Json object = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object() || text_of(object, "schema") != kTruthSchema) {
    return fail(ErrorCode::kBadInput, path.string(), fmt::format("is no {}", kTruthSchema));
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

}  // namespace laggard::lab::scale
