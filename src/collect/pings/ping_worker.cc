#include "collect/pings/ping_worker.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/file.h"

namespace laggard::collect {

namespace {

constexpr int kSocket = 3;
constexpr auto kLastRequests = std::chrono::seconds(1);
constexpr auto kLastRemoval = std::chrono::milliseconds(500);

/// Keeps nothing of the recorder's but the socket: an inherited descriptor would hold a pipe or a lock open
/// for as long as the file system hangs, and that of another process's socket would keep it from ending.
void let_go(int socket) {
  if (socket != kSocket) ::dup2(socket, kSocket);
  const Fd null{::open("/dev/null", O_RDWR | O_CLOEXEC)};
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(null.get(), fd);
  ::close_range(kSocket + 1, ~0U, 0);
  if (::chdir("/") != 0) ::_exit(1);
}

/// The threads of a process, one per operation, each with at most one request.
class Lanes {
 public:
  Lanes(int socket, PingTarget& target) : socket_(socket), target_(target) {
    for (const PingOperation operation : kPingOperations) {
      // Never joined: the process ends with a request that hangs.
      std::thread([this, operation] { serve(operation); }).detach();
    }
  }

  void put(const PingRequest& request) {
    const std::lock_guard lock(mutex_);
    waiting_[request.operation] = request;
    ++busy_;
    changed_.notify_all();
  }
  /// Waits until nothing is under way any more.
  void settle(std::chrono::nanoseconds at_most) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, at_most, [&] { return busy_ == 0; });
  }

 private:
  void serve(PingOperation operation) {
    const auto lane = static_cast<std::size_t>(operation);
    for (;;) {
      std::optional<PingRequest> request;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return waiting_[lane].has_value(); });
        request = std::exchange(waiting_[lane], std::nullopt);
      }
      const PingResult result = target_.run(operation, [&](PingPhase phase) { tell_phase(*request, phase); });
      const PingReply reply{.probe = request->probe,
                            .operation = request->operation,
                            .latency_ns = result.latency.count(),
                            .error = result.error,
                            .skipped = static_cast<std::uint8_t>(result.skipped),
                            .direct = static_cast<std::uint8_t>(result.direct)};
      // It has no room only when nobody reads, and then nobody minds.
      static_cast<void>(::send(socket_, &reply, sizeof reply, MSG_NOSIGNAL));
      const std::lock_guard lock(mutex_);
      --busy_;
      changed_.notify_all();
    }
  }

  void tell_phase(const PingRequest& request, PingPhase phase) const {
    const PingReply reply{.probe = request.probe,
                          .operation = request.operation,
                          .is_phase = 1,
                          .phase = static_cast<std::uint8_t>(phase)};
    static_cast<void>(::send(socket_, &reply, sizeof reply, MSG_NOSIGNAL));
  }

  int socket_;
  PingTarget& target_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<std::optional<PingRequest>, kPingOperations.size()> waiting_;
  std::size_t busy_ = 0;
};

}  // namespace

void work_on_pings(int socket, const PingBackend& backend, const PingTargetSpec& target,
                   const std::string& host) {
  let_go(socket);
  ::prctl(PR_SET_NAME, ("ping " + target.name).c_str());
  const std::unique_ptr<PingTarget> reached = backend.open(target, {.owner = this_owner("/", host)});
  std::packaged_task<void()> removal([&reached] { reached->remove_abandoned(); });
  const std::future<void> removed = removal.get_future();
  std::thread(std::move(removal)).detach();
  Lanes lanes(kSocket, *reached);
  for (;;) {
    PingRequest request;
    const ssize_t got = ::recv(kSocket, &request, sizeof request, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got != ssize_t{sizeof request} || request.operation >= kPingOperations.size()) break;
    lanes.put(request);
  }
  lanes.settle(kLastRequests);
  // It has a file of its own while it looks for those of others.
  static_cast<void>(removed.wait_for(kLastRemoval));
  reached->remove_own();
  ::_exit(0);
}

}  // namespace laggard::collect
