#include "lab/cluster/scenario.h"

#include <array>

namespace laggard::lab {

namespace {

constexpr std::array<std::string_view, 2> kFileSystemNames{"pvfs", "lustre"};
constexpr std::array<std::string_view, kWorkloads> kWorkloadNames{"ddw", "ddr", "iozonew", "iozoner",
                                                                  "postmark"};
constexpr std::array<std::string_view, kFaultKinds> kFaultNames{
    "none",        "disk-hog", "disk-busy", "write-network-hog", "read-network-hog", "receive-pktloss",
    "send-pktloss"};

template <typename Enum, std::size_t n>
std::optional<Enum> find(const std::array<std::string_view, n>& names, std::string_view name) {
  for (std::size_t i = 0; i < n; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_name(FileSystem file_system) {
  return kFileSystemNames[static_cast<std::size_t>(file_system)];
}
std::string_view to_name(Workload workload) { return kWorkloadNames[static_cast<std::size_t>(workload)]; }
std::string_view to_name(FaultKind fault) { return kFaultNames[static_cast<std::size_t>(fault)]; }

std::optional<FileSystem> file_system_of(std::string_view name) {
  return find<FileSystem>(kFileSystemNames, name);
}
std::optional<Workload> workload_of(std::string_view name) { return find<Workload>(kWorkloadNames, name); }
std::optional<FaultKind> fault_of(std::string_view name) { return find<FaultKind>(kFaultNames, name); }

WallTime start_of_run(std::size_t place) {
  constexpr Duration kDistance = std::chrono::seconds(3607);
  return RunSpec{}.start + kDistance * static_cast<std::int64_t>(place);
}

}  // namespace laggard::lab
