#include "detect/behaviour/function_hints.h"

#include <algorithm>
#include <array>

namespace laggard::detect {

namespace {

struct Hint {
  std::string_view part;  ///< Of a function's name; with `^` it begins so.
  Resource resource = Resource::kCpu;
};

using enum Resource;

// Of a name that several rows meet the first one counts.
constexpr std::array kKernel{
    // Memory: reclaim is entered from anywhere.
    Hint{"shrink_", kMemory}, Hint{"reclaim", kMemory}, Hint{"^kswapd", kMemory},
    Hint{"compact_zone", kMemory}, Hint{"swap_", kMemory}, Hint{"^try_to_unmap", kMemory},
    // Packets, in and out.
    Hint{"^tcp_", kNetwork}, Hint{"^__tcp_", kNetwork}, Hint{"^ip_", kNetwork}, Hint{"^ip6_", kNetwork},
    Hint{"^__ip_", kNetwork}, Hint{"^udp_", kNetwork}, Hint{"^net_rx", kNetwork}, Hint{"^net_tx", kNetwork},
    Hint{"^napi_", kNetwork}, Hint{"^__napi", kNetwork}, Hint{"netif_", kNetwork}, Hint{"skb", kNetwork},
    Hint{"_xmit", kNetwork}, Hint{"^dev_queue", kNetwork}, Hint{"qdisc", kNetwork}, Hint{"^nf_", kNetwork},
    Hint{"^nft_", kNetwork}, Hint{"^ipt_", kNetwork}, Hint{"^br_", kNetwork}, Hint{"^veth", kNetwork},
    Hint{"^sock_", kNetwork}, Hint{"^inet_", kNetwork}, Hint{"csum", kNetwork}, Hint{"^fib_", kNetwork},
    // Requests to storage and the file systems above.
    Hint{"^blk", kStorage}, Hint{"^__blk", kStorage}, Hint{"bio", kStorage}, Hint{"^scsi_", kStorage},
    Hint{"^sg_", kStorage}, Hint{"^nvme_", kStorage}, Hint{"^loop_", kStorage}, Hint{"^lo_", kStorage},
    Hint{"^dm_", kStorage}, Hint{"^md_", kStorage}, Hint{"^raid", kStorage}, Hint{"^ext4_", kStorage},
    Hint{"^xfs_", kStorage}, Hint{"^jbd2", kStorage}, Hint{"^iomap_", kStorage}, Hint{"dio", kStorage},
    Hint{"^submit_", kStorage}, Hint{"^io_schedule", kStorage}, Hint{"^elv_", kStorage},
    Hint{"^dd_", kStorage}, Hint{"writeback", kStorage}, Hint{"^filemap_", kStorage},
    Hint{"readahead", kStorage}};

constexpr std::array kPrograms{
    Hint{"pread", kStorage},     Hint{"pwrite", kStorage},  Hint{"fsync", kStorage},
    Hint{"fdatasync", kStorage}, Hint{"bstream", kStorage}, Hint{"aio_", kStorage},
    Hint{"^posix_", kStorage},   Hint{"recv", kNetwork},    Hint{"send", kNetwork},
    Hint{"socket", kNetwork},    Hint{"bmi_tcp", kNetwork}};

bool is_met(const Hint& hint, std::string_view name) {
  if (hint.part.starts_with('^')) return name.starts_with(hint.part.substr(1));
  return name.find(hint.part) != std::string_view::npos;
}

}  // namespace

std::optional<Resource> resource_of(const FunctionName& name) {
  constexpr std::string_view kNear = "near ";
  if (name.function.starts_with(kNear)) return std::nullopt;
  const bool is_kernel = name.binary.starts_with('[');
  const auto first = [&](const auto& hints) -> std::optional<Resource> {
    const auto found =
        std::ranges::find_if(hints, [&](const Hint& hint) { return is_met(hint, name.function); });
    if (found == hints.end()) return std::nullopt;
    return found->resource;
  };
  return is_kernel ? first(kKernel) : first(kPrograms);
}

}  // namespace laggard::detect
