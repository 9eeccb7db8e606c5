#include "detect/pings/ping_detector.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "base/missing.h"
#include "base/text.h"
#include "stats/beta.h"

namespace laggard::detect {

namespace {

/// How often what the model is sure of was an incident, on the lab's production set (even seeds). A minute in
/// which some probes failed may be a burst of requests, one in which all did seldom is; and what is over
/// before it could be confirmed was an incident less often than what has only begun.
constexpr double kConfirmedIsSo = 0.995;
struct SuspectedIsSo {
  double open;
  double over;
};
constexpr SuspectedIsSo kWhollyIsSo{0.98, 0.7};
constexpr SuspectedIsSo kPartlyIsSo{0.7, 0.22};

std::string names_of(std::span<const Part> parts) {
  std::vector<std::string> names;
  names.reserve(parts.size());
  for (const Part& part : parts) names.push_back(std::string(part.kind.spec().title) + " " + part.name);
  constexpr std::size_t kMost = 4;
  return first_few(names, kMost, ", ");
}

RankedPayload ranked(const std::map<std::string, std::uint64_t>& how_often) {
  RankedPayload ranked{.unit = "probes", .entries = {}};
  for (const auto& [what, count] : how_often) {
    ranked.entries.push_back({what, static_cast<double>(count), kMissing});
  }
  std::ranges::stable_sort(ranked.entries, std::greater<>{}, &RankedPayload::Entry::own);
  return ranked;
}

/// The log likelihood (nats) of so many failures at the share that is likeliest.
double log_likelihood(double failures, double trials) {
  const auto of = [&](double count) { return count > 0 ? count * std::log(count / trials) : 0.0; };
  return of(failures) + of(trials - failures);
}

}  // namespace

void PingDetector::Outcomes::add(const Outcomes& more) {
  trials += more.trials;
  failures += more.failures;
  errors += more.errors;
  first = std::min(first, more.first);
  last = std::max(last, more.last);
  for (const auto& [what, count] : more.how) how[what] += count;
  for (const auto& [operation, latencies] : more.latencies_ms) {
    std::vector<double>& into = latencies_ms[operation];
    const std::size_t room = kMostLatencies - into.size();
    into.insert(into.end(), latencies.begin(),
                latencies.begin() + static_cast<std::ptrdiff_t>(std::min(room, latencies.size())));
  }
}

void PingDetector::take(const EventTable& events) {
  const Columns columns{.operation = events.find_attribute("operation", AttributeForm::kWord),
                        .error = events.find_attribute("error", AttributeForm::kWord),
                        .timed_out = events.find_attribute("timed_out", AttributeForm::kInteger)};
  std::map<std::pair<Word, bool>, std::size_t> numbers;  // By the target, and whether names are made.
  for (std::size_t e = 0; e < events.size(); ++e) {
    const Word subject = events.subjects()[e];
    if (subject == kNoWord) continue;
    const std::optional<Outcomes> one = outcome_of(events, e, columns);
    if (!one) continue;
    const bool names = events.word(columns.operation, e) != "WrEx";
    const auto [at, is_new] = numbers.try_emplace({subject, names});
    if (is_new) {
      at->second = localizer_.number({events.host(), std::string(events.words().text(subject)), names});
    }
    now_[at->second].add(*one);
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
    const std::string_view error = events.word(columns.error, e);
    one.how[fmt::format("{} {}", events.word(columns.operation, e), error.empty() ? what : error)] = 1;
  }
  if (event.duration && !is_error) {
    one.latencies_ms[std::string(events.word(columns.operation, e))] = {to_seconds(*event.duration) * 1e3};
  }
  return one;
}

void PingDetector::set_posterior(Open& open) {
  Finding& finding = open.finding;
  const SuspectedIsSo& suspected = open.wholly ? kWhollyIsSo : kPartlyIsSo;
  const double is_so = finding.confirmed() ? kConfirmedIsSo : finding.open ? suspected.open : suspected.over;
  for (Fact& fact : finding.facts) {
    if (fact.spec == &kPosterior) fact.own = open.failed * is_so;
  }
}

std::vector<PingCounts> PingDetector::counts(WallTime from) const {
  std::vector<PingCounts> all(localizer_.size());
  for (const Step& step : steps_) {
    if (step.end <= from) continue;
    for (const auto& [number, outcomes] : step.pairs) {
      all[number].trials += outcomes.trials;
      all[number].failures += outcomes.failures;
    }
  }
  return all;
}

bool PingDetector::any_failure() const {
  return std::ranges::any_of(steps_, [](const Step& step) {
    return std::ranges::any_of(step.pairs, [](const auto& entry) { return entry.second.failures > 0; });
  });
}

void PingDetector::complete(WallTime until) {
  steps_.push_back({until, std::exchange(now_, {})});
  while (steps_.front().end <= until - std::max(kWindow, step_)) steps_.pop_front();
  if (any_failure()) {
    judge(WallTime::min(), true, until);
    if (step_ < kWindow) judge(until - std::max(kSoon, step_), false, until);
  }
  close_others(until);
  if (everywhere_ && everywhere_->when.to < until - kRemembered) everywhere_.reset();
}

void PingDetector::judge(WallTime from, bool is_whole, WallTime until) {
  const std::vector<PingVerdict> verdicts = localizer_.localize(counts(from));
  if (is_whole && localizer_.everywhere()) count_everywhere(until);
  for (const PingVerdict& verdict : verdicts) {
    if (verdict.failed <= kCertain || verdict.failures < kLeastFailures) continue;
    if (!is_whole && verdict.failed <= kSoonCertain) continue;
    auto [at, is_new] = open_.try_emplace(verdict.part);
    Open& open = at->second;
    Finding& finding = open.finding;
    if (!is_new && open.seen == until) continue;  // The whole window has said so.
    open.seen = until;
    if (is_new) {
      finding.part = verdict.part;
      finding.resource = Resource::kStorage;
      finding.localized = true;
      finding.since = WallTime::max();
      finding.until = WallTime::min();
      finding.faulty_since = until;
      finding.open = true;
      const PingCounts soon = counts_of(verdict, until - std::max(kSoon, step_));
      open.wholly = static_cast<double>(soon.failures) >= kWholly * static_cast<double>(soon.trials);
    }
    renew(open, verdict, verdicts, from);
    if (is_new) finding.opened = {until, finding.symptom};
    if (is_whole && !finding.confirmed_since && goes_on(verdict, finding.opened.at, until)) {
      finding.confirmed_since = until;
      open.failed = verdict.failed;
      set_posterior(open);
    }
  }
}

/// A minute after it was found, a part that has healed serves again (K §VI-A).
bool PingDetector::goes_on(const PingVerdict& verdict, WallTime opened, WallTime until) const {
  if (until < opened + kHeals) return false;
  const PingCounts since = counts_of(verdict, opened);
  return static_cast<double>(since.failures) > (1 - kServes) * static_cast<double>(since.trials);
}

PingCounts PingDetector::counts_of(const PingVerdict& verdict, WallTime from) const {
  PingCounts sum;
  for (const Step& step : steps_) {
    if (step.end <= from) continue;
    for (const std::size_t number : verdict.on) {
      const auto found = step.pairs.find(number);
      if (found == step.pairs.end()) continue;
      sum.trials += found->second.trials;
      sum.failures += found->second.failures;
    }
  }
  return sum;
}

PingDetector::Seen PingDetector::seen(const std::vector<std::uint8_t>& is_on, WallTime from) const {
  Seen seen;
  for (const Step& step : steps_) {
    if (step.end <= from) continue;
    for (const auto& [number, outcomes] : step.pairs) {
      const PingPair& pair = localizer_.pair(number);
      PingCounts& counts = seen.shares[{pair.client, pair.target}];
      counts.trials += outcomes.trials;
      counts.failures += outcomes.failures;
      (is_on[number] != 0 ? seen.through[{pair.client, pair.target}] : seen.others).add(outcomes);
    }
  }
  return seen;
}

void PingDetector::renew(Open& open, const PingVerdict& verdict, std::span<const PingVerdict> verdicts,
                         WallTime from) const {
  Finding& finding = open.finding;
  std::vector<std::uint8_t> is_on(localizer_.size());
  for (const std::size_t number : verdict.on) is_on[number] = 1;
  const Seen seen = this->seen(is_on, from);
  Outcomes all;
  for (const auto& [pair, outcomes] : seen.through) all.add(outcomes);
  finding.since = std::min(finding.since, all.first);
  finding.until = std::max(finding.until, all.last);
  finding.symptom = 2 * all.errors > all.failures ? Symptom::kError : Symptom::kSlower;
  const double share = static_cast<double>(all.failures) / static_cast<double>(all.trials);
  const double score = share / (1 - kServes);
  Evidence& evidence = finding.evidence;
  if (score >= finding.strength) {
    finding.strength = score;
    finding.facts = {{&kFailedProbes, static_cast<double>(all.failures), kMissing},
                     {&kPosterior, kMissing, kMissing}};
    open.failed = verdict.failed;
    set_posterior(open);
    evidence.detector = "path-health";
    evidence.alike = verdict.others;
    evidence.score = score;
    evidence.note = fmt::format(
        "{} of {} probes through it failed; it serves {:.0f} % of them (90 % interval {:.0f} to {:.0f} %), "
        "and has failed with probability {:.3f}{}",
        all.failures, all.trials, 100 * verdict.health.mean(),
        100 * stats::beta_quantile(0.05, verdict.health.alpha, verdict.health.beta),
        100 * stats::beta_quantile(0.95, verdict.health.alpha, verdict.health.beta), verdict.failed,
        verdict.others.empty() ? "" : "; these probes cannot tell it from " + names_of(verdict.others));
    evidence.payloads = {{"how they failed", ranked(all.how)},
                         {"share that failed", failed_shares(seen.shares)},
                         {"share that each part serves", served_shares(verdicts)}};
    const auto sorted = [](std::vector<double> latencies) {
      std::ranges::sort(latencies);
      return latencies;
    };
    for (const auto& [operation, latencies] : all.latencies_ms) {
      DistributionPayload times{.unit = "ms", .samples = {{verdict.part.name, sorted(latencies)}}};
      const auto elsewhere = seen.others.latencies_ms.find(operation);
      if (elsewhere != seen.others.latencies_ms.end()) {
        times.samples.push_back({"others", sorted(elsewhere->second)});
      }
      evidence.payloads.push_back({fmt::format("time of {} that were done", operation), std::move(times)});
    }
  }
}

bool PingDetector::has_finding(std::span<const Part> parts, TimeSpan interval) const {
  const auto tells = [&](const Finding& finding) {
    return std::ranges::find(parts, finding.part) != parts.end() && finding.since <= interval.to &&
           (finding.open || finding.until >= interval.from);
  };
  return std::ranges::any_of(over_, tells) ||
         std::ranges::any_of(open_, [&](const auto& entry) { return tells(entry.second.finding); });
}

std::vector<Evidence> PingDetector::examine(const Suspicion& suspicion) const {
  const std::vector<Part> accused = suspicion.accused();
  if (!any_failure() || has_finding(accused, suspicion.interval)) return {};
  const auto is_accused = [&](const Part& part) { return std::ranges::find(accused, part) != accused.end(); };
  std::vector<std::uint8_t> is_on(localizer_.size());
  for (std::size_t number = 0; number < localizer_.size(); ++number) {
    is_on[number] = std::ranges::any_of(localizer_.path(number), [&](const PingHop& hop) {
      return std::ranges::any_of(hop.parts, is_accused);
    });
  }
  const Seen seen = this->seen(is_on, suspicion.interval.from);
  Outcomes through;
  for (const auto& [pair, outcomes] : seen.through) through.add(outcomes);
  const auto failed = static_cast<double>(through.failures);
  const auto probes = static_cast<double>(through.trials);
  const auto failed_elsewhere = static_cast<double>(seen.others.failures);
  const auto elsewhere = static_cast<double>(seen.others.trials);
  if (through.failures < kLeastFailures || failed * elsewhere <= failed_elsewhere * probes) return {};
  const double gain = log_likelihood(failed, probes) + log_likelihood(failed_elsewhere, elsewhere) -
                      log_likelihood(failed + failed_elsewhere, probes + elsewhere);
  if (gain <= kNeeded) return {};
  Evidence evidence;
  evidence.detector = "failed-probes";
  evidence.note = fmt::format("{} of {} probes through it failed, and {} of {} that do not pass it",
                              through.failures, through.trials, seen.others.failures, seen.others.trials);
  evidence.payloads = {{"how they failed", ranked(through.how)},
                       {"share that failed", failed_shares(seen.shares)}};
  return {std::move(evidence)};
}

void PingDetector::close_others(WallTime until) {
  for (auto at = open_.begin(); at != open_.end();) {
    const bool goes_on = at->second.seen == until;
    if (!goes_on) {
      at->second.finding.open = false;
      set_posterior(at->second);
      over_.push_back(std::move(at->second.finding));
    }
    at = goes_on ? std::next(at) : open_.erase(at);
  }
}

void PingDetector::count_everywhere(WallTime until) {
  if (!everywhere_) everywhere_ = {{steps_.front().end - step_, steps_.front().end - step_}, {}};
  for (const PingCounts& pair : counts(everywhere_->when.to)) {
    everywhere_->counts.trials += pair.trials;
    everywhere_->counts.failures += pair.failures;
  }
  everywhere_->when.to = until;
}

std::vector<std::string> PingDetector::shared_symptoms() const {
  if (!everywhere_) return {};
  return {fmt::format(
      "{} of {} probes failed between {} and {} everywhere alike, which is no single part's fault: the whole "
      "file system was slow for them, or their timeout is too short for its load",
      everywhere_->counts.failures, everywhere_->counts.trials, to_iso8601(everywhere_->when.from),
      to_iso8601(everywhere_->when.to))};
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
  const std::vector<PingCounts> counts = this->counts(WallTime::min());
  for (std::size_t number = 0; number < counts.size(); ++number) {
    if (counts[number].trials == 0) continue;
    PathEvidence evidence{.hops = {},
                          .window = {steps_.front().end - step_, steps_.back().end},
                          .trials = counts[number].trials,
                          .failures = counts[number].failures};
    for (const PingHop& hop : localizer_.path(number)) evidence.hops.push_back(hop.parts);
    all.push_back(std::move(evidence));
  }
  return all;
}

}  // namespace laggard::detect
