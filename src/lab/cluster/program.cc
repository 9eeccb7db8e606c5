#include "lab/cluster/program.h"

#include "base/error.h"

namespace laggard::lab {

StreamSpec stream_spec(FileSystem file_system, Workload workload) {
  constexpr std::int64_t kMega = 1 << 20;
  constexpr std::int64_t kGiga = 1 << 30;
  const bool pvfs = file_system == FileSystem::kPvfs;
  switch (workload) {
    case Workload::kDdWrite:
      return {true, pvfs ? 40 * kMega : 10 * kMega, pvfs ? 17 * kGiga : 30 * kGiga, false};
    case Workload::kDdRead:
      return {false, pvfs ? 40 * kMega : 10 * kMega, pvfs ? 27 * kGiga : 30 * kGiga, false};
    case Workload::kIozoneWrite:
      return {true, pvfs ? 16 * kMega : 10 * kMega, pvfs ? 8 * kGiga : 9 * kGiga, true};
    case Workload::kIozoneRead:
      return {false, pvfs ? 16 * kMega : 10 * kMega, pvfs ? 8 * kGiga : 16 * kGiga, true};
    case Workload::kPostmark:
      break;
  }
  LAGGARD_CHECK(workload != Workload::kPostmark);
  return {};
}

}  // namespace laggard::lab
