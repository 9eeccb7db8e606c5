#include "detect/logs/log_detector.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "detect/logs/template_miner.h"
#include "model/log_line.h"

namespace laggard::detect {

namespace {

/// Bytes of a line that are shown.
constexpr std::size_t kMostText = 400;

bool is_storage(PartKind kind) {
  return kind == PartKind::kDisk || kind == PartKind::kLun || kind == PartKind::kAttachment ||
         kind == PartKind::kController || kind == PartKind::kArray || kind == PartKind::kDrawer ||
         kind == PartKind::kTarget;
}

bool is_network(PartKind kind) {
  return kind == PartKind::kLink || kind == PartKind::kNetwork || kind == PartKind::kSwitch ||
         kind == PartKind::kRouter;
}

/// Whether what a pattern is about can be what is wrong with the suspect: with a disk nothing is wrong
/// because an interface is down, and with everything something is when its host fails.
bool accounts_for(const LogPattern& pattern, const Suspicion& suspicion) {
  if (pattern.what != LogClass::kFailure) return false;
  if (!is_storage(pattern.part) && !is_network(pattern.part)) return true;
  // A drawer that is a rack has a switch, whose log is its own.
  if (suspicion.suspect.kind == PartKind::kDrawer && is_network(pattern.part)) return true;
  const auto is_alike = [&](PartKind kind) {
    return (is_storage(pattern.part) && is_storage(kind)) || (is_network(pattern.part) && is_network(kind));
  };
  const auto is_of = [&](const Part& part) { return is_alike(part.kind); };
  if (is_of(suspicion.suspect) || std::ranges::any_of(suspicion.parts, is_of)) return true;
  if (std::ranges::any_of(suspicion.alike, is_of)) return true;
  // A host that is accused as such, by findings that say no more, or may as well be meant.
  const auto is_host = [](const Part& part) { return !is_storage(part.kind) && !is_network(part.kind); };
  return std::ranges::all_of(suspicion.parts, is_host) || std::ranges::any_of(suspicion.alike, is_host);
}

}  // namespace

/// Hundreds of expressions are compiled in milliseconds, which most diagnoses need not spend.
void LogDetector::make_matcher() {
  if (matcher_ || !LogMatcher::available()) return;
  // Whoever set the text has read it before.
  if (auto file = PatternFile::parse(site_patterns_, "")) patterns_ = std::move(*file);
  auto matcher = LogMatcher::make(with_library(patterns_));
  LAGGARD_CHECK(matcher.has_value());
  matcher_ = std::move(*matcher);
}

void LogDetector::take(const EventTable& events) {
  make_matcher();
  const auto at = lines_.try_emplace(events.host()).first;
  const std::string* const host = &at->first;
  std::deque<Line>& kept = at->second;
  hosts_.add(events.host());
  const LogLines lines(events);
  std::string text;
  for (std::size_t e = 0; e < events.size(); ++e) {
    lines.text(e, text);
    const LogPattern* pattern = matcher_ ? matcher_->first(text) : nullptr;
    // What only sounds like a failure is one where its program says no better.
    const int unsaid = pattern != nullptr ? pattern->severity : kNotice;
    const int severity = is_known(pattern) ? pattern->severity : lines.severity(e).value_or(unsaid);
    if (!is_known(pattern) && severity > kWarning) continue;
    const std::string_view key = is_known(pattern) ? pattern->name : events.words().text(events.whats()[e]);
    kept.push_back({host, events.times()[e], pattern, severity, std::string(key), text});
    if (is_unknown_error(&kept.back())) note_error(kept.back());
    if (kept.size() > kMostLines) kept.pop_front();
  }
}

void LogDetector::note_error(const Line& line) {
  auto at = errors_.find(line.key);
  if (at == errors_.end()) {
    if (errors_.size() >= kMostErrors) return;
    at = errors_.emplace(line.key, std::deque<Seen>()).first;
  }
  at->second.push_back({line.time, line.host});
  if (at->second.size() > kMostLines) at->second.pop_front();
}

void LogDetector::complete(WallTime until) {
  for (auto& [host, kept] : lines_) {
    while (!kept.empty() && kept.front().time < until - kKept) kept.pop_front();
  }
  for (auto at = errors_.begin(); at != errors_.end();) {
    while (!at->second.empty() && at->second.front().time < until - kErrorsKept) at->second.pop_front();
    at = at->second.empty() ? errors_.erase(at) : std::next(at);
  }
}

std::vector<const LogDetector::Line*> LogDetector::lines_of(std::span<const std::string> hosts,
                                                            TimeSpan span) const {
  std::vector<const Line*> found;
  for (const std::string& host : hosts) {
    for (const Line& line : lines_.find(host)->second) {
      if (line.time >= span.from && line.time <= span.to) found.push_back(&line);
    }
  }
  return found;
}

bool LogDetector::is_known(const LogPattern* pattern) {
  return pattern != nullptr && pattern->knows_program();
}

/// An error of a program that nobody has told us about.
bool LogDetector::is_unknown_error(const Line* line) {
  return !is_known(line->pattern) && line->severity <= kError;
}

Evidence LogDetector::evidence_of(std::span<const Line* const> difference, std::size_t peers,
                                  const Suspicion& suspicion) {
  std::vector<std::string> names;
  for (const Line* line : difference) {
    const std::string name(line->pattern != nullptr ? line->pattern->name : std::string_view("unknown"));
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  Evidence evidence;
  evidence.detector = "log-difference";
  set_mode(evidence, difference, suspicion);
  constexpr std::size_t kMostNames = 4;
  std::vector<std::string> hosts;
  for (const Line* line : difference) {
    if (std::ranges::find(hosts, *line->host) == hosts.end()) hosts.push_back(*line->host);
  }
  const std::string whose =
      suspicion.alike.empty() ? "its log" : fmt::format("the log of {}", first_few(hosts, kMostNames));
  evidence.note = fmt::format("{} has {} {} around then that those of {} healthy {} have not: {}", whose,
                              difference.size(), difference.size() == 1 ? "line" : "lines", peers,
                              peers == 1 ? "peer" : "peers", first_few(names, kMostNames));
  LinesPayload shown;
  for (const Line* line : difference.first(std::min(difference.size(), kMostShown))) {
    const bool is_long = line->text.size() > kMostText;
    shown.lines.push_back({line->time, line->text.substr(0, kMostText) + (is_long ? "…" : "")});
  }
  std::ranges::stable_sort(shown.lines, {}, &LinesPayload::Line::time);
  evidence.payloads.push_back({"lines of its log alone", std::move(shown)});
  return evidence;
}

void LogDetector::set_mode(Evidence& evidence, std::span<const Line* const> difference,
                           const Suspicion& suspicion) {
  std::map<const LogPattern*, std::size_t> lines;
  for (const Line* line : difference) {
    if (is_known(line->pattern)) ++lines[line->pattern];
  }
  const auto any = [&](bool waits) {
    return std::ranges::any_of(lines, [&](const auto& entry) {
      const auto& [pattern, count] = entry;
      return (pattern->weight == LogWeight::kWaiting) == waits && accounts_for(*pattern, suspicion) &&
             (pattern->severity <= kError || (pattern->weight == LogWeight::kCorrected && count >= kStorm));
    });
  };
  const bool explains = any(false);
  const bool is_unknown = std::ranges::any_of(difference, is_unknown_error);
  const bool waits = any(true);
  if (!explains && !is_unknown && !waits) return;
  evidence.mode = FailureMode::kReliability;
  evidence.surmised = !explains;
  evidence.waits = !explains && !is_unknown;
}

/// Drops errors without a pattern that healthy peers had, too, all of them this time, or whoever it was
/// before this incident: among thousands of hosts somebody logs anything at any time.
void LogDetector::drop_stray_errors(std::vector<const Line*>& difference, const Suspicion& suspicion,
                                    std::span<const std::string> own) const {
  if (std::ranges::none_of(difference, is_unknown_error)) return;
  std::vector<std::string> peers = hosts_.some_of(suspicion.healthy, own, suspicion.healthy.size());
  std::ranges::sort(peers);
  const WallTime before = suspicion.interval.from - kBefore;
  const auto is_elsewhere = [&](const Seen& seen) {
    if (seen.time > suspicion.interval.to || std::ranges::binary_search(own, *seen.host)) return false;
    return (!suspicion.is_cut && seen.time < before) || std::ranges::binary_search(peers, *seen.host);
  };
  std::erase_if(difference, [&](const Line* line) {
    if (!is_unknown_error(line)) return false;
    const auto seen = errors_.find(line->key);
    return seen != errors_.end() && std::ranges::any_of(seen->second, is_elsewhere);
  });
}

/// Drops lines without a pattern that are of the same statement as healthy peers' lines, where those show
/// that its words vary: the name of a volume, of a client. In the order of their templates, so that the
/// answer does not depend on when lines came.
void LogDetector::drop_same_statements(std::vector<const Line*>& difference,
                                       std::span<const Line* const> of_healthy) {
  std::map<std::string_view, std::string_view> unknown;
  for (const Line* line : of_healthy) {
    if (!is_known(line->pattern)) unknown.try_emplace(line->key, line->text);
  }
  TemplateMiner miner;
  for (const auto& [key, text] : unknown) static_cast<void>(miner.add(text));
  std::erase_if(difference, [&](const Line* line) {
    if (is_known(line->pattern)) return false;
    const MinedTemplate* const known = miner.find(line->text);
    return known != nullptr && known->count >= kFewestVariants;
  });
}

GridPayload LogDetector::in_time(std::span<const Line* const> difference, std::span<const std::string> own,
                                 std::span<const std::string> healthy, TimeSpan span) const {
  constexpr std::int64_t kMostColumns = 100;
  const Duration column = std::max<Duration>((span.to - span.from) / kMostColumns, std::chrono::seconds(1));
  const auto columns = static_cast<std::size_t>((span.to - span.from) / column) + 1;
  GridPayload grid{.unit = "lines",
                   .row_kind = "log",
                   .column_kind = "from",
                   .rows = {},
                   .columns = {},
                   .values = {},
                   .in_time = true};
  for (std::size_t c = 0; c < columns; ++c) {
    const WallTime from = span.from + static_cast<std::int64_t>(c) * column;
    grid.columns.push_back(to_iso8601(std::chrono::floor<std::chrono::seconds>(from)));
  }
  const auto add_row = [&](const std::string& name, std::span<const Line* const> lines) {
    grid.rows.push_back(name);
    const std::size_t row = grid.values.size();
    grid.values.resize(row + columns);
    for (const Line* line : lines) {
      ++grid.values[row + static_cast<std::size_t>((line->time - span.from) / column)];
    }
  };
  add_row("alone", difference);
  for (const std::string& host : own) add_row(host, lines_of(std::span(&host, 1), span));
  for (const std::string& host : healthy.first(std::min(healthy.size(), kMostPeersShown))) {
    add_row(host, lines_of(std::span(&host, 1), span));
  }
  return grid;
}

std::vector<std::string> LogDetector::accused_hosts(const Suspicion& suspicion) const {
  std::vector<std::string> hosts = hosts_.of(suspicion.accused());
  std::ranges::sort(hosts);
  return hosts;
}

std::vector<Evidence> LogDetector::examine(const Suspicion& suspicion) const {
  const std::vector<std::string> own = accused_hosts(suspicion);
  const std::vector<std::string> healthy = hosts_.some_of(suspicion.healthy, own, kMostPeers);
  // Without a log of a healthy peer nobody knows which lines are everybody's.
  if (own.empty() || healthy.empty()) return {};
  const TimeSpan span{suspicion.interval.from - kBefore, suspicion.interval.to};
  const std::vector<const Line*> of_healthy = lines_of(healthy, span);
  std::set<std::string_view> common;
  for (const Line* line : of_healthy) common.insert(line->key);
  std::vector<const Line*> difference = lines_of(own, span);
  std::erase_if(difference, [&](const Line* line) { return common.contains(line->key); });
  drop_same_statements(difference, of_healthy);
  drop_stray_errors(difference, suspicion, own);
  if (difference.empty()) return {};
  // What accounts for it first, then what is most severe.
  std::ranges::stable_sort(difference, [&](const Line* a, const Line* b) {
    const auto rank = [&](const Line* line) {
      const bool explains =
          line->pattern != nullptr && line->severity <= kError && accounts_for(*line->pattern, suspicion);
      return std::pair(explains ? 0 : 1, line->severity);
    };
    return rank(a) < rank(b);
  });
  Evidence evidence = evidence_of(difference, healthy.size(), suspicion);
  evidence.payloads.push_back({"its lines and its peers' in time", in_time(difference, own, healthy, span)});
  return {std::move(evidence)};
}

}  // namespace laggard::detect
