#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace laggard::lab::bench {

enum class Workload { kDdWrite, kDdRead, kIozoneWrite, kIozoneRead, kPostmark };
enum class FaultKind {
  kNone,
  kDiskHog,
  kDiskBusy,
  kWriteNetworkHog,
  kReadNetworkHog,
  kReceiveLoss,
  kSendLoss,
};

inline constexpr std::array<std::string_view, 5> kWorkloadNames{"ddw", "ddr", "iozonew", "iozoner",
                                                                "postmark"};
inline constexpr std::array<std::string_view, 7> kFaultNames{
    "none",        "disk-hog", "disk-busy", "write-network-hog", "read-network-hog", "receive-pktloss",
    "send-pktloss"};

[[nodiscard]] std::string_view to_name(Workload workload);
[[nodiscard]] std::string_view to_name(FaultKind fault);
[[nodiscard]] std::optional<Workload> workload_of(std::string_view name);
[[nodiscard]] std::optional<FaultKind> fault_of(std::string_view name);

}  // namespace laggard::lab::bench
