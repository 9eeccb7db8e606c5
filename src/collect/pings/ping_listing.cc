#include "collect/pings/ping_listing.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace laggard::collect {

namespace {

using Steady = std::chrono::steady_clock;

constexpr char kEnd = '\0';  ///< Of a field: names and places may hold anything else.
constexpr std::string_view kMistake = "mistake";
constexpr std::string_view kWhole = "whole";

/// In the other process: says what was found.
void list_to(int pipe, const PingBackend& backend, const std::string& mount) {
  std::string text;
  const auto field = [&](std::string_view value) { text.append(value) += kEnd; };
  if (const auto targets = backend.list(mount)) {
    field(kWhole);
    for (const PingTargetSpec& target : *targets) {
      field(target.name);
      field(target.place);
    }
  } else {
    field(kMistake);
    field(targets.error().where);
    field(targets.error().what);
  }
  static_cast<void>(write_all(pipe, text, "the list of targets"));
}

/// All that is written until the other end is closed; less when that takes longer.
std::string read_until(int pipe, Steady::time_point deadline) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Steady::now());
    pollfd ready{.fd = pipe, .events = POLLIN, .revents = 0};
    if (left.count() <= 0 || ::poll(&ready, 1, static_cast<int>(left.count())) == 0) return "";
    const ssize_t got = ::read(pipe, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

Result<std::vector<PingTargetSpec>> list_ping_targets(const PingBackend& backend, const std::string& mount,
                                                      Duration patience) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno(errno, mount, "cannot be looked at: no pipe");
  const Fd ours{ends[0]};
  Fd theirs{ends[1]};
  const pid_t process = ::fork();
  if (process < 0) return fail_errno(errno, mount, "cannot be looked at: no process");
  if (process == 0) {
    list_to(theirs.get(), backend, mount);
    ::_exit(0);
  }
  theirs.reset();
  const std::string text = read_until(ours.get(), Steady::now() + patience);
  ::kill(process, SIGKILL);
  ::waitpid(process, nullptr, text.empty() ? WNOHANG : 0);
  auto fields = split(text, kEnd);
  if (fields.size() < 2) {
    return fail(ErrorCode::kUnavailable, mount, "does not answer; is a server of it hanging?");
  }
  if (fields[0] == kMistake && fields.size() > 2) {
    return fail(ErrorCode::kUnavailable, std::string(fields[1]), std::string(fields[2]));
  }
  std::vector<PingTargetSpec> targets;
  for (std::size_t f = 1; f + 1 < fields.size(); f += 2) {
    targets.push_back({.name = std::string(fields[f]), .place = std::string(fields[f + 1]), .mount = mount});
  }
  return targets;
}

}  // namespace laggard::collect
