#include "lab/production/host_logs.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"
#include "lab/production/stories.h"
#include "model/log_line.h"

namespace laggard::lab::production {

namespace {

constexpr double kHour = 3600;

/// Whose log tells of what happens at a thing.
std::string host_of(const Effect& effect, const std::vector<Part>& clients) {
  switch (effect.stage) {
    case Stage::kTarget:
      return Site::server(Site::server_of(effect.index)).name;
    case Stage::kServer:
      return Site::server(effect.index).name;
    case Stage::kRouter:
      return Site::router(effect.index).name;
    case Stage::kMetadata:
      return Site::metadata_server(effect.index).name;
    case Stage::kRack:
      return Site::rack(effect.index).name;
    case Stage::kClient:
      return clients[effect.index].name;
  }
  return "";
}

std::vector<std::string> all_hosts(const std::vector<Part>& clients) {
  std::vector<std::string> hosts;
  for (std::size_t s = 0; s < Site::kServers; ++s) hosts.push_back(Site::server(s).name);
  for (std::size_t m = 0; m < Site::kMetadataServers; ++m) hosts.push_back(Site::metadata_server(m).name);
  for (std::size_t r = 0; r < Site::kRouters; ++r) hosts.push_back(Site::router(r).name);
  for (std::size_t r = 0; r < Site::kRacks; ++r) hosts.push_back(Site::rack(r).name);
  for (const Part& client : clients) hosts.push_back(client.name);
  return hosts;
}

const Statement& any_of(std::span<const Statement> statements, Random& random) {
  return statements[random.below(statements.size())];
}

}  // namespace

HostLogs::HostLogs(const Site& site, const Stretch& stretch, Random random)
    : site_(site.parameters()), stretch_(stretch), random_(random.fork("logs")) {
  const std::vector<std::string> hosts = all_hosts(stretch.clients);
  log_routine(hosts);
  log_noise(hosts);
  for (const ProductionIncident& incident : stretch.incidents) log_incident(incident);
  std::ranges::stable_sort(lines_, {}, &Line::time);
}

std::string HostLogs::filled_in(std::string_view pattern) {
  std::string text(pattern);
  for (char& c : text) {
    if (c == '~') c = static_cast<char>('0' + random_.below(10));
  }
  return text;
}

void HostLogs::log(double at_s, const std::string& host, int severity, std::string_view pattern) {
  if (at_s < 0 || at_s >= static_cast<double>(stretch_.length)) return;
  lines_.push_back({stretch_.begin + from_seconds(at_s), host, severity, filled_in(pattern)});
}

void HostLogs::log_routine(const std::vector<std::string>& hosts) {
  constexpr double kEvery = 300;
  for (const std::string& host : hosts) {
    for (double at = kEvery * random_.uniform(); at < static_cast<double>(stretch_.length);
         at += kEvery * random_.exponential()) {
      const Statement& line = any_of(routine_statements(), random_);
      log(at, host, line.severity, line.text);
    }
  }
}

void HostLogs::log_noise(const std::vector<std::string>& hosts) {
  const double hours = static_cast<double>(stretch_.length) / kHour;
  const auto any_time = [&] { return random_.uniform() * static_cast<double>(stretch_.length); };
  const auto stray = [&](std::span<const Statement> statements, double per_host) {
    for (std::uint64_t n = random_.poisson(per_host * hours * static_cast<double>(hosts.size())); n > 0;
         --n) {
      const Statement& line = any_of(statements, random_);
      log(any_time(), hosts[random_.below(hosts.size())], line.severity, line.text);
    }
  };
  stray(stray_errors(), site_.noise_errors);
  stray(stray_warnings(), site_.noise_warnings);
  constexpr double kCommonAnHour = 0.5;
  for (std::uint64_t n = random_.poisson(kCommonAnHour * hours); n > 0; --n) {
    const Statement& line = any_of(common_errors(), random_);
    const double at = any_time();
    for (const std::string& host : hosts) log(at + 20 * random_.uniform(), host, line.severity, line.text);
  }
}

void HostLogs::log_incident(const ProductionIncident& incident) {
  const std::span<const Statement> all = stories_of(incident.kind);
  if (all.empty()) return log_overload(incident);
  const bool is_silent = random_.chance(site_.silent);
  const std::size_t story = random_.below(all.back().story + 1);
  if (is_silent) return;
  const std::string host = host_of(incident.effects.front(), stretch_.clients);
  const auto stop = static_cast<double>(incident.stop);
  for (const Statement& statement : all) {
    if (statement.story != story || !random_.chance(statement.chance)) continue;
    double at = static_cast<double>(incident.start) + statement.after_s * random_.uniform(0.7, 1.5);
    do {
      log(at, host, statement.severity, statement.text);
      at += statement.every_s * random_.uniform(0.5, 1.5);
    } while (statement.every_s > 0 && at < stop);
  }
}

/// Of each thing that is flooded, as long as it is.
void HostLogs::log_overload(const ProductionIncident& incident) {
  for (const Effect& effect : incident.effects) {
    const std::string host = host_of(effect, stretch_.clients);
    for (const Statement& statement : overload_statements()) {
      if (!random_.chance(statement.chance)) continue;
      double at = static_cast<double>(effect.from) + statement.after_s * random_.uniform(0.7, 1.5);
      for (; at < static_cast<double>(effect.to); at += statement.every_s * random_.uniform(0.5, 1.5)) {
        log(at, host, statement.severity, statement.text);
        if (statement.every_s <= 0) break;
      }
    }
  }
}

std::vector<EventTable> HostLogs::until(WallTime end) {
  std::map<std::string, EventTable> tables;
  for (; next_ < lines_.size() && lines_[next_].time < end; ++next_) {
    const Line& line = lines_[next_];
    EventTable& table = tables.try_emplace(line.host, line.host, std::string(kLogKind)).first->second;
    LogAppender appender(table);
    LAGGARD_CHECK(appender.append(
        {.time = line.time, .program = {}, .pid = {}, .severity = line.severity, .text = line.text}));
  }
  std::vector<EventTable> all;
  all.reserve(tables.size());
  for (auto& [host, table] : tables) all.push_back(std::move(table));
  return all;
}

}  // namespace laggard::lab::production
