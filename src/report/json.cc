#include "report/json.h"

#include "model/outcome.h"
#include "report/json_writer.h"
#include "report/payloads.h"
#include "report/spoken.h"

namespace laggard::report {

namespace {

void write(JsonWriter& json, const Part& blame) {
  json.begin_object();
  json.member("kind", to_name(blame.kind));
  json.member("name", blame.name);
  if (!blame.called.empty()) json.member("called", blame.called);
  json.end_object();
}

void write_payloads(JsonWriter& json, const Evidence& evidence) {
  if (evidence.payloads.empty()) return;
  json.key("payloads");
  json.begin_list();
  for (const Payload& payload : evidence.payloads) write(json, payload);
  json.end_list();
}

/// Of a witness that compares no metric.
void write_other(JsonWriter& json, const Evidence& evidence) {
  json.begin_object();
  json.member("source", evidence.source);
  json.member("component", evidence.component);
  if (evidence.part) {
    json.key("part");
    write(json, *evidence.part);
  }
  json.member("detector", evidence.detector);
  json.member("score", evidence.score);
  json.member("level", evidence.level);
  json.member("peers", evidence.peers);
  json.member("unit", evidence.unit);
  json.member("windows", evidence.windows);
  json.member("note", evidence.note);
  write_payloads(json, evidence);
  if (evidence.mode) json.member("mode", to_name(*evidence.mode));
  if (evidence.mode && evidence.surmised) {
    json.key("surmised");
    json.boolean(true);
  }
  json.end_object();
}

void write(JsonWriter& json, const Evidence& evidence) {
  if (evidence.metric.empty()) return write_other(json, evidence);
  json.begin_object();
  json.member("source", evidence.source);
  json.member("metric", evidence.metric);
  json.member("component", evidence.component);
  json.member("distance", evidence.distance);
  json.member("threshold", evidence.threshold);
  json.member("windows", evidence.windows);
  json.member("detector", evidence.detector);
  json.member("score", evidence.score);
  json.member("level", evidence.level);
  json.member("peers", evidence.peers);
  json.member("unit", evidence.unit);
  json.member("note", evidence.note);
  write_payloads(json, evidence);
  if (evidence.peer_count > 0) {
    json.integer_member("peer_count", static_cast<std::int64_t>(evidence.peer_count));
  }
  if (evidence.window_s) json.member("window_s", *evidence.window_s);
  json.end_object();
}

void write(JsonWriter& json, const IncidentDecision& decision) {
  json.begin_object();
  json.member("what", decision.what);
  json.member("made", decision.made);
  json.member("by", decision.by);
  json.member("why", decision.why);
  json.key("undone");
  json.boolean(decision.undone);
  json.end_object();
}

void write(JsonWriter& json, const Impact& impact) {
  json.begin_object();
  json.member("group", impact.group);
  json.member("before", impact.before);
  json.member("during", impact.during);
  json.member("unit", impact.unit);
  json.end_object();
}

void write(JsonWriter& json, const Incident& incident) {
  json.begin_object();
  json.member("id", incident.id);
  json.member("since", incident.since);
  json.member("faulty_since", incident.faulty_since);
  json.member("until", incident.until);
  json.member("state", to_name(incident.state));
  json.member("status", to_name(incident.status));
  json.member("confidence", incident.confidence);
  json.key("blame");
  write(json, incident.blame);
  json.list("alternatives", incident.alternatives, [&](const Part& blame) { write(json, blame); });
  json.member("components", incident.components);
  json.member("cause", incident.cause);
  json.member("resource", incident.resource);
  json.member("rule", incident.rule);
  json.key("mode");
  if (incident.mode) {
    json.text(to_name(*incident.mode));
  } else {
    json.null();
  }
  json.integer_member("persistence", incident.persistence);
  json.member("severity", incident.severity);
  json.member("thresholds", to_name(incident.thresholds));
  json.list("evidence", incident.evidence, [&](const Evidence& evidence) { write(json, evidence); });
  json.member("why", incident.why);
  json.member("persistent_since", incident.persistent_since);
  json.member("confirmed_since", incident.confirmed_since);
  if (!incident.check.empty()) json.member("check", incident.check);
  if (!incident.also_known_as.empty()) json.member("also_known_as", incident.also_known_as);
  if (!incident.decisions.empty()) {
    json.list("decisions", incident.decisions,
              [&](const IncidentDecision& decision) { write(json, decision); });
  }
  if (incident.impact) {
    json.key("impact");
    write(json, *incident.impact);
  }
  if (incident.seen_until != WallTime{}) json.member("last_seen", incident.seen_until);
  if (const std::string says = spoken_evidence(incident); !says.empty()) json.member("says", says);
  json.end_object();
}

void write(JsonWriter& json, const RankedComponent& ranked) {
  json.begin_object();
  json.member("component", ranked.component);
  json.member("group", ranked.group);
  json.integer_member("persistence", ranked.persistence);
  json.member("severity", ranked.severity);
  json.end_object();
}

void write(JsonWriter& json, const ClockSkew& skew) {
  json.begin_object();
  json.member("host", skew.host);
  json.member("from", skew.from);
  json.member("to", skew.to);
  json.member("ahead_s", to_seconds(skew.ahead));
  json.member("error_s", to_seconds(skew.error));
  json.member("correlation", skew.correlation);
  json.member("unmoved", skew.unmoved);
  json.member("sigmas", skew.sigmas);
  json.end_object();
}

void write(JsonWriter& json, const Clocks& clocks) {
  json.begin_object();
  json.integer_member("agree", static_cast<std::int64_t>(clocks.agree));
  json.list("skewed", clocks.skewed, [&](const ClockSkew& skew) { write(json, skew); });
  json.member("unknown", clocks.unknown);
  json.key("corrected");
  json.boolean(clocks.corrected);
  json.member("left_out", clocks.left_out);
  json.end_object();
}

void write_count(JsonWriter& json, std::string_view what, const Judged::Count& count) {
  json.key(what);
  json.begin_object();
  json.integer_member("judged", static_cast<std::int64_t>(count.judged));
  json.integer_member("there", static_cast<std::int64_t>(count.there));
  json.end_object();
}

void write(JsonWriter& json, const Judged& judged) {
  json.begin_object();
  write_count(json, "hosts", judged.hosts);
  write_count(json, "components", judged.components);
  write_count(json, "groups", judged.groups);
  json.integer_member("idle", static_cast<std::int64_t>(judged.idle));
  json.member("from", judged.from);
  json.member("to", judged.to);
  json.member("recorded_s", to_seconds(judged.recorded));
  json.end_object();
}

void write(JsonWriter& json, const Coverage& coverage) {
  json.begin_object();
  json.integer_member("hosts", static_cast<std::int64_t>(coverage.hosts));
  json.integer_member("components", static_cast<std::int64_t>(coverage.components));
  json.member("metrics", coverage.metrics);
  json.member("missing", coverage.missing);
  json.member("not_comparable", coverage.not_comparable);
  json.key("clocks");
  write(json, coverage.clocks);
  json.member("damaged", coverage.damaged);
  json.key("partial");
  json.boolean(coverage.partial());
  json.key("judged");
  write(json, coverage.judged);
  json.end_object();
}

void write(JsonWriter& json, const Slowdown& slowdown) {
  json.begin_object();
  json.member("group", slowdown.group);
  json.integer_member("members", static_cast<std::int64_t>(slowdown.members));
  json.member("since", slowdown.since);
  json.member("until", slowdown.until);
  json.member("before", slowdown.before);
  json.member("during", slowdown.during);
  json.member("unit", slowdown.unit);
  json.end_object();
}

void write(JsonWriter& json, std::string_view key, const Camps::Camp& camp) {
  json.key(key);
  json.begin_object();
  json.member("members", camp.members);
  json.member("level", camp.level);
  json.list("share", camp.share, [&](const Part& part) { write(json, part); });
  json.end_object();
}

void write(JsonWriter& json, const Camps& camps) {
  json.begin_object();
  json.member("group", camps.group);
  json.member("metric", camps.metric);
  json.member("unit", camps.unit);
  json.member("since", camps.since);
  json.member("until", camps.until);
  write(json, "higher", camps.higher);
  write(json, "lower", camps.lower);
  json.end_object();
}

std::string write(const Diagnosis& diagnosis, JsonWriter::Style style) {
  JsonWriter json(style);
  json.begin_object();
  json.member("schema", "laggard.diagnosis/1");
  json.member("from", diagnosis.from);
  json.member("to", diagnosis.to);
  json.member("distance", diagnosis.distance);
  json.list("incidents", diagnosis.incidents, [&](const Incident& incident) { write(json, incident); });
  json.list("ranking", diagnosis.ranking, [&](const RankedComponent& ranked) { write(json, ranked); });
  json.key("coverage");
  write(json, diagnosis.coverage);
  json.member("preset", diagnosis.preset);
  json.member("thresholds", to_name(diagnosis.thresholds));
  if (!diagnosis.slowdowns.empty()) {
    json.list("slowdowns", diagnosis.slowdowns, [&](const Slowdown& slowdown) { write(json, slowdown); });
  }
  if (!diagnosis.camps.empty()) {
    json.list("camps", diagnosis.camps, [&](const Camps& camps) { write(json, camps); });
  }
  if (!diagnosis.shared_symptoms.empty()) json.member("shared_symptoms", diagnosis.shared_symptoms);
  json.member("verdict", to_name(outcome_of(diagnosis)));
  const std::string why = why_not_judged(diagnosis);
  json.key("not_judged");
  if (why.empty()) {
    json.null();
  } else {
    json.text(why);
  }
  if (!diagnosis.beside.empty()) json.member("beside", diagnosis.beside);
  json.end_object();
  return json.take();
}

}  // namespace

std::string to_json(const Diagnosis& diagnosis) { return write(diagnosis, JsonWriter::Style::kReadable); }

std::string to_script_json(const Diagnosis& diagnosis) {
  return write(diagnosis, JsonWriter::Style::kScript);
}

std::string to_json_line(const Change& change) {
  JsonWriter json(JsonWriter::Style::kCompact);
  json.begin_object();
  json.member("change", to_name(change.kind));
  json.integer_member("number", static_cast<std::int64_t>(change.number));
  json.member("at", change.at);
  json.key("incident");
  write(json, change.incident);
  if (change.kind == ChangeKind::kMerged) json.member("into", change.into);
  json.end_object();
  return json.take();
}

}  // namespace laggard::report
