// Statistics of Lustre's targets and jobs and of ZFS's pools: any bytes give counters of which those that are
// not there are zero, and whatever is recognised has both directions, or a job's name.
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "collect/procfs/job_sampler.h"
#include "collect/procfs/target_counters.h"

namespace {

void check(const laggard::collect::TargetCounters& counters) {
  using enum laggard::collect::TargetCounter;
  LAGGARD_CHECK(counters.present < std::uint32_t{1} << laggard::collect::kTargetCounters);
  LAGGARD_CHECK(counters.has(kReads) == counters.has(kWrites));
  LAGGARD_CHECK(counters.has(kReadMs) == counters.has(kWriteMs));
  for (std::size_t c = 0; c < counters.values.size(); ++c)
    LAGGARD_CHECK((counters.present >> c & 1U) != 0 || counters.values[c] == 0);
}

void check(const laggard::collect::JobRequests& job) {
  LAGGARD_CHECK(!job.job.empty() && job.requests.present != 0);
  check(job.requests);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace laggard::collect;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  TargetCounters ost = read_ost_stats(text);
  check(ost);
  add_brw_times(text, ost);
  check(ost);
  check(read_mdt_stats(text));
  check(read_pool_io(text));
  TargetCounters pool;
  static_cast<void>(add_pool_objset(text, pool));
  check(pool);
  for (const JobRequests& job : read_job_stats(text)) check(job);
  return 0;
}
