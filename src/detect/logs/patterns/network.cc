#include <array>

#include "detect/logs/log_pattern.h"

namespace laggard::detect {

namespace {

using enum LogClass;

/// Interfaces, bonds, InfiniBand and RDMA, and switches.
constexpr std::array kNetwork{
    LogPattern{"bond-no-active", PartKind::kServer, kCritical, kFailure,
               "now running without any active interface",
               "bond0: now running without any active interface!"},
    LogPattern{"bond-down", PartKind::kLink, kError, kFailure,
               "link status (?:definitely )?down for (?:active )?(?:interface|slave)",
               "bond0: link status definitely down for interface eth1, disabling it"},
    LogPattern{"bond-up", PartKind::kLink, kNotice, kRecovery,
               "link status (?:definitely )?up for (?:interface|slave)",
               "bond0: link status definitely up for interface eth1, 10000 Mbps full duplex"},
    LogPattern{"bond-no-partner", PartKind::kLink, kWarning, kFailure,
               R"(No 802\.3ad response from the link partner)",
               "bond0: Warning: No 802.3ad response from the link partner for any adapters in the bond"},
    LogPattern{
        "nic-tx-hang", PartKind::kLink, kError, kFailure,
        R"(Detected Tx Unit Hang|transmit queue \d+ timed out|transmit timed out, resetting|TX timeout (?:detected|on queue))",
        "NETDEV WATCHDOG: eth0 (ixgbe): transmit queue 3 timed out"},
    LogPattern{"nic-reset", PartKind::kLink, kError, kFailure,
               "(?:initiating reset due to|Reset adapter|Resetting adapter|Adapter has been reset)",
               "ixgbe 0000:03:00.0 eth0: initiating reset due to tx timeout"},
    LogPattern{"nic-down", PartKind::kLink, kError, kFailure,
               "(?:NIC )?Link is [Dd]own|[Ll]ink is not ready|: [Ll]ink [Dd]own$|carrier lost",
               "ixgbe 0000:03:00.0 eth0: NIC Link is Down"},
    LogPattern{"nic-up", PartKind::kLink, kNotice, kRecovery,
               "(?:NIC )?Link is [Uu]p|link becomes ready|: [Ll]ink [Uu]p$|carrier acquired",
               "ixgbe 0000:03:00.0 eth0: NIC Link is Up 10 Gbps, Flow Control: RX/TX"},
    LogPattern{"nic-checksum", PartKind::kLink, kError, kFailure, ": hw csum failure",
               "eth0: hw csum failure"},
    LogPattern{
        "mlx-command", PartKind::kLink, kError, kFailure,
        R"(mlx[45]_core \S+.*(?:timeout\. Will cause a leak|command .* failed|Internal error detected|health compromised|device's health|assert_var|fatal sensor))",
        "mlx5_core 0000:81:00.0: wait_func:964:(pid 912): 2ERR_QP(0x507) timeout. Will cause a leak of a "
        "command resource"},
    LogPattern{"mlx-module", PartKind::kLink, kError, kFailure,
               R"(Port module event\[error\]|[Cc]able (?:is )?unplugged|Cable error|High [Tt]emperature)",
               "mlx5_core 0000:81:00.0: Port module event[error]: module 0, Cable error, Bus stuck (I2C or "
               "data shorted)"},
    LogPattern{
        "ib-timeout", PartKind::kLink, kError, kFailure,
        R"(ib\d+: (?:transmit timeout: latency|queue (?:\(?\d+\)? )?stopped|failed (?:send|receive|cm) event))",
        "ib0: transmit timeout: latency 1440 msecs"},
    LogPattern{
        "ib-port-down", PartKind::kLink, kError, kFailure,
        R"((?:logical|physical) state changed to (?:PORT_)?(?:DOWN|INIT|OFFLINE|POLLING)|[Pp]ort \d+ (?:is|changed|went) (?:state )?(?:to )?DOWN)",
        "hfi1 0000:81:00.0: hfi1_0: logical state changed to PORT_DOWN (0x1)"},
    LogPattern{"ib-port-up", PartKind::kLink, kNotice, kRecovery,
               "(?:logical|physical) state changed to (?:PORT_)?(?:ACTIVE|ARMED|LINKUP)",
               "hfi1 0000:81:00.0: hfi1_0: logical state changed to PORT_ACTIVE (0x4)"},
    LogPattern{"ib-errors", PartKind::kLink, kError, kFailure,
               "(?:[Ss]ymbol ?[Ee]rror|[Ll]ink[ _]?(?:[Ee]rror[ _]?[Rr]ecovery|[Dd]owned)|[Xx]mit "
               "?[Dd]iscards|[Ll]ocal ?[Ll]ink ?[Ii]ntegrity).{0,40}(?:exceed|threshold|increas)",
               "Lid 7 port 3: symbol error counter exceeds threshold: 65535"},
    LogPattern{"ib-quarantine", PartKind::kLink, kError, kFailure,
               R"(osm_\w+: .*(?:ERR [0-9A-F]{4}|[Tt]imeout|unresponsive|out of service))",
               "osm_perfmgr: ERR 5403: unresponsive port: lid 7 port 3"},
    LogPattern{"rdma-flush", PartKind::kLink, kError, kFailure,
               "IBV_WC_(?:RETRY_EXC_ERR|RNR_RETRY_EXC_ERR|WR_FLUSH_ERR)|RDMA.*(?:completion|connection) "
               "(?:error|lost|timed out)|rdma_cm.*(?:ADDR_ERROR|UNREACHABLE|ROUTE_ERROR)",
               "RDMA connection lost to 10.2.0.5: completion error 12"},
    LogPattern{"conntrack-full", PartKind::kServer, kError, kFailure,
               "nf_conntrack: table full, dropping packet",
               "nf_conntrack: nf_conntrack: table full, dropping packet"},
    LogPattern{"neighbour-full", PartKind::kServer, kError, kFailure, "[Nn]eighbou?r table overflow",
               "neighbour: arp_cache: neighbor table overflow!"},
    LogPattern{"tcp-flood", PartKind::kServer, kWarning, kFailure, "Possible SYN flooding on port",
               "TCP: request_sock_TCP: Possible SYN flooding on port 6789. Sending cookies."},
    LogPattern{"tcp-memory", PartKind::kServer, kError, kFailure,
               "TCP: (?:out of memory|too many orphaned sockets)",
               "TCP: out of memory -- consider tuning tcp_mem"},
    LogPattern{"duplicate-address", PartKind::kNetwork, kError, kFailure,
               "[Dd]uplicate (?:IP(?:v[46])? )?address|duplicate use of",
               "eth0: IPv6 duplicate address fe80::1 used by 52:54:00:12:34:56 detected!"},
    LogPattern{"switch-port-down", PartKind::kLink, kError, kFailure,
               R"(%\S+-\d-(?:UPDOWN|IF_DOWN\w*|LINK_DOWN\w*): .*(?:\bdown\b|Down))",
               "%LINK-3-UPDOWN: Interface GigabitEthernet0/1, changed state to down"},
    LogPattern{"switch-port-up", PartKind::kLink, kNotice, kRecovery,
               R"(%\S+-\d-(?:UPDOWN|IF_UP\w*|LINK_UP\w*): .*(?:\bup\b|Up))",
               "%LINEPROTO-5-UPDOWN: Line protocol on Interface GigabitEthernet0/1, changed state to up"},
    LogPattern{"switch-loop", PartKind::kSwitch, kError, kFailure,
               "(?:spanning tree|STP).*(?:loop|inconsisten)|(?:MAC|mac) (?:address )?flap|%SW_MATM-4-MACFLAP",
               "%SW_MATM-4-MACFLAP_NOTIF: Host 5254.0012.3456 in vlan 1 is flapping between port Gi0/1 and "
               "port Gi0/2"},
    LogPattern{"switch-errors", PartKind::kLink, kError, kFailure,
               "(?:FCS|CRC|crc|fcs) errors? .*(?:exceed|threshold|increas|excessive)|[Ee]xcessive "
               "(?:CRC|FCS|crc) errors",
               "Ethernet1/7: CRC errors exceeded threshold: 120 in 60 s"},
};

}  // namespace

std::span<const LogPattern> network_patterns() { return kNetwork; }

}  // namespace laggard::detect
