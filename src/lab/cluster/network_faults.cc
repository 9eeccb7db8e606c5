#include <array>
#include <numeric>

#include "lab/cluster/fault.h"

namespace laggard::lab {

namespace {

constexpr std::int64_t kMegabyte = 1 << 20;
/// Of a client's port, what the bench calls a server's port: there clients have faster ones than servers.
constexpr double kSlowClient = 0.3;

/// Sends zeros as fast as TCP lets it, or a part of that.
class NetworkHog final : public Fault, public EventHandler {
 public:
  NetworkHog(const FaultPlace& place, const TcpFlow::Ends& ends)
      : queue_(place.queue),
        flow_(place.queue, place.fabric.network(), ends, place.cluster.tcp, place.random),
        load_(place.value("load")),
        piece_(from_seconds(static_cast<double>(kPiece) / (load_ * place.cluster.network.bytes_per_second))) {
  }

  void begin() override {
    active_ = true;
    for (int i = 0; i < (load_ >= 1 ? 2 : 1); ++i) send();
  }
  void end() override { active_ = false; }
  void on_event(std::uint32_t kind, std::uint64_t /*about*/) override {
    if (!active_) return;
    if (kind == kPaused || load_ >= 1 || queue_.now() >= sent_ + piece_) {
      send();
    } else {
      queue_.schedule(sent_ + piece_, {this, kPaused, 0});
    }
  }

 private:
  static constexpr std::int64_t kPiece = 4 * kMegabyte;
  static constexpr std::uint32_t kSent = 0;
  static constexpr std::uint32_t kPaused = 1;

  void send() {
    sent_ = queue_.now();
    flow_.send(kPiece, {this, kSent, 0});
  }

  EventQueue& queue_;
  TcpFlow flow_;
  double load_;
  SimTime piece_;  ///< That a piece takes at this load.
  SimTime sent_{};
  bool active_ = false;
};

/// The port goes down again and again.
class FlappingPort final : public Recurring {
 public:
  explicit FlappingPort(const FaultPlace& place)
      : Recurring(place.queue, kFirst, from_seconds(place.value("every"))),
        network_(place.fabric.network()),
        server_(place.server_index),
        down_(from_seconds(place.value("down"))) {}
  void on_event(std::uint32_t kind, std::uint64_t about) override {
    if (kind == kUp) {
      network_.set_cable(server_, {});
    } else {
      Recurring::on_event(kind, about);
    }
  }

 private:
  static constexpr SimTime kFirst = std::chrono::seconds(5);
  static constexpr std::uint32_t kUp = 1;

  void strike() override {
    network_.set_cable(server_, {.up = false});
    queue_.schedule_in(down_, {this, kUp, 0});
  }

