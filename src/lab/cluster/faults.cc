#include "lab/cluster/faults.h"

namespace laggard::lab {

namespace {

constexpr std::int64_t kMegabyte = 1 << 20;
constexpr std::int64_t kSpareBytes = 20'000'000'000;

/// Reads the spare partition over and over.
class DiskReader final : public Fault, public EventHandler {
 public:
  struct Style {
    IoClass io_class = IoClass::kSync;
    std::uint32_t outstanding = 1;  ///< Reads of 1 MB.
  };
  DiskReader(const FaultPlace& place, const Style& style)
      : disk_(place.server.disk()), first_(place.spare_partition), style_(style) {}

  void begin() override {
    active_ = true;
    for (std::uint32_t i = 0; i < style_.outstanding; ++i) read_next();
  }
  void end() override { active_ = false; }
  void on_event(std::uint32_t /*kind*/, std::uint64_t /*about*/) override {
    if (active_) read_next();
  }

 private:
  void read_next() {
    disk_.submit({.at = first_ + offset_,
                  .bytes = kMegabyte,
                  .write = false,
                  .io_class = style_.io_class,
                  .stream = FileServer::kHogStream,
                  .done = {this, 0, 0}});
    offset_ = (offset_ + kMegabyte) % kSpareBytes;
  }

  Disk& disk_;
  std::int64_t first_;
  Style style_;
  std::int64_t offset_ = 0;
  bool active_ = false;
};

/// Sends zeros as fast as TCP lets it.
class NetworkHog final : public Fault, public EventHandler {
 public:
  NetworkHog(const FaultPlace& place, const TcpFlow::Ends& ends)
      : flow_(place.queue, place.fabric.network(), ends, place.cluster.tcp, place.random) {}

  void begin() override {
    active_ = true;
    for (int i = 0; i < 2; ++i) flow_.send(4 * kMegabyte, {this, 0, 0});
  }
  void end() override { active_ = false; }
  void on_event(std::uint32_t /*kind*/, std::uint64_t /*about*/) override {
    if (active_) flow_.send(4 * kMegabyte, {this, 0, 0});
  }

 private:
  TcpFlow flow_;
  bool active_ = false;
};

class PacketLoss final : public Fault {
 public:
  explicit PacketLoss(const FaultPlace& place)
      : fabric_(place.fabric),
        server_(place.server_index),
        loss_(place.run.loss),
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

}  // namespace

std::unique_ptr<Fault> make_fault(const FaultPlace& place) {
  const std::size_t server = place.server_index;
  const std::size_t outsider = place.fabric.third_party();
  switch (place.run.fault) {
    case FaultKind::kNone:
      return nullptr;
    case FaultKind::kDiskHog:
      return std::make_unique<DiskReader>(
          place, DiskReader::Style{IoClass::kSync, place.cluster.experiment.hog_requests});
    case FaultKind::kDiskBusy:
      return std::make_unique<DiskReader>(place, DiskReader::Style{IoClass::kPassThrough, 1});
    case FaultKind::kWriteNetworkHog:
      return std::make_unique<NetworkHog>(place, TcpFlow::Ends{outsider, server});
    case FaultKind::kReadNetworkHog:
      return std::make_unique<NetworkHog>(place, TcpFlow::Ends{server, outsider});
    case FaultKind::kReceiveLoss:
    case FaultKind::kSendLoss:
      return std::make_unique<PacketLoss>(place);
  }
  return nullptr;
}

}  // namespace laggard::lab
