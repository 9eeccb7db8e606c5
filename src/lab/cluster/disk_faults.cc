#include <array>

#include "lab/cluster/fault.h"

namespace laggard::lab {

namespace {

constexpr std::int64_t kMegabyte = 1 << 20;
constexpr std::int64_t kSpareBytes = 20'000'000'000;
constexpr SimTime kFirstStall = std::chrono::seconds(5);

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
        load_(place.value("load")),
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

/// The disk stands still again and again.
class StallingDisk final : public Recurring {
 public:
  explicit StallingDisk(const FaultPlace& place)
      : Recurring(place.queue, kFirstStall, from_seconds(place.value("every"))),
        disk_(place.server.disk()),
        stall_(from_seconds(place.value("stall"))) {}

 private:
  void strike() override { disk_.stand_still_until(queue_.now() + stall_); }

  Disk& disk_;
  SimTime stall_;
};

/// A log on the server's own file system: written back ten times a second, one block after the other.
class VerboseLog final : public Recurring {
 public:
  explicit VerboseLog(const FaultPlace& place)
      : Recurring(place.queue, kWriteBack, kWriteBack),
        disk_(place.server.disk()),
        first_byte_(place.spare_partition),
        piece_(static_cast<std::int64_t>(place.value("written") * to_seconds(kWriteBack) *
                                         place.cluster.disk.outer_bytes_per_second)) {}

 private:
  static constexpr SimTime kWriteBack = std::chrono::milliseconds(100);

  void strike() override {
    disk_.submit({.at = first_byte_ + written_,
                  .bytes = piece_,
                  .write = true,
                  .io_class = IoClass::kAsync,
                  .stream = FileServer::kHogStream,
                  .done = {}});
    written_ = (written_ + piece_) % kSpareBytes;
  }

  Disk& disk_;
  std::int64_t first_byte_;
  std::int64_t piece_;
  std::int64_t written_ = 0;
};

std::unique_ptr<Fault> slow_disk(const FaultPlace& place) {
  return std::make_unique<Setting>([&disk = place.server.disk(), slower = place.value("slower")](bool sick) {
    disk.set_slower(sick ? slower : 1);
  });
}

std::unique_ptr<Fault> slow_region(const FaultPlace& place) {
  const auto one_in = static_cast<std::uint32_t>(1 / place.value("region"));
  return std::make_unique<Setting>([&disk = place.server.disk(), slower = place.value("slower"),
                                    one_in](bool sick) { disk.set_slow_region(slower, sick ? one_in : 0); });
}

std::unique_ptr<Fault> retries(const FaultPlace& place) {
  const SimTime retry = from_seconds(1e-3 * place.value("retry"));
  return std::make_unique<Setting>([&disk = place.server.disk(), failed = place.value("failed"),
                                    retry](bool sick) { disk.set_retries(sick ? failed : 0, retry); });
}

/// dd reads the spare partition in blocks of 256 MB, bypassing the cache: half of the block layer's 128
/// requests (nr_requests) are always its own.
std::unique_ptr<Fault> disk_hog(const FaultPlace& place) {
  return std::make_unique<DiskReader>(
      place, DiskReader::Style{IoClass::kSync, place.cluster.experiment.hog_requests});
}

/// sgm_dd reads it in SCSI commands of 1 MB, one after the other.
std::unique_ptr<Fault> disk_busy(const FaultPlace& place) {
  return std::make_unique<DiskReader>(place, DiskReader::Style{IoClass::kPassThrough, 1});
}

std::unique_ptr<Fault> stalls(const FaultPlace& place) { return std::make_unique<StallingDisk>(place); }

std::unique_ptr<Fault> verbose_log(const FaultPlace& place) { return std::make_unique<VerboseLog>(place); }

constexpr std::array kDiskFaults{
    FaultMaker{"disk-hog", disk_hog},       FaultMaker{"disk-busy", disk_busy},
    FaultMaker{"disk-slow", slow_disk},     FaultMaker{"disk-stall", stalls},
    FaultMaker{"disk-rare-stall", stalls},  FaultMaker{"disk-retry", retries},
    FaultMaker{"disk-region", slow_region}, FaultMaker{"verbose-log", verbose_log},
};

}  // namespace

std::span<const FaultMaker> disk_faults() { return kDiskFaults; }

}  // namespace laggard::lab
