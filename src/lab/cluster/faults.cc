#include <algorithm>
#include <array>
#include <optional>

#include "lab/cluster/cluster.h"

namespace laggard::lab {

namespace {

constexpr std::int64_t kMegabyte = 1 << 20;
constexpr std::int64_t kSpareBytes = 20'000'000'000;

double value(const FaultPlace& place, std::string_view parameter) {
  return value_of(place.run.fault, strength_of(place.run), parameter);
}

/// Reads the spare partition over and over, or for that share of every kPeriodSeconds that is its load: a
/// queue that is still read when a share ends must not count.
class DiskReader final : public Fault, public EventHandler {
 public:
  struct Style {
    IoClass io_class = IoClass::kSync;
    std::uint32_t outstanding = 1;  ///< Reads of 1 MB.
  };
  DiskReader(const FaultPlace& place, const Style& style)
      : queue_(place.queue),
        disk_(place.server.disk()),
        first_(place.spare_partition),
        load_(value(place, "load")),
        style_(style) {}

  void begin() override {
    active_ = true;
    go_on();
  }
  void end() override { active_ = false; }
  void on_event(std::uint32_t kind, std::uint64_t /*about*/) override {
    if (kind == kRead) {
      --under_way_;
      if (active_ && reading_) read_next();
    } else if (kind == kPause) {
      reading_ = false;
    } else if (active_) {
      go_on();
    }
  }

 private:
  static constexpr double kPeriodSeconds = 10;
  static constexpr std::uint32_t kRead = 0;
  static constexpr std::uint32_t kPause = 1;
  static constexpr std::uint32_t kGoOn = 2;

  void go_on() {
    reading_ = true;
    while (under_way_ < style_.outstanding) read_next();
    if (load_ >= 1) return;
    queue_.schedule_in(from_seconds(load_ * kPeriodSeconds), {this, kPause, 0});
    queue_.schedule_in(from_seconds(kPeriodSeconds), {this, kGoOn, 0});
  }
  void read_next() {
    ++under_way_;
    disk_.submit({.at = first_ + offset_,
                  .bytes = kMegabyte,
                  .write = false,
                  .io_class = style_.io_class,
                  .stream = FileServer::kHogStream,
                  .done = {this, kRead, 0}});
    offset_ = (offset_ + kMegabyte) % kSpareBytes;
  }

  EventQueue& queue_;
  Disk& disk_;
  std::int64_t first_;
  double load_;
  Style style_;
  std::int64_t offset_ = 0;
  std::uint32_t under_way_ = 0;
  bool active_ = false;
  bool reading_ = false;
};

/// Sends zeros as fast as TCP lets it, or a part of that.
class NetworkHog final : public Fault, public EventHandler {
 public:
  NetworkHog(const FaultPlace& place, const TcpFlow::Ends& ends)
      : queue_(place.queue),
        flow_(place.queue, place.fabric.network(), ends, place.cluster.tcp, place.random),
        load_(value(place, "load")),
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

class PacketLoss final : public Fault {
 public:
  explicit PacketLoss(const FaultPlace& place)
      : fabric_(place.fabric),
        server_(place.server_index),
        loss_(value(place, "loss")),
        receive_(place.run.fault == FaultKind::kReceiveLoss) {}
  void begin() override { set(loss_); }
  void end() override { set(0); }

 private:
  void set(double p) {
    for (std::size_t client = 0; client < fabric_.clients(); ++client) {
      const std::size_t host = fabric_.client_host(client);
      fabric_.network().set_loss(receive_ ? host : server_, receive_ ? server_ : host, p);
    }
  }

  Fabric& fabric_;
  std::size_t server_;
  double loss_;
  bool receive_;
};

/// The server's cable is slow, or long.
class SickCable final : public Fault {
 public:
  SickCable(const FaultPlace& place, const Network::Cable& cable)
      : network_(place.fabric.network()), server_(place.server_index), cable_(cable) {}
  void begin() override { network_.set_cable(server_, cable_); }
  void end() override { network_.set_cable(server_, {}); }

 private:
  Network& network_;
  std::size_t server_;
  Network::Cable cable_;
};

class SlowDisk final : public Fault {
 public:
  explicit SlowDisk(const FaultPlace& place) : disk_(place.server.disk()), slower_(value(place, "slower")) {}
  void begin() override { disk_.set_slower(slower_); }
  void end() override { disk_.set_slower(1); }

