#include "collect/pings/ping_processes.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

#include "collect/pings/ping_worker.h"

namespace laggard::collect {

namespace {

PingAnswer answer_of(std::size_t target, const PingReply& reply) {
  PingAnswer answer{.order = {target, kPingOperations[reply.operation], reply.probe},
                    .result = {.error = reply.error,
                               .skipped = reply.skipped != 0,
                               .direct = reply.direct != 0,
                               .latency = Duration{reply.latency_ns}}};
  if (reply.is_phase != 0) answer.phase = reply.phase == 0 ? PingPhase::kPreparing : PingPhase::kUnderWay;
  return answer;
}

}  // namespace

Result<std::unique_ptr<PingProcesses>> PingProcesses::start_all(const PingBackend& backend,
                                                                std::span<const PingTargetSpec> targets,
                                                                const std::string& host) {
  std::unique_ptr<PingProcesses> all(new PingProcesses);
  all->any_ = Fd(::epoll_create1(EPOLL_CLOEXEC));
  if (!all->any_.valid()) return fail_errno(errno, "", "cannot wait for probes");
  for (const PingTargetSpec& target : targets) {
    if (Status added = all->add(backend, target, host); !added) return forward(added);
  }
  return all;
}

Status PingProcesses::add(const PingBackend& backend, const PingTargetSpec& target, const std::string& host) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail_errno(errno, target.name, "cannot be probed: no socket");
  }
  Fd ours{ends[0]};
  const Fd theirs{ends[1]};
  const pid_t process = ::fork();
  if (process < 0) return fail_errno(errno, target.name, "cannot be probed: no process");
  if (process == 0) work_on_pings(theirs.get(), backend, target, host);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = workers_.size();
  const bool is_watched = ::epoll_ctl(any_.get(), EPOLL_CTL_ADD, ours.get(), &event) == 0;
  workers_.push_back({process, std::move(ours)});
  if (!is_watched) return fail_errno(errno, target.name, "cannot be probed");
  return {};
}

bool PingProcesses::start(const PingOrder& order) {
  const Worker& worker = workers_[order.target];
  if (!worker.socket.valid()) return false;
  const PingRequest request{.probe = order.probe, .operation = static_cast<std::uint64_t>(order.operation)};
  const ssize_t sent = ::send(worker.socket.get(), &request, sizeof request, MSG_DONTWAIT | MSG_NOSIGNAL);
  return sent == ssize_t{sizeof request};
}

std::vector<PingAnswer> PingProcesses::answers() {
  std::vector<PingAnswer> all;
  for (std::size_t w = 0; w < workers_.size(); ++w) {
    Worker& worker = workers_[w];
    while (worker.socket.valid()) {
      PingReply reply;
      const ssize_t got = ::recv(worker.socket.get(), &reply, sizeof reply, MSG_DONTWAIT);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) break;
      if (got != ssize_t{sizeof reply} || reply.operation >= kPingOperations.size()) {
        worker.socket.reset();  // The process is gone.
        break;
      }
      all.push_back(answer_of(w, reply));
    }
  }
  return all;
}

PingProcesses::~PingProcesses() {
  for (Worker& worker : workers_) worker.socket.reset();
  const auto reap = [&](std::chrono::nanoseconds at_most) {
    const auto begin = std::chrono::steady_clock::now();
    for (;;) {
      std::erase_if(workers_, [](const Worker& worker) {
        return ::waitpid(worker.process, nullptr, WNOHANG) != 0;  // Ended, or not ours to wait for.
      });
      if (workers_.empty() || std::chrono::steady_clock::now() - begin >= at_most) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  };
  reap(kPatience);
  for (const Worker& worker : workers_) ::kill(worker.process, SIGKILL);
  reap(std::chrono::milliseconds(100));
}

}  // namespace laggard::collect
