#include "model/metric.h"

#include <array>

namespace laggard {

namespace {

using enum Role;
using enum BadDirection;
using enum DeviceKind;
using enum Resource;

// Noise floors. await: 1 ms, T §5.8.2's server workloads stay below it; 0.05 ms on flash is about one device
// access. Throughput: 128 sectors/s, one request of 64 KB; network: 32 KB/s, or seven packets.
constexpr std::array kMetrics{
    MetricSpec{"rd_sec", kDisk, kStorage, kThroughput, kBoth, "sectors/s", 128, 128, true},
    MetricSpec{"wr_sec", kDisk, kStorage, kThroughput, kBoth, "sectors/s", 128, 128, true},
    MetricSpec{"await", kDisk, kStorage, kLatency, kHigher, "ms", 1.0, 0.05, true},
    MetricSpec{"tps", kDisk, kStorage, kThroughput, kBoth, "requests/s", 1, 1, false},
    MetricSpec{"avgrq-sz", kDisk, kStorage, kThroughput, kBoth, "sectors", 8, 8, false},
    MetricSpec{"avgqu-sz", kDisk, kStorage, kLatency, kHigher, "requests", 0.1, 0.1, false},
    MetricSpec{"%util", kDisk, kStorage, kLatency, kHigher, "%", 1, 1, false},
    MetricSpec{"throughput", kDisk, kStorage, kThroughput, kBoth, "any", 0, 0, true},
    MetricSpec{"latency", kDisk, kStorage, kLatency, kHigher, "any", 0, 0, true},
    MetricSpec{"rxbyt", kNet, kNetwork, kThroughput, kBoth, "bytes/s", 32768, 32768, true},
    MetricSpec{"txbyt", kNet, kNetwork, kThroughput, kBoth, "bytes/s", 32768, 32768, true},
    MetricSpec{"rxpck", kNet, kNetwork, kThroughput, kBoth, "packets/s", 7, 7, false},
    MetricSpec{"txpck", kNet, kNetwork, kThroughput, kBoth, "packets/s", 7, 7, false},
    MetricSpec{"cwnd", kTcp, kNetwork, kCongestion, kLower, "segments", 0, 0, true},
    MetricSpec{"retransmits", kTcp, kNetwork, kRetransmission, kHigher, "%", 0.5, 0.5, true},
};

}  // namespace

std::span<const MetricSpec> metric_catalogue() { return kMetrics; }

const MetricSpec* find_metric(std::string_view name) {
  for (const MetricSpec& spec : kMetrics) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

std::string_view to_name(Role role) {
  switch (role) {
    case Role::kThroughput:
      return "throughput";
    case Role::kLatency:
      return "latency";
    case Role::kCongestion:
      return "congestion";
    case Role::kRetransmission:
      return "retransmission";
  }
  return "";
}

std::string_view to_name(Resource resource) {
  switch (resource) {
    case Resource::kStorage:
      return "storage";
    case Resource::kNetwork:
      return "network";
  }
  return "";
}

}  // namespace laggard
