#include "collect/pings/ping_listing.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"

namespace laggard::collect {

namespace {

using Steady = std::chrono::steady_clock;

constexpr char kEnd = '\0';  ///< Of a field: names and places may hold anything else.
constexpr std::string_view kMistake = "mistake";
constexpr std::string_view kWhole = "whole";
constexpr std::string_view kTarget = "target";
constexpr std::string_view kNote = "note";

/// In the other process: says what was found.
void list_to(int pipe, const PingBackend& backend, const std::string& mount) {
  std::string text;
  const auto field = [&](std::string_view value) { text.append(value) += kEnd; };
  if (const auto listing = backend.list(mount)) {
    field(kWhole);
    for (const PingTargetSpec& target : listing->targets) {
      field(kTarget);
      field(target.name);
      field(target.place);
      field(target.known);
    }
    for (const std::string& note : listing->notes) {
      field(kNote);
      field(note);
    }
  } else {
    field(kMistake);
    field(listing.error().where);
    field(listing.error().what);
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

/// What list_to says of targets and notes.
PingListing read_listing(std::span<const std::string_view> fields, const std::string& mount) {
  PingListing listing;
  constexpr std::size_t kTargetFields = 4;
  while (fields.size() >= 2) {
    if (fields[0] == kTarget && fields.size() >= kTargetFields) {
      listing.targets.push_back({.name = std::string(fields[1]),
                                 .place = std::string(fields[2]),
                                 .mount = mount,
                                 .known = std::string(fields[3])});
      fields = fields.subspan(kTargetFields);
    } else {
      listing.notes.emplace_back(fields[1]);
      fields = fields.subspan(2);
    }
  }
  return listing;
}

}  // namespace

Result<PingListing> list_ping_targets(const PingBackend& backend, const std::string& mount,
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
  return read_listing(std::span<const std::string_view>(fields).subspan(1), mount);
}

}  // namespace laggard::collect
