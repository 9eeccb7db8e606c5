#include <array>

#include "detect/logs/log_pattern.h"

namespace laggard::detect {

namespace {

using enum LogClass;

/// Blue Gene/L, as its failures are described by Oliner and Stearley (DSN 2007, table 4).
constexpr std::array kBlueGene{
    LogPattern{"bgl-dtlb", PartKind::kServer, kCritical, kFailure, "data TLB error interrupt",
               "data TLB error interrupt"},
    LogPattern{"bgl-storage-interrupt", PartKind::kServer, kCritical, kFailure,
               "(?:data|instruction) storage interrupt", "data storage interrupt"},
    LogPattern{"bgl-terminated", PartKind::kServer, kCritical, kFailure,
               R"(rts: kernel terminated for reason \d+)",
               "rts: kernel terminated for reason 1004rts: bad message header: invalid cpu, type=42, cpu=4, "
               "index=1, total=1"},
    LogPattern{"bgl-rts-panic", PartKind::kServer, kCritical, kFailure, "rts panic! - stopping execution",
               "rts panic! - stopping execution"},
    LogPattern{
        "bgl-tree-packet", PartKind::kNetwork, kCritical, kFailure, "Error receiving packet on tree network",
        "Error receiving packet on tree network, expecting type 57 instead of type 3 (softheader=0 0 0 0)"},
    LogPattern{"bgl-ciostream", PartKind::kLink, kCritical, kFailure,
               R"([Ee]rror reading message prefix (?:after \w+ )?on (?:CioStream|control stream))",
               "ciod: Error reading message prefix on CioStream socket to 172.16.96.116:33399, Link has been "
               "severed"},
    LogPattern{
        "bgl-control-stream", PartKind::kLink, kCritical, kFailure,
        "failed to read message prefix on control stream",
        "ciod: failed to read message prefix on control stream (CioStream socket to 172.16.96.116:33399"},
    LogPattern{"bgl-mount", PartKind::kTarget, kCritical, kFailure, "Lustre mount FAILED",
               "Lustre mount FAILED : bglio11 : block_id : location"},
    LogPattern{"bgl-chdir", PartKind::kTarget, kCritical, kFailure,
               R"(LOGIN chdir\(.*\) failed: Input/output error)",
               "ciod: LOGIN chdir(/home/x) failed: Input/output error"},
    LogPattern{"bgl-machine-check", PartKind::kServer, kCritical, kFailure, "[Mm]achine check interrupt",
               "machine check interrupt (bit=0x1d): L2 dcache unit data parity error"},
    LogPattern{"bgl-node-card", PartKind::kServer, kWarning, kFailure,
               "[Nn]ode ?[Cc]ard is not fully functional", "Node card is not fully functional"},
};

}  // namespace

std::span<const LogPattern> blue_gene_patterns() { return kBlueGene; }

}  // namespace laggard::detect
