#include "detect/syscalls/syscall_detector.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "detect/syscalls/call_errors.h"
#include "detect/syscalls/client_calls.h"

namespace laggard::detect {

namespace {

/// There is nothing to be more or less sure of: no concurrent incident explains it, and none is explained by
/// it that is not much weaker.
constexpr double kSure = 10;

std::string moment(WallTime time) { return to_iso8601(floor_to(time, std::chrono::milliseconds(1))); }

std::string of_object(const FailedCall& call) {
  return call.object.empty() ? std::string() : " of " + call.object;
}

/// How a server differs from `others` servers.
std::string difference_of(const ServerTalk::Connection& connection, std::size_t others) {
  const std::string since = moment(connection.since);
  if (connection.last == LastTalk::kClosed) {
    return fmt::format("the connection to {} is gone ({} at {}), those to the {} other servers are there",
                       connection.server, connection.call, since, others);
  }
  return fmt::format("{} has not answered the {} of {}, the {} other servers have", connection.server,
                     connection.call, since, others);
}

}  // namespace

void SyscallDetector::take(const EventTable& events) {
  if (events.size() == 0) return;
  const auto who = grouping_.resolver.endpoint(events.host());
  if (who.party == SeriesResolver::Party::kServer) return take_server(events);
  Client& client = clients_[events.host()];
  client.is_recorded = true;
  std::vector<StoppedServers::Stopped> found;
  ClientCalls(events, grouping_.resolver, errors_, client.stopped).take(found);
  for (StoppedServers::Stopped& stopped : found) stopped_.emplace_back(&client, std::move(stopped));
}

void SyscallDetector::take_server(const EventTable& events) {
  errors_.note_server(events.host(), events.extent().to);
  const FailedCalls failed(events);
  for (const std::uint32_t e : failed.events()) {
    const std::string_view error = failed.error(e);
    if (std::ranges::find(normal_errors_, error) != normal_errors_.end()) continue;
    if (!is_answer(error) && !is_of_connection(error)) errors_.add_server_failure(failed.at(e));
  }
}

void SyscallDetector::complete(WallTime until) {
  for (const ErrorPropagation::Propagated& propagated : errors_.match(until)) tell(propagated, until);
  for (auto& [name, client] : clients_) {
    std::vector<StoppedServers::Stopped> found;
    client.stopped.look(until, found);
    for (StoppedServers::Stopped& stopped : found) stopped_.emplace_back(&client, std::move(stopped));
  }
  for (const auto& [client, stopped] : std::exchange(stopped_, {})) tell(stopped, *client, until);
  for (auto& [name, client] : clients_) {
    if (std::exchange(client.is_recorded, false)) renew(client, until);
  }
  close_others(until);
}

void SyscallDetector::renew(const Client& client, WallTime until) {
  for (const auto& connection : client.stopped.talk().odd_ones(until, StoppedServers::kOwes)) {
    for (const Trouble trouble : {Trouble::kCrashed, Trouble::kHangs}) {
      const auto known = open_.find({connection.server, trouble});
      if (known == open_.end()) continue;
      known->second.seen = until;
      known->second.finding.until = until;
    }
  }
}

SyscallDetector::Open& SyscallDetector::open(const std::string& server, Trouble trouble, WallTime until) {
  const auto [at, is_new] = open_.try_emplace({server, trouble});
  Open& open = at->second;
  open.seen = until;
  if (!is_new) return open;
  Finding& finding = open.finding;
  finding.part = grouping_.host_part(server);
  finding.symptom = trouble == Trouble::kHangs ? Symptom::kSlower : Symptom::kError;
  finding.resource = trouble == Trouble::kPropagates ? Resource::kStorage : Resource::kService;
  finding.localized = true;
  finding.since = WallTime::max();
  finding.until = WallTime::min();
  finding.faulty_since = until;
  finding.confirmed_since = until;
  finding.opened = {until, finding.symptom};
  finding.open = true;
  finding.strength = kSure;
  finding.evidence.detector = trouble == Trouble::kPropagates ? "propagated-error"
                              : trouble == Trouble::kCrashed  ? "crash"
                                                              : "hang";
  finding.evidence.score = kSure;
  return open;
}

void SyscallDetector::add(Open& open, const FailedCall& application, std::string tells,
                          LinesPayload::Line of_server) {
  Finding& finding = open.finding;
  finding.since = std::min({finding.since, application.begun, of_server.time});
  finding.until = std::max(finding.until, application.ended);
  ++open.count;
  if (open.count == 1) open.first = std::move(tells);
  Evidence& evidence = finding.evidence;
  evidence.note = open.first;
  if (open.count > 1) evidence.note += fmt::format("; {} calls of applications", open.count);
  if (open.count > kMostShown) return;
  if (std::ranges::find(open.lines, of_server) == open.lines.end())
    open.lines.push_back(std::move(of_server));
  const std::string outcome = application.error.empty() ? "does not return" : application.error;
  open.lines.push_back({application.begun, fmt::format("{}: {}{}: {}", application.host, application.call,
                                                       of_object(application), outcome)});
  std::ranges::stable_sort(open.lines, {}, &LinesPayload::Line::time);
  evidence.payloads = {{"calls", LinesPayload{open.lines}}};
}

void SyscallDetector::tell(const ErrorPropagation::Propagated& propagated, WallTime until) {
  const auto& [server, client] = propagated;
  add(open(server.host, Trouble::kPropagates, until), client,
      fmt::format("{} on {} failed with {} at {}, and {} on {} returned it at {}", server.call, server.host,
                  server.error, moment(server.begun), client.call, client.host, moment(client.ended)),
      {server.begun, fmt::format("{}: {}{}: {}", server.host, server.call, of_object(server), server.error)});
}

void SyscallDetector::tell(const StoppedServers::Stopped& stopped, const Client& client, WallTime until) {
  const auto& [application, connection] = stopped;
  const FailedCall& call = application.call;
  const std::string outcome = call.error.empty() ? fmt::format("{} on {} has not returned since {}",
                                                               call.call, call.host, moment(call.begun))
                                                 : fmt::format("{} on {} failed with {} at {}", call.call,
                                                               call.host, call.error, moment(call.ended));
  const std::size_t others = client.stopped.talk().servers() - 1;
  add(open(connection.server, stopped.has_crashed() ? Trouble::kCrashed : Trouble::kHangs, until), call,
      fmt::format("{}; {}", outcome, difference_of(connection, others)),
      {connection.since, fmt::format("{}: {} to {}", call.host, connection.call, connection.server)});
}

void SyscallDetector::close_others(WallTime until) {
  for (auto at = open_.begin(); at != open_.end();) {
    const bool goes_on = until < at->second.seen + kQuiet;
    if (!goes_on) {
      at->second.finding.open = false;
      over_.push_back(std::move(at->second.finding));
    }
    at = goes_on ? std::next(at) : open_.erase(at);
  }
}

std::vector<Finding> SyscallDetector::findings() const {
  std::vector<Finding> all = over_;
  for (const auto& [key, open] : open_) all.push_back(open.finding);
  return all;
}

void SyscallDetector::forget(std::span<const std::uint8_t> keep) {
  std::vector<Finding> left;
  for (std::size_t f = 0; f < over_.size(); ++f) {
    if (keep[f] != 0) left.push_back(std::move(over_[f]));
  }
  over_ = std::move(left);
}

}  // namespace laggard::detect
