#include "model/metric.h"

#include "model/metric_rows.h"

namespace laggard {

std::span<const MetricSpec> metric_catalogue() { return metric_rows::kMetrics; }

const MetricSpec* find_metric(std::string_view name) {
  for (const MetricSpec& spec : metric_catalogue()) {
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
    case Role::kDelay:
      return "delay";
    case Role::kOccupancy:
      return "occupancy";
    case Role::kCapacity:
      return "capacity";
  }
  return "";
}

std::string_view to_name(Resource resource) {
  switch (resource) {
    case Resource::kStorage:
      return "storage";
    case Resource::kNetwork:
      return "network";
    case Resource::kCpu:
      return "cpu";
    case Resource::kMemory:
      return "memory";
    case Resource::kService:
      return "service";
  }
  return "";
}

}  // namespace laggard
