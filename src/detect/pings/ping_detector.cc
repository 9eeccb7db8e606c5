#include "detect/pings/ping_detector.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "base/missing.h"
#include "base/text.h"
#include "stats/beta.h"

namespace laggard::detect {

namespace {

/// A word attribute of an event; empty where it has none.
std::string_view word_of(const EventTable& events, const AttributeColumn* column, std::size_t e) {
  const auto bits = column == nullptr ? std::nullopt : column->bits(e);
  return bits ? events.words().text(Word{static_cast<std::uint32_t>(*bits)}) : std::string_view{};
}

const AttributeColumn* column_of(const EventTable& events, std::string_view key, AttributeForm form) {
  const auto found = std::ranges::find_if(events.attributes(), [&](const AttributeColumn& column) {
    return column.key == key && column.form == form;
  });
  return found == events.attributes().end() ? nullptr : &*found;
}

std::string names_of(std::span<const Part> parts) {
  std::vector<std::string> names;
  names.reserve(parts.size());
  for (const Part& part : parts) names.push_back(std::string(part.kind.spec().title) + " " + part.name);
  constexpr std::size_t kMost = 4;
  return first_few(names, kMost, ", ");
}

}  // namespace

void PingDetector::Outcomes::add(const Outcomes& more) {
  trials += more.trials;
  failures += more.failures;
  errors += more.errors;
  first = std::min(first, more.first);
  last = std::max(last, more.last);
  for (const auto& [what, count] : more.how) how[what] += count;
  for (const double latency : more.latencies_ms) {
    if (latencies_ms.size() < kMostLatencies) latencies_ms.push_back(latency);
  }
}

void PingDetector::take(const EventTable& events) {
  const Columns columns{.operation = column_of(events, "operation", AttributeForm::kWord),
                        .error = column_of(events, "error", AttributeForm::kWord),
                        .timed_out = column_of(events, "timed_out", AttributeForm::kInteger)};
  for (std::size_t e = 0; e < events.size(); ++e) {
    const Word subject = events.subjects()[e];
    if (subject == kNoWord) continue;
    if (const std::optional<Outcomes> one = outcome_of(events, e, columns)) {
      now_[{events.host(), std::string(events.words().text(subject))}].add(*one);
    }
  }
}

std::optional<PingDetector::Outcomes> PingDetector::outcome_of(const EventTable& events, std::size_t e,
                                                               const Columns& columns) {
  const EventTable::Event event = events.event(e);
  const std::string_view what = events.words().text(event.what);
  const bool is_error = what == "error";
  const bool is_failure = is_error || what == "slow" || what == "timeout";
  if (what != "ok" && !is_failure) return std::nullopt;
  if (columns.timed_out != nullptr && columns.timed_out->bits(e))
    return std::nullopt;  // It has been counted.
  Outcomes one{.trials = 1, .failures = is_failure ? 1U : 0U, .errors = is_error ? 1U : 0U};
  if (is_failure) {
    one.first = one.last = event.time;
    const std::string_view error = word_of(events, columns.error, e);
    one.how[fmt::format("{} {}", word_of(events, columns.operation, e), error.empty() ? what : error)] = 1;
  }
  if (event.duration && !is_error) one.latencies_ms.push_back(to_seconds(*event.duration) * 1e3);
  return one;
}

std::map<PingDetector::Pair, PingDetector::Outcomes> PingDetector::gather(WallTime from) const {
  std::map<Pair, Outcomes> all;
  for (const Step& step : steps_) {
    if (step.end <= from) continue;
    for (const auto& [pair, outcomes] : step.pairs) all[pair].add(outcomes);
  }
  return all;
}

void PingDetector::complete(WallTime until) {
  steps_.push_back({until, std::exchange(now_, {})});
  while (steps_.front().end <= until - std::max(kWindow, step_)) steps_.pop_front();
  const auto fails = [](const auto& entry) { return entry.second.failures > 0; };
  const bool any =
      std::ranges::any_of(steps_, [&](const Step& step) { return std::ranges::any_of(step.pairs, fails); });
  if (any) {
    judge(gather(WallTime::min()), true, until);
    if (step_ < kWindow) judge(gather(until - std::max(kSoon, step_)), false, until);
  }
  close_others(until);
}

void PingDetector::judge(const std::map<Pair, Outcomes>& pairs, bool is_whole, WallTime until) {
  std::vector<PingCounts> counts;
  std::vector<std::pair<const Pair*, const Outcomes*>> rows;
  for (const auto& [pair, outcomes] : pairs) {
    counts.push_back({pair.first, pair.second, outcomes.trials, outcomes.failures});
    rows.emplace_back(&pair, &outcomes);
  }
  const std::vector<PingVerdict> verdicts = localize_pings(counts, paths_);
  for (const PingVerdict& verdict : verdicts) {
    if (verdict.failed <= kCertain || verdict.failures < kLeastFailures) continue;
    auto [at, is_new] = open_.try_emplace(verdict.part);
    Finding& finding = at->second.finding;
    if (!is_new && at->second.seen == until) continue;  // The whole window has said so.
    at->second.seen = until;
    std::vector<std::pair<const Pair*, const Outcomes*>> its_rows;
    for (const std::size_t p : verdict.on) its_rows.push_back(rows[p]);
    if (is_new) {
      finding.part = verdict.part;
      finding.resource = Resource::kStorage;
      finding.since = WallTime::max();
      finding.until = WallTime::min();
      finding.faulty_since = until;
      finding.open = true;
    }
    renew(finding, verdict, its_rows);
    if (is_new) finding.opened = {until, finding.symptom};
    if (is_whole && !finding.confirmed_since) finding.confirmed_since = until;
  }
}

void PingDetector::renew(Finding& finding, const PingVerdict& verdict,
                         std::span<const std::pair<const Pair*, const Outcomes*>> pairs) const {
  Outcomes all;
  TablePayload table{.columns = {"client", "target", "probes", "failed"}, .rows = {}};
  for (const auto& [pair, outcomes] : pairs) {
    all.add(*outcomes);
    table.rows.push_back(
        {pair->first, pair->second, std::to_string(outcomes->trials), std::to_string(outcomes->failures)});
  }
  finding.since = std::min(finding.since, all.first);
  finding.until = std::max(finding.until, all.last);
  finding.symptom = 2 * all.errors > all.failures ? Symptom::kError : Symptom::kSlower;
  const double share = static_cast<double>(all.failures) / static_cast<double>(all.trials);
  const double score = share / (1 - kServes);
  Evidence& evidence = finding.evidence;
  if (score >= finding.strength) {
    finding.strength = score;
    finding.facts = {{&kFailedProbes, static_cast<double>(all.failures), kMissing},
                     {&kPosterior, verdict.failed, kMissing}};
    evidence.detector = "path-health";
    evidence.score = score;
    evidence.note = fmt::format(
        "{} of {} probes through it failed; it serves {:.0f} % of them (90 % interval {:.0f} to {:.0f} %), "
        "and has failed with probability {:.3f}{}",
        all.failures, all.trials, 100 * verdict.health.mean(),
        100 * stats::beta_quantile(0.05, verdict.health.alpha, verdict.health.beta),
        100 * stats::beta_quantile(0.95, verdict.health.alpha, verdict.health.beta), verdict.failed,
        verdict.others.empty() ? "" : "; these probes cannot tell it from " + names_of(verdict.others));
    RankedPayload how{.unit = "probes", .entries = {}};
    for (const auto& [what, count] : all.how) {
      how.entries.push_back({what, static_cast<double>(count), kMissing});
    }
    std::ranges::stable_sort(how.entries, std::greater<>{}, &RankedPayload::Entry::own);
    evidence.payloads = {{"how they failed", std::move(how)}, {"by client and target", std::move(table)}};
    std::ranges::sort(all.latencies_ms);
    if (!all.latencies_ms.empty()) {
      evidence.payloads.push_back(
          {"time of those that were done",
           DistributionPayload{.unit = "ms", .samples = {{verdict.part.name, std::move(all.latencies_ms)}}}});
    }
  }
}

void PingDetector::close_others(WallTime until) {
  for (auto at = open_.begin(); at != open_.end();) {
    const bool goes_on = at->second.seen == until;
    if (!goes_on) {
      at->second.finding.open = false;
      over_.push_back(std::move(at->second.finding));
    }
    at = goes_on ? std::next(at) : open_.erase(at);
  }
}

std::vector<Finding> PingDetector::findings() const {
  std::vector<Finding> all = over_;
  for (const auto& [part, open] : open_) all.push_back(open.finding);
  return all;
}

void PingDetector::forget(std::span<const std::uint8_t> keep) {
  std::vector<Finding> left;
  for (std::size_t f = 0; f < over_.size(); ++f) {
    if (keep[f] != 0) left.push_back(std::move(over_[f]));
  }
  over_ = std::move(left);
}

std::vector<PathEvidence> PingDetector::paths() const {
  std::vector<PathEvidence> all;
  if (steps_.empty()) return all;
  PingPaths paths = paths_;
  for (const auto& [pair, outcomes] : gather(WallTime::min())) {
    PathEvidence evidence{.hops = {},
                          .window = {steps_.front().end - step_, steps_.back().end},
                          .trials = outcomes.trials,
                          .failures = outcomes.failures};
    for (const PingHop& hop : paths.of(pair.first, pair.second)) evidence.hops.push_back(hop.parts);
    all.push_back(std::move(evidence));
  }
  return all;
}

}  // namespace laggard::detect