 private:
  Disk& disk_;
  double slower_;
};

/// The disk stands still again and again.
class StallingDisk final : public Fault, public EventHandler {
 public:
  explicit StallingDisk(const FaultPlace& place)
      : queue_(place.queue),
        disk_(place.server.disk()),
        stall_(from_seconds(value(place, "stall"))),
        every_(from_seconds(value(place, "every"))) {}
  void begin() override {
    active_ = true;
    queue_.schedule_in(std::chrono::seconds(5), {this, 0, 0});
  }
  void end() override { active_ = false; }
  void on_event(std::uint32_t /*kind*/, std::uint64_t /*about*/) override {
    if (!active_) return;
    disk_.stand_still_until(queue_.now() + stall_);
    queue_.schedule_in(every_, {this, 0, 0});
  }

 private:
  EventQueue& queue_;
  Disk& disk_;
  SimTime stall_;
  SimTime every_;
  bool active_ = false;
};

/// How each simulated fault is made.
struct Maker {
  std::string_view fault;
  std::unique_ptr<Fault> (*make)(const FaultPlace& place);
};

constexpr std::array kMakers{
    Maker{"disk-hog",
          [](const FaultPlace& place) -> std::unique_ptr<Fault> {
            return std::make_unique<DiskReader>(
                place, DiskReader::Style{IoClass::kSync, place.cluster.experiment.hog_requests});
          }},
    Maker{"disk-busy",
          [](const FaultPlace& place) -> std::unique_ptr<Fault> {
            return std::make_unique<DiskReader>(place, DiskReader::Style{IoClass::kPassThrough, 1});
          }},
    Maker{"write-network-hog",
          [](const FaultPlace& place) -> std::unique_ptr<Fault> {
            return std::make_unique<NetworkHog>(
                place, TcpFlow::Ends{place.fabric.third_party(), place.server_index});
          }},
    Maker{"read-network-hog",
          [](const FaultPlace& place) -> std::unique_ptr<Fault> {
            return std::make_unique<NetworkHog>(
                place, TcpFlow::Ends{place.server_index, place.fabric.third_party()});
          }},
    Maker{"receive-pktloss",
          [](const FaultPlace& place) -> std::unique_ptr<Fault> {
            return std::make_unique<PacketLoss>(place);
          }},
    Maker{"send-pktloss",
          [](const FaultPlace& place) -> std::unique_ptr<Fault> {
            return std::make_unique<PacketLoss>(place);
          }},
    Maker{"link-rate",
          [](const FaultPlace& place) -> std::unique_ptr<Fault> {
            const double rate = value(place, "rate");
            return std::make_unique<SickCable>(place, Network::Cable{rate, rate, {}});
          }},
    Maker{"link-rate-in",
          [](const FaultPlace& place) -> std::unique_ptr<Fault> {
            return std::make_unique<SickCable>(place, Network::Cable{1, value(place, "rate"), {}});
          }},
    Maker{"link-rate-out",
          [](const FaultPlace& place) -> std::unique_ptr<Fault> {
            return std::make_unique<SickCable>(place, Network::Cable{value(place, "rate"), 1, {}});
          }},
    Maker{"link-latency",
          [](const FaultPlace& place) -> std::unique_ptr<Fault> {
            return std::make_unique<SickCable>(
                place, Network::Cable{1, 1, from_seconds(1e-3 * value(place, "delay"))});
          }},
    Maker{
        "disk-slow",
        [](const FaultPlace& place) -> std::unique_ptr<Fault> { return std::make_unique<SlowDisk>(place); }},
    Maker{"disk-stall",
          [](const FaultPlace& place) -> std::unique_ptr<Fault> {
            return std::make_unique<StallingDisk>(place);
          }},
    Maker{"disk-rare-stall",
          [](const FaultPlace& place) -> std::unique_ptr<Fault> {
            return std::make_unique<StallingDisk>(place);
          }},
};

}  // namespace

std::unique_ptr<Fault> make_fault(const FaultPlace& place) {
  if (place.run.fault == FaultKind::kNone) return nullptr;
  const auto* const maker = std::find_if(kMakers.begin(), kMakers.end(),
                                         [&](const Maker& m) { return m.fault == to_name(place.run.fault); });
  LAGGARD_CHECK(maker != kMakers.end());
  return maker->make(place);
}

}  // namespace laggard::lab
