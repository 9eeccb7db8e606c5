#pragma once

#include <algorithm>

#include "lab/cluster/lustre_spec.h"
#include "lab/cluster/service.h"
#include "lab/sim/random.h"
#include "lab/sim/wander.h"

namespace laggard::lab {

/// Lustre's one metadata server. It has no peers and is not recorded (F §2: "cannot diagnose ... Lustre's
/// single metadata server"); it only sets the pace of metadata.
class MetadataServer final : public Service {
 public:
  MetadataServer(EventQueue& queue, const LustreSpec& spec, Random random)
      : queue_(queue),
        mean_seconds_(spec.metadata_seconds),
        wander_(spec.metadata_wander, spec.metadata_wander_seconds),
        random_(random) {}

  void serve(const Rpc& /*rpc*/, std::uint32_t /*thread*/, const Signal& served) override {
    const SimTime start = std::max(queue_.now(), busy_until_);
    const double mean = mean_seconds_ * wander_.factor(queue_.now(), random_);
    busy_until_ = start + from_seconds(mean * (0.5 + 0.5 * random_.exponential()));
    queue_.schedule(busy_until_, served);
  }

 private:
  EventQueue& queue_;
  double mean_seconds_;
  Wander wander_;
  Random random_;
  SimTime busy_until_{};
};

}  // namespace laggard::lab
