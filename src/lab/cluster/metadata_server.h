#pragma once

#include <algorithm>

#include "lab/cluster/service.h"
#include "lab/sim/random.h"

namespace laggard::lab {

/// Lustre's one metadata server. It has no peers and is not recorded (F §2: "cannot diagnose ... Lustre's
/// single metadata server"); it only sets the pace of metadata: requests one after the other, 0.55 ms each on
/// average, which is what F §8.1's 53,000 transactions of ten clients in 600 s amount to.
class MetadataServer final : public Service {
 public:
  MetadataServer(EventQueue& queue, Random random) : queue_(queue), random_(random) {}
  void serve(const Rpc& /*rpc*/, std::uint32_t /*thread*/, const Signal& served) override {
    const SimTime start = std::max(queue_.now(), busy_until_);
    busy_until_ = start + from_seconds(kMeanService * (0.5 + 0.5 * random_.exponential()));
    queue_.schedule(busy_until_, served);
  }

 private:
  static constexpr double kMeanService = 0.55e-3;

  EventQueue& queue_;
  Random random_;
  SimTime busy_until_{};
};

}  // namespace laggard::lab
