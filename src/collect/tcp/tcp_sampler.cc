#include "collect/tcp/tcp_sampler.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace laggard::collect {

std::size_t TcpSampler::KeyHash::operator()(const Key& key) const noexcept {
  std::uint64_t hash = (std::uint64_t{key.local.port} << 16) | key.peer.port;
  for (const IpAddress* address : {&key.local.address, &key.peer.address}) {
    std::uint64_t words[2];
    std::memcpy(words, address->bytes.data(), sizeof words);
    for (const std::uint64_t word : words) {
      hash = (hash ^ word) *
             0x9e3779b97f4a7c15U;  // Fibonacci hashing; peers choose their ports, not our buckets.
      hash ^= hash >> 32;
    }
  }
  return hash;
}

TcpSampler::TcpSampler(std::unique_ptr<ConnectionSource> source, std::string host, TcpOptions options,
                       Notices& notices)
    : source_(std::move(source)),
      options_(options),
      notices_(&notices),
      batch_(std::move(host), DeviceKind::kTcp, tcp_counters()) {}

void TcpSampler::sample(Clock& clock) {
  if (cleaned_ != batch_.number() || known_.size() > 2 * options_.most) forget_the_gone();
  ++pass_;
  present_ = 0;
  batch_.begin_row(sample_time(clock));
  const Status dumped = source_->dump([this](const TcpSample& sample) { record(sample); });
  if (!dumped) notices_->once("connections are not recorded for now: " + dumped.error().message());
  first_ = false;
}

void TcpSampler::record(const TcpSample& sample) {
  if (present_ >= options_.most) {
    notices_->once("more than " + std::to_string(options_.most) +
                   " connections: the rest is left out; choose with --tcp-port or --tcp-peer");
    return;
  }
  const auto [it, is_new] = known_.try_emplace(Key{sample.local, sample.peer});
  Connection& connection = it->second;
  if (connection.pass != pass_) ++present_;
  connection.pass = pass_;
  if (is_new && !first_) return;
  if (!batch_.has(connection.slot)) {
    connection.slot = batch_.add(sample.local.text() + ">" + sample.peer.text());
  }
  std::ranges::copy(sample.values, batch_.cells(connection.slot).begin());
  batch_.set_present(connection.slot, sample.present);
}

void TcpSampler::forget_the_gone() {
  cleaned_ = batch_.number();
  std::erase_if(known_, [this](const auto& entry) { return entry.second.pass != pass_; });
}

}  // namespace laggard::collect
