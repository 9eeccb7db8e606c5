#include "lab/striped/server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "lab/striped/address.h"

namespace laggard::lab::striped {

namespace {
constexpr std::size_t kWorkers = 8;
constexpr int kBacklog = 128;
}  // namespace

Server::Server(std::unique_ptr<ObjectStore> store, std::unique_ptr<NameTable> names)
    : store_(std::move(store)), names_(std::move(names)) {}

Result<std::unique_ptr<Server>> Server::open(const Options& options) {
  auto store = ObjectStore::open({options.folder / "objects", options.direct});
  if (!store) return forward(store);
  auto names = NameTable::open(options.folder / "names", options.number);
  if (!names) return forward(names);
  std::unique_ptr<Server> server(new Server(std::move(*store), std::move(*names)));
  if (Status listening = server->listen(options); !listening) return forward(listening);
  for (std::size_t i = 0; i < kWorkers; ++i) {
    server->workers_.emplace_back([&server = *server] { server.work(); });
  }
  return server;
}

Server::~Server() {
  stop();
  for (std::thread& worker : workers_) worker.join();
}

Status Server::listen(const Options& options) {
  const auto address = socket_address(options.address, options.port);
  if (!address) return tl::unexpected<Error>(address.error());
  const std::string where = fmt::format("{}:{}", options.address, options.port);
  listening_ = Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  events_ = Fd(::epoll_create1(EPOLL_CLOEXEC));
  woken_ = Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!listening_.valid() || !events_.valid() || !woken_.valid())
    return fail_errno(errno, where, "no socket");
  const int yes = 1;
  (void)::setsockopt(listening_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in bound = *address;
  socklen_t size = sizeof bound;
  if (::bind(listening_.get(), as_generic(bound), size) != 0 || ::listen(listening_.get(), kBacklog) != 0 ||
      ::getsockname(listening_.get(), as_generic(bound), &size) != 0) {
    return fail_errno(errno, where, "cannot listen there");
  }
  port_ = ntohs(bound.sin_port);
  for (const int fd : {listening_.get(), woken_.get()}) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    if (::epoll_ctl(events_.get(), EPOLL_CTL_ADD, fd, &event) != 0)
      return fail_errno(errno, where, "no epoll");
  }
  return {};
}

void Server::want(Connection& connection, std::uint32_t events) const {
  epoll_event event{};
  event.events = events;
  event.data.fd = connection.socket();
  (void)::epoll_ctl(events_.get(), EPOLL_CTL_MOD, connection.socket(), &event);
}

Status Server::accept() {
  Fd socket(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket.valid()) {
    if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED) return {};
    return fail_errno(errno, "a connection", "cannot be accepted");
  }
  const int yes = 1;
  (void)::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = socket.get();
  if (::epoll_ctl(events_.get(), EPOLL_CTL_ADD, socket.get(), &event) != 0) {
    return fail_errno(errno, "a connection", "cannot be watched");
  }
  const int number = socket.get();
  connections_.try_emplace(number, std::move(socket));
  return {};
}

void Server::close(Connection& connection) { connections_.erase(connection.socket()); }

void Server::read(Connection& connection) {
  switch (connection.read()) {
    case Progress::kMore:
      return;
    case Progress::kGone:
      close(connection);
      return;
    case Progress::kWhole:
      want(connection, 0);
      submit(connection);
      return;
  }
}

void Server::write(Connection& connection) {
  switch (connection.write()) {
    case Progress::kMore:
      want(connection, EPOLLOUT);
      return;
    case Progress::kGone:
      close(connection);
      return;
    case Progress::kWhole:
      want(connection, EPOLLIN);
      return;
  }
}

void Server::submit(Connection& connection) {
  const std::lock_guard lock(mutex_);
  submitted_.push_back(&connection);
  submitted_one_.notify_one();
}

void Server::take_completed() {
  std::uint64_t count = 0;
  (void)!::read(woken_.get(), &count, sizeof count);
  std::vector<Connection*> done;
  {
    const std::lock_guard lock(mutex_);
    done.swap(completed_);
  }
  for (Connection* connection : done) write(*connection);
}

Status Server::serve() {
  std::array<epoll_event, 64> events{};
  for (;;) {
    const int count = ::epoll_wait(events_.get(), events.data(), static_cast<int>(events.size()), -1);
    if (count < 0 && errno != EINTR) return fail_errno(errno, "epoll", "cannot wait");
    {
      const std::lock_guard lock(mutex_);
      if (broken_) return tl::unexpected(*broken_);
      if (stopping_) return {};
    }
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      if (Status handled = handle(event.data.fd, event.events); !handled) return handled;
    }
  }
}

Status Server::handle(int fd, std::uint32_t events) {
  if (fd == listening_.get()) return accept();
  if (fd == woken_.get()) {
    take_completed();
    return {};
  }
  const auto there = connections_.find(fd);
  if (there == connections_.end()) return {};
  // A peer that is gone (EPOLLHUP) is noticed by the next read or write.
  if ((events & EPOLLOUT) != 0) {
    write(there->second);
  } else if ((events & EPOLLIN) != 0) {
    read(there->second);
  }
  return {};
}

void Server::stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  submitted_one_.notify_all();
  const std::uint64_t one = 1;
  (void)!::write(woken_.get(), &one, sizeof one);
}

}  // namespace laggard::lab::striped