  Network& network_;
  std::size_t server_;
  SimTime down_;
};

/// A host's cable is sick in one way.
std::unique_ptr<Fault> sick_cable(const FaultPlace& place, std::size_t host, const Network::Cable& cable) {
  return std::make_unique<Setting>([&network = place.fabric.network(), host, cable](bool sick) {
    network.set_cable(host, sick ? cable : Network::Cable{});
  });
}
std::unique_ptr<Fault> sick_cable(const FaultPlace& place, const Network::Cable& cable) {
  return sick_cable(place, place.server_index, cable);
}

enum class Way : std::uint8_t { kReceived, kSent, kBoth };

void set_loss(Fabric& fabric, std::size_t server, Way way, double p) {
  for (std::size_t client = 0; client < fabric.clients(); ++client) {
    const std::size_t host = fabric.client_host(client);
    if (way != Way::kSent) fabric.network().set_loss(host, server, p);
    if (way != Way::kReceived) fabric.network().set_loss(server, host, p);
  }
}

/// Servers lose packets that they exchange with the clients.
std::unique_ptr<Fault> loss(const FaultPlace& place, std::vector<std::size_t> servers, Way way, double p) {
  return std::make_unique<Setting>([&fabric = place.fabric, servers = std::move(servers), way, p](bool sick) {
    for (const std::size_t server : servers) set_loss(fabric, server, way, sick ? p : 0);
  });
}

/// A third party sends zeros to the server.
std::unique_ptr<Fault> write_hog(const FaultPlace& place) {
  return std::make_unique<NetworkHog>(place, TcpFlow::Ends{place.fabric.third_party(), place.server_index});
}

/// The server sends zeros to a third party.
std::unique_ptr<Fault> read_hog(const FaultPlace& place) {
  return std::make_unique<NetworkHog>(place, TcpFlow::Ends{place.server_index, place.fabric.third_party()});
}

/// The server's firewall drops a part of what it receives.
std::unique_ptr<Fault> receive_loss(const FaultPlace& place) {
  return loss(place, {place.server_index}, Way::kReceived, place.value("loss"));
}

/// Every client's drops a part of what it receives from the server.
std::unique_ptr<Fault> send_loss(const FaultPlace& place) {
  return loss(place, {place.server_index}, Way::kSent, place.value("loss"));
}

/// Checksums find what is corrupt once an interface has counted it.
std::unique_ptr<Fault> corruption(const FaultPlace& place) {
  return loss(place, {place.server_index}, Way::kBoth, place.value("corrupted"));
}

std::unique_ptr<Fault> switch_loss(const FaultPlace& place) {
  return loss(place, second_switch(place.cluster), Way::kBoth, place.value("loss"));
}

std::unique_ptr<Fault> switch_rate(const FaultPlace& place) {
  std::vector<std::size_t> servers = second_switch(place.cluster);
  const double rate =
      place.value("rate") * place.cluster.network.bytes_per_second * static_cast<double>(servers.size());
  return std::make_unique<Setting>(
      [&network = place.fabric.network(), servers = std::move(servers), rate](bool sick) {
        network.set_second_switch(
            sick ? std::span<const std::size_t>(servers) : std::span<const std::size_t>(), rate);
      });
}

std::unique_ptr<Fault> rate(const FaultPlace& place) {
  const double rate = place.value("rate");
  return sick_cable(place, {.sending = rate, .receiving = rate});
}

std::unique_ptr<Fault> rate_in(const FaultPlace& place) {
  return sick_cable(place, {.receiving = place.value("rate")});
}

std::unique_ptr<Fault> rate_out(const FaultPlace& place) {
  return sick_cable(place, {.sending = place.value("rate")});
}

std::unique_ptr<Fault> latency(const FaultPlace& place) {
  return sick_cable(place, {.delay = from_seconds(1e-3 * place.value("delay"))});
}

/// Bursts do not overtake each other, since a connection has one on its way at a time.
std::unique_ptr<Fault> jitter(const FaultPlace& place) {
  return sick_cable(place, {.jitter = from_seconds(1e-3 * place.value("jitter"))});
}

std::unique_ptr<Fault> duplication(const FaultPlace& place) {
  return sick_cable(place, {.copies = 1 + place.value("duplicated")});
}

std::unique_ptr<Fault> mtu(const FaultPlace& place) {
  return sick_cable(place, {.mtu = static_cast<std::int64_t>(place.value("mtu"))});
}

std::unique_ptr<Fault> flap(const FaultPlace& place) { return std::make_unique<FlappingPort>(place); }

std::unique_ptr<Fault> slow_client(const FaultPlace& place) {
  const double rate = kSlowClient * place.value("rate");
  const std::size_t client = faulty_client(place.cluster, place.run);
  return sick_cable(place, place.fabric.client_host(client), {.sending = rate, .receiving = rate});
}

constexpr std::array kNetworkFaults{
    FaultMaker{"write-network-hog", write_hog},
    FaultMaker{"read-network-hog", read_hog},
    FaultMaker{"receive-pktloss", receive_loss},
    FaultMaker{"send-pktloss", send_loss},
    FaultMaker{"link-rate", rate},
    FaultMaker{"link-rate-in", rate_in},
    FaultMaker{"link-rate-out", rate_out},
    FaultMaker{"link-latency", latency},
    FaultMaker{"link-jitter", jitter},
    FaultMaker{"link-corrupt", corruption},
    FaultMaker{"link-duplicate", duplication},
    FaultMaker{"link-flap", flap},
    FaultMaker{"link-mtu", mtu},
    FaultMaker{"switch-rate", switch_rate},
    FaultMaker{"switch-loss", switch_loss},
    FaultMaker{"slow-client", slow_client},
};

}  // namespace

std::span<const FaultMaker> network_faults() { return kNetworkFaults; }

}  // namespace laggard::lab
