#include "lab/striped/client.h"

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "lab/striped/address.h"
#include "lab/striped/transfer.h"

namespace laggard::lab::striped {

/// An exchange that goes on: first the request is sent, then the answer is read.
struct Client::Flow {
  Exchange* exchange = nullptr;
  Fd socket{};
  bool fresh = false;
  bool over = false;
  Outgoing request;
  Incoming answer;
};

Fd Client::connect(std::size_t server) const {
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return {};
  sockaddr_in address = servers_[server];
  if (::connect(socket.get(), as_generic(address), sizeof address) != 0) return {};
  const int yes = 1;
  (void)::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return socket;
}

Fd Client::take(std::size_t server, bool fresh) {
  if (!fresh) {
    const std::lock_guard lock(mutex_);
    if (!idle_[server].empty()) {
      Fd socket = std::move(idle_[server].back());
      idle_[server].pop_back();
      return socket;
    }
  }
  return connect(server);
}

void Client::give_back(std::size_t server, Fd socket) {
  const std::lock_guard lock(mutex_);
  idle_[server].push_back(std::move(socket));
}

void Client::begin(Flow& flow, bool fresh) {
  flow.fresh = fresh;
  flow.request.start(flow.exchange->request, flow.exchange->body);
  flow.answer.start();
  flow.socket = take(flow.exchange->server, fresh);
  if (!flow.socket.valid()) end(flow);
}

/// Without a socket the server cannot be reached.
void Client::end(Flow& flow) {
  flow.over = true;
  if (flow.socket.valid()) {
    give_back(flow.exchange->server, std::move(flow.socket));
    return;
  }
  flow.exchange->answer = {};
  flow.exchange->answer.code = ECONNREFUSED;
}

/// A connection that was idle may have been closed since it was used: the request goes over a new one, once.
void Client::fail(Flow& flow) {
  flow.socket.reset();
  if (flow.fresh) {
    end(flow);
  } else {
    begin(flow, true);
  }
}

/// Sends what the socket takes, and reads the answer once all has gone.
void Client::advance(Flow& flow) {
  Exchange& exchange = *flow.exchange;
  Progress progress = flow.request.send(flow.socket.get());
  if (progress == Progress::kWhole) {
    progress = flow.answer.receive(flow.socket.get(), [&](const Header& header) {
      exchange.answer_body.resize(header.body);
      return exchange.answer_body.data();
    });
    exchange.answer = flow.answer.header();
  }
  if (progress == Progress::kGone) fail(flow);
  if (progress == Progress::kWhole) end(flow);
}

void Client::exchange(std::span<Exchange> exchanges) {
  std::vector<Flow> flows(exchanges.size());
  for (std::size_t i = 0; i < flows.size(); ++i) {
    flows[i].exchange = &exchanges[i];
    begin(flows[i], false);
    if (!flows[i].over) advance(flows[i]);
  }
  std::vector<pollfd> waiting;
  std::vector<Flow*> who;
  for (;;) {
    waiting.clear();
    who.clear();
    for (Flow& flow : flows) {
      if (flow.over) continue;
      const auto events = static_cast<short>(flow.request.whole() ? POLLIN : POLLOUT);
      waiting.push_back({flow.socket.get(), events, 0});
      who.push_back(&flow);
    }
    if (waiting.empty()) return;
    (void)::poll(waiting.data(), waiting.size(), -1);
    for (std::size_t i = 0; i < who.size(); ++i) {
      if (waiting[i].revents != 0) advance(*who[i]);
    }
  }
}

}  // namespace laggard::lab::striped
