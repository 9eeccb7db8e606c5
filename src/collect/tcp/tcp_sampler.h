#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "collect/record/sampler.h"
#include "collect/tcp/inet_diag.h"

namespace laggard::collect {

struct TcpOptions {
  /// Connections in one sample; further ones are left out, with one notice.
  std::size_t most = 10'000;
};

/// TCP_INFO of established connections, each a device `local>peer`.
///
/// Connections come and go by the thousand on some hosts. The first sample takes all that are there; a
/// connection that appears later is recorded from its second sample on, because nothing can be computed from
/// one, and a name for every short request would grow the archive for nothing. Closed connections are
/// forgotten at the next flush.
class TcpSampler final : public Sampler {
 public:
  TcpSampler(std::unique_ptr<ConnectionSource> source, std::string host, TcpOptions options,
             Notices& notices);

  void sample(Clock& clock) override;
  [[nodiscard]] Batch& batch() override { return batch_; }
  [[nodiscard]] std::vector<DeviceInfo> take_facts() override { return {}; }
  [[nodiscard]] std::size_t devices() const override { return present_; }

 private:
  struct Key {
    Endpoint local;
    Endpoint peer;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  struct Connection {
    Slot slot;
    std::uint64_t pass = 0;  ///< The last sample that showed it.
  };

  void record(const TcpSample& sample);
  void forget_the_gone();

  std::unique_ptr<ConnectionSource> source_;
  TcpOptions options_;
  Notices* notices_;
  Batch batch_;
  std::unordered_map<Key, Connection, KeyHash> known_;
  std::uint64_t pass_ = 0;
  std::uint32_t cleaned_ = 0;  ///< The batch at whose start closed connections were last forgotten.
  std::size_t present_ = 0;
  bool first_ = true;
};

}  // namespace laggard::collect
