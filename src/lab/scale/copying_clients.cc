#include "lab/scale/copying_clients.h"

#include <algorithm>

namespace laggard::lab::scale {

namespace {

constexpr std::size_t kClients = 4;
constexpr std::size_t kUnderWay = 16;
constexpr std::uint32_t kBlockSectors = 512;
constexpr std::int64_t kBlockBytes = std::int64_t{kBlockSectors} * 512;
constexpr double kPortBytesPerSecond = 117e6;
/// A client whose LUN nobody serves tries again after so long.
constexpr SimTime kTryAgain = std::chrono::seconds(1);

}  // namespace

CopyingClients::CopyingClients(const ScaleSpec& spec) : spec_(spec), clients_(kClients) {
  for (std::size_t client = 0; client < kClients; ++client) {
    // Files begin on different LUNs.
    clients_[client].next_block = client * spec.site.luns_per_array();
    for (std::size_t i = 0; i < kUnderWay; ++i) events_.push({.at = {}, .client = client});
  }
}

void CopyingClients::run_until(SimTime end) {
  while (!events_.empty() && events_.top().at <= end) {
    const Event event = events_.top();
    events_.pop();
    handle(event);
  }
}

void CopyingClients::handle(const Event& event) {
  Client& client = clients_[event.client];
  if (spec_.workload == Workload::kRead) {
    const SimTime read = send_block(event.at, event.client);
    events_.push({.at = pass_port(client, read), .client = event.client});
  } else if (event.at_array) {
    events_.push({.at = send_block(event.at, event.client), .client = event.client});
  } else {
    events_.push({.at = pass_port(client, event.at), .client = event.client, .at_array = true});
  }
}

SimTime CopyingClients::pass_port(Client& client, SimTime now) const {
  client.port_free =
      std::max(client.port_free, now) + from_seconds(static_cast<double>(kBlockBytes) / kPortBytesPerSecond);
  return client.port_free;
}

SimTime CopyingClients::send_block(SimTime at, std::size_t client) {
  const std::size_t per_array = spec_.site.luns_per_array();
  const std::uint64_t block = clients_[client].next_block++;
  const std::size_t lun = block % (arrays_.size() * per_array);
  const auto on_lun = static_cast<std::int64_t>(block / (arrays_.size() * per_array));
  // Each file has its quarter of the LUN, of which it needs little.
  const RaidGeometry& group = spec_.site.storage.group;
  const std::int64_t stripe = static_cast<std::int64_t>(group.data_disks()) * group.strip_bytes;
  const std::int64_t stripes = static_cast<std::int64_t>(group.disk.capacity_bytes) / group.strip_bytes;
  const std::int64_t begin = static_cast<std::int64_t>(client) * (stripes / std::int64_t{kClients}) * stripe;
  const auto served = arrays_[lun / per_array]->send({.at = at,
                                                      .lun = lun % per_array,
                                                      .write = spec_.workload == Workload::kWrite,
                                                      .sectors_each = kBlockSectors,
                                                      .position = begin + on_lun * kBlockBytes,
                                                      .server = {}});
  return served ? served->last : at + kTryAgain;
}

}  // namespace laggard::lab::scale
