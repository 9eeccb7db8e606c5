#include "lab/scale/copying_clients.h"

#include <gtest/gtest.h>

#include "testing/scale.h"

namespace laggard::lab::scale {
namespace {

using testing_support::Samples;

/// T §6.3's experiment, with five minutes between the loss of the disk and its return instead of 70.
class DiskFailure : public testing::Test {
 protected:
  void make(Workload workload, IncidentKind kind) {
    ScaleSpec spec;
    spec.site = disk_failure_lab();
    spec.site.disk_back_after = 300;
    spec.workload = workload;
    spec.duration = 1200;
    spec.interval = 1;
    spec.transients = 0;
    spec.server_work = false;
    spec.clock_steps = false;
    spec.incidents = {kind};
    generator_.emplace(spec);
    ASSERT_TRUE(generator_->write_together(samples_, {}));
    const ScaleIncident& incident = generator_->plan().incidents.front();
    array_ = incident.array;
    while (!incident.effects.front().luns.test(failed_)) ++failed_;
  }
  [[nodiscard]] double await(std::size_t array, std::size_t lun, Seconds from, Seconds to) const {
    const ScaleSpec& spec = generator_->spec();
    const std::string host = spec.site.server_name(array, spec.site.server_at(lun, 0));
    return samples_
        .await(host, spec.site.lun_name(array, lun), spec.start + std::chrono::seconds(from),
               spec.start + std::chrono::seconds(to))
        .value_or(-1);
  }
  [[nodiscard]] double beside(Seconds from, Seconds to) const {
    double sum = 0;
    for (std::size_t lun = 0; lun < 4; ++lun) sum += lun == failed_ ? 0 : await(array_, lun, from, to) / 3;
    return sum;
  }
  [[nodiscard]] double elsewhere(Seconds from, Seconds to) const {
    return (await((array_ + 1) % 8, 0, from, to) + await((array_ + 3) % 8, 2, from, to)) / 2;
  }

  std::optional<Generator> generator_;
  Samples samples_;
  std::size_t array_ = 0;
  std::size_t failed_ = 0;
};

TEST_F(DiskFailure, ReadsWaitOnTheLunAndLessBesideItWhileItIsRebuilt) {  // T Figure 6.1
  make(Workload::kRead, IncidentKind::kReconstruction);
  EXPECT_GT(await(array_, failed_, 620, 890), 1.02 * elsewhere(620, 890));
  EXPECT_LT(await(array_, failed_, 620, 890), 1.4 * elsewhere(620, 890));
  EXPECT_NEAR(beside(620, 890), elsewhere(620, 890), 0.1 * elsewhere(620, 890));
  EXPECT_GT(await(array_, failed_, 920, 1200), 1.15 * beside(920, 1200));
  EXPECT_GT(beside(920, 1200), 1.15 * elsewhere(920, 1200));
}

TEST_F(DiskFailure, CopyingBackSlowsTheLunAndItsNeighboursLess) {  // T Figure 6.2
  make(Workload::kRead, IncidentKind::kReconstructionSpare);
  EXPECT_GT(await(array_, failed_, 920, 1200), 1.2 * elsewhere(920, 1200));
  EXPECT_GT(await(array_, failed_, 620, 890), 1.1 * await(array_, failed_, 920, 1200));
  EXPECT_GT(await(array_, failed_, 920, 1200), 1.1 * beside(920, 1200));
  EXPECT_GT(beside(620, 890), 1.1 * beside(920, 1200));
}

TEST_F(DiskFailure, WritesWaitAlikeOnAllLunsOfTheController) {  // T Figures 6.3 and 6.4
  make(Workload::kWrite, IncidentKind::kReconstruction);
  EXPECT_NEAR(await(array_, failed_, 620, 890), elsewhere(620, 890), 0.1 * elsewhere(620, 890));
  EXPECT_GT(beside(920, 1200), 2 * elsewhere(920, 1200));
  EXPECT_NEAR(await(array_, failed_, 920, 1200), beside(920, 1200), 0.25 * beside(920, 1200));
}

TEST_F(DiskFailure, ClientsMoveWhatTheirPortsLetPass) {
  make(Workload::kRead, IncidentKind::kReconstruction);
  double bytes = 0;
  for (std::size_t array = 0; array < 8; ++array) {
    for (std::size_t lun = 0; lun < 4; ++lun) {
      const ScaleSpec& spec = generator_->spec();
      const std::string host = spec.site.server_name(array, spec.site.server_at(lun, 0));
      bytes += 512 * *samples_.increase(host, spec.site.lun_name(array, lun), "rd_sectors", spec.start,
                                        spec.start + std::chrono::seconds(501));
    }
  }
  EXPECT_GT(bytes / 500, 0.9 * 4 * 117e6);
  EXPECT_LT(bytes / 500, 1.02 * 4 * 117e6);
}

}  // namespace
}  // namespace laggard::lab::scale
