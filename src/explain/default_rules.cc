#include "explain/rules.h"

namespace laggard::explain {

// Order: evidence that the other faults cannot make comes first. A hog moves extra data, which neither a slow
// disk nor a lossy link does; loss is seen in retransmissions, which no disk causes; what is left is latency.
namespace {

constexpr std::string_view kDefault = R"toml(# laggard's rules: the first that holds names the cause.
# What system calls tell (S 7) has no other explanation.
[[rule]]
name = "errors that reach applications"
cause = "failing-calls"
resource = "storage"
any = ["detector propagated-error"]
why = "{component}'s calls to its own file system fail, and applications get its errors"
check = [
  '''ssh {host} "df -h; df -i; grep ' ro' /proc/mounts; dmesg -T | tail -50"  # full, read-only, or sick?''',
]

[[rule]]
name = "connections that are gone"
cause = "server-crashed"
resource = "service"
any = ["detector crash"]
why = "{component} has closed its connections: its daemon has crashed or was ended"
check = [
  '''ssh {host} "journalctl -p 3 -n 50; coredumpctl list; dmesg -T | tail -50"  # limits, memory, a crash''',
]

[[rule]]
name = "requests that are not answered"
cause = "server-hangs"
resource = "service"
any = ["detector hang"]
why = "{component} answers no request while the other servers do: its daemon hangs"
check = [
  '''ssh {host} "ps -eLo pid,stat,wchan:30,comm | awk '\$2 ~ /^D/'; df -h"  # who waits for what''',
]

# Lost attachments (T 5.7.1), by what is lost and how.
[[rule]]
name = "slow, then given up"
cause = "cascaded-failure"
resource = "storage"
is = ["lost", "unused", "slow before"]
blames = ["array", "controller"]
why = "{component}: many of its LUNs waited first, then servers stopped using their attachments"

[[rule]]
name = "gone from both controllers"
cause = "coherency-lost"
resource = "storage"
is = ["lost", "gone"]
blames = ["array"]
why = "{component}: each controller's servers have lost the devices of some LUNs"
check = [
  '''ssh {host} "multipath -ll | grep -iE 'fail|fault'"  # then the logs of both controllers''',
]

[[rule]]
name = "all gone from a controller"
cause = "controller-failed"
resource = "storage"
is = ["lost", "gone", "whole"]
blames = ["controller"]
why = "{component}: its servers have lost the devices of all LUNs"
check = [
  '''ssh {host} "multipath -ll | grep -iE 'fail|fault'"  # then the log of the controller''',
]

[[rule]]
name = "gone from some servers of a controller"
cause = "luns-inaccessible"
resource = "storage"
is = ["lost", "gone"]
blames = ["controller"]
why = "{component}: some of its servers have lost the devices of their LUNs"

[[rule]]
name = "unused at a controller"
cause = "misconfiguration"
resource = "storage"
is = ["lost", "unused"]
blames = ["controller", "array"]
why = "{component}: the devices are there, but nothing goes through them while others serve the LUNs"

[[rule]]
name = "gone from a server"
cause = "server-down"
resource = "storage"
is = ["lost", "gone", "failover"]
blames = ["server"]
why = "nothing is recorded of {component}'s attachments, and others serve its LUNs"
check = [
  '''ssh {host} "uptime; multipath -ll; dmesg -T | tail -50"  # is it up, and what does it reach?''',
]

[[rule]]
name = "unused at a server"
cause = "service-down"
resource = "storage"
is = ["lost", "unused", "failover"]
blames = ["server"]
why = "{component} is there, but does not serve: others do in its place"
check = [
  '''ssh {host} "lctl dl; mmgetstate; gluster volume status; ceph osd tree"  # whichever there is: does it serve?''',
]

[[rule]]
name = "gone"
cause = "lost-attachment"
resource = "storage"
all = ["detector absent", "storage throughput"]
why = "{component} shows no activity while its peers work"
check = [
  '''ssh {host} "multipath -ll; dmesg -T | tail -50"  # paths that failed, and when''',
]

[[rule]]
name = "silent"
cause = "lost-link"
resource = "network"
all = ["detector absent", "network throughput"]
why = "{component} sends and receives nothing while its peers do"
check = [
  '''ssh {host} "ip -s link; dmesg -T | tail -50"  # is the link up?''',
]

# Parts of arrays that are slow (T 5.7.2, 5.7.3, 6.2.2, 6.3).
[[rule]]
name = "many LUNs jitter"
cause = "drawer-errors"
resource = "storage"
any = ["storage latency"]
blames = ["drawer"]
why = "many LUNs or disks of {component} wait longer than their peers: something that they share is sick"
check = [
  '''ssh {host} "multipath -ll | grep -iE 'fail|fault'; dmesg -T | tail -50"  # then the log of the array''',
]

[[rule]]
name = "many LUNs of an array"
cause = "slow-array"
resource = "storage"
any = ["storage latency"]
blames = ["array", "controller"]
why = "many LUNs of {component} wait longer than their peers: a drawer, a controller, or a repair"
check = [
  '''ssh {host} "multipath -ll | grep -iE 'fail|fault'"  # then the array: its drawers, caches and repairs''',
]

[[rule]]
name = "slower, and its neighbours too"
cause = "reconstruction"
resource = "storage"
any = ["storage latency"]
is = ["with neighbours"]
blames = ["lun", "attachment"]
why = "{component} became slow and others of its array less so with it: an array repairs itself"
check = [
  '''ssh {host} iostat -xd 5 3 {device}  # then the array: is it rebuilding?''',
]

[[rule]]
name = "slow at a path that nobody uses"
cause = "silent-lun"
resource = "storage"
any = ["storage latency"]
is = ["standby used"]
blames = ["lun", "attachment"]
why = "{component} makes what little it gets wait for long where its peers have nothing to do"

[[rule]]
name = "a LUN's own workload"
cause = "busy-lun"
resource = "storage"
any = ["storage throughput", "storage latency"]
excess = { of = "storage", share = 0.05, spread = 2, least = 128 }
is_not = ["busy for a moment"]
blames = ["lun", "attachment"]
why = "{component} moves {excess} more than its peers do: a workload of its own"
check = [
  '''ssh {host} pidstat -d 5 3  # who reads and writes there''',
]

[[rule]]
name = "more work than its peers"
cause = "busy-lun"
resource = "storage"
all = ["storage throughput", "storage latency"]
is_not = ["busy for a moment"]
blames = ["lun", "attachment"]
why = "{component} diverges in {metrics}: a workload of its own"

[[rule]]
name = "slow by turns"
cause = "oscillation"
resource = "storage"
any = ["storage latency"]
is = ["comes and goes"]
blames = ["lun", "attachment"]
why = "{component} is slower than its peers for a while, then well, again and again"

[[rule]]
name = "slower, and all that its controller serves a little"
cause = "reconstruction"
resource = "storage"
any = ["storage latency"]
facts = [{ of = "neighbours' wait", least = 5 }]
blames = ["lun", "attachment"]
why = "{component} became slow, and all other LUNs of its controller a little: an array repairs itself"
check = [
  '''ssh {host} iostat -xd 5 3 {device}  # then the array: is it rebuilding?''',
]

[[rule]]
name = "a slow LUN"
cause = "slow-lun"
resource = "storage"
any = ["storage latency"]
blames = ["lun", "attachment"]
why = "{component} takes longer per request than its peers, and does not move more for long"
check = [
  '''ssh {host} "multipath -ll {device}; iostat -xd 5 3 {device}"  # its paths, and its queue''',
  '''ssh {host} smartctl -x /dev/{device}  # where the array passes it on''',
]

# What a daemon is held by is known of the daemon itself; no other fault makes it.
[[rule]]
name = "held by a quota"
cause = "slow-cpu"
resource = "cpu"
any = ["throttled"]
why = "{component}'s daemon is kept from its processors by a quota, its peers' are not"
check = [
  '''ssh {host} systemd-cgtop -b -n 2 --order=cpu  # then CPUQuota= of the unit: systemctl show''',
]

[[rule]]
name = "stopped"
cause = "stopped-daemon"
resource = "cpu"
any = ["stopped"]
why = "{component}'s daemon is stopped or traced: it is there and does nothing"
check = [
  '''ssh {host} "ps -eo pid,stat,wchan:30,cmd | awk '\$2 ~ /^[Tt]/'"  # who is stopped or traced''',
]

[[rule]]
name = "the carrier comes and goes"
cause = "flapping-link"
resource = "network"
any = ["carrier"]
why = "{component}'s link goes and comes again and again: its cable, its plug or the port"
check = [
  '''ssh {host} ethtool {device}  # speed, duplex, link''',
  '''ssh {host} "dmesg -T | grep -i {device} | tail"  # when it went and came''',
]

[[rule]]
name = "paths are lost"
cause = "lost-path"
resource = "storage"
any = ["paths-down"]
why = "{component} is reached over fewer paths than it has: those that are left carry everything"
check = [
  '''ssh {host} "multipath -ll {device}; nvme list-subsys"  # which path, over which port''',
  '''ssh {host} "dmesg -T | grep -iE 'rport|multipath|nvme' | tail"  # when it went''',
]

[[rule]]
name = "memory that corrects errors"
cause = "failing-memory"
resource = "memory"
any = ["memory errors"]
why = "{component}'s memory corrects errors again and again, its peers' does not: a module is failing, and each correction holds the processor up"
check = [
  '''ssh {host} "ras-mc-ctl --summary; grep . /sys/devices/system/edac/mc/mc*/*_count"  # which module''',
]

[[rule]]
name = "too hot"
cause = "slow-cpu"
resource = "cpu"
any = ["thermal"]
why = "{component}'s processors are slowed down for heat again and again, its peers' are not"
check = [
  '''ssh {host} "sensors; ipmitool sdr type Fan"  # temperatures and fans''',
]

[[rule]]
name = "waiting for memory"
cause = "memory-pressure"
resource = "memory"
any = ["memory delay"]
why = "{component} waits for memory: pages have to be fetched from storage before it can go on"
check = [
  '''ssh {host} "cat /proc/pressure/memory; vmstat 5 3"  # si, so: does it swap?''',
]

[[rule]]
name = "extra storage work"
cause = "disk-hog"
resource = "storage"
any = ["storage throughput"]
excess = { of = "storage", share = 0.05, spread = 2, least = 128 }
why = "{component} moves {excess} more through its storage than its peers do: something else uses the device"
check = [
  '''ssh {host} pidstat -d 5 3  # who else reads and writes''',
]

[[rule]]
name = "extra network traffic"
cause = "network-hog"
resource = "network"
any = ["network throughput"]
excess = { of = "network", share = 0.25, spread = 2, least = 32768 }
why = "{component} moves {excess} more over its network than its peers do: something else uses the link"
check = [
  '''ssh {host} "ss -tin state established | head -40"  # who talks to whom''',
]

# After the network: the victim of a hog or of losses there writes to its disk what has come late, while its peers
# wait for it.
[[rule]]
name = "extra storage work behind a queue"
cause = "disk-hog"
resource = "storage"
any = ["storage latency"]
none = ["network retransmission"]
excess = { of = "storage", share = 0.05, spread = 2, least = 128 }
why = "{component} moves {excess} more through its storage than its peers do: something else uses the device"
check = [
  '''ssh {host} pidstat -d 5 3  # who else reads and writes''',
]

[[rule]]
name = "a link that comes and goes"
cause = "flapping-link"
resource = "network"
all = ["detector burst", "network retransmission"]
none = ["storage latency"]
why = "{component} loses many packets for moments, again and again, and its peers do not: its link comes and goes"
check = [
  '''ssh {host} "ip -s link; dmesg -T | grep -iE 'link|carrier' | tail"  # when it went and came''',
]

[[rule]]
name = "wrong checksums"
cause = "packet-loss"
resource = "network"
any = ["crc-errors"]
why = "packets reach {component} with wrong checksums and are thrown away"
check = [
  '''ssh {host} "ethtool -S {device} | grep -iE 'crc|err'"  # then cable, transceiver and port''',
]

# A daemon that gets no processor leaves its sockets alone, and what is sent to it is sent again.
[[rule]]
name = "no processor, and sent again"
cause = "slow-cpu"
resource = "cpu"
all = ["cpu delay", "network retransmission"]
why = "{component}'s daemon is ready to go and gets no processor, so that what is sent to it is sent again"
check = [
  '''ssh {host} "cat /proc/pressure/cpu; pidstat -u 5 3"  # who computes there''',
]

# Lost packets shrink the windows of those who send, and no queue remains before the link; a link that is too slow
# has a queue before it, which overflows.
[[rule]]
name = "a queue that overflows"
cause = "slow-link"
resource = "network"
all = ["network delay", "network retransmission"]
none = ["network congestion"]
why = "packets to and from {component} wait far longer than its peers', and the queue overflows: its link is slow or full"
check = [
  '''ssh {host} "ip -s link"  # then ethtool of the interface: its speed and duplex''',
]

[[rule]]
name = "retransmissions"
cause = "packet-loss"
resource = "network"
any = ["network retransmission"]
why = "{component} has segments retransmitted far more often than its peers: packets are lost on its path"
check = [
  '''ssh {host} "nstat -az TcpRetransSegs; ip -s link"  # errors and drops, at the server and at its port of the switch''',
]

[[rule]]
name = "held up again and again"
cause = "stalls"
resource = "storage"
all = ["detector burst", "storage latency"]
none = ["storage throughput"]
why = "{component} holds requests up for a second or more, again and again, and its peers do not"
check = [
  '''ssh {host} smartctl -x /dev/{device}  # errors, retries, self-tests''',
  '''ssh {host} "dmesg -T | grep -i {device} | tail"  # resets and timeouts''',
]

[[rule]]
name = "slow for long"
cause = "slow-disk"
resource = "storage"
all = ["detector bias"]
none = ["storage throughput"]
why = "{component} is slower than its peers in nearly every window, under the same load"
check = [
  '''ssh {host} smartctl -x /dev/{device}  # reallocated and pending sectors, errors''',
  '''ssh {host} iostat -xd 5 3 {device}  # its latency beside its peers'''',
]

[[rule]]
name = "latency without load"
cause = "disk-busy"
resource = "storage"
any = ["storage latency"]
why = "{component} takes longer per request than its peers without moving more data"
check = [
  '''ssh {host} smartctl -x /dev/{device}  # reallocated and pending sectors, errors''',
  '''ssh {host} "dmesg -T | grep -i {device} | tail; cat /proc/mdstat"  # resets; a check or a rebuild''',
]

[[rule]]
name = "waiting for a processor"
cause = "slow-cpu"
resource = "cpu"
any = ["cpu delay"]
why = "{component}'s daemon is ready to go and gets no processor, far more than its peers'"
check = [
  '''ssh {host} "cat /proc/pressure/cpu; pidstat -u 5 3"  # who computes there''',
]

[[rule]]
name = "a slower link"
cause = "slow-link"
resource = "network"
any = ["network capacity"]
why = "{component}'s link has agreed on a lower speed than its peers'"
check = [
  '''ssh {host} ethtool {device}  # speed and duplex; then cable, transceiver and port''',
]

[[rule]]
name = "round trips"
cause = "slow-link"
resource = "network"
any = ["network delay"]
why = "packets to and from {component} wait far longer on their way than its peers': its link is slow or full"
check = [
  '''ssh {host} "ip -s link; ss -tin state established | head -40"  # then ethtool of the interface: its speed and duplex''',
]

[[rule]]
name = "data outstanding"
cause = "slow-link"
resource = "network"
any = ["tcp-busy"]
none = ["rwnd-limited", "awaiting", "owing"]
why = "what is sent to and from {component} stays unacknowledged for far more of the time than its peers'"
check = [
  '''ssh {host} "ip -s link; ss -tin state established | head -40"  # then ethtool of the interface: its speed and duplex''',
]

# Who is waited for is known, and why is not: no cause is better than a wrong one.
[[rule]]
name = "waited for"
cause = "unknown"
resource = "service"
any = ["service occupancy", "service delay"]
why = "clients wait for {component} for far more of the time than for its peers; nothing recorded says why"
check = [
  '''ssh {host} "lctl get_param obdfilter.*.stats; mmdiag --iohist; gluster volume profile all info"  # whichever there is''',
  '''ssh {host} "ps -eLo pid,stat,wchan:30,comm | awk '\$2 ~ /^D/'"  # who waits for what''',
]

[[rule]]
name = "congestion"
cause = "packet-loss"
resource = "network"
any = ["network congestion"]
why = "{component}'s congestion windows stay far below its peers'"

[[rule]]
name = "network throughput alone"
cause = "network-hog"
resource = "network"
any = ["network throughput"]
why = "{component}'s network traffic differs from its peers'"

[[rule]]
name = "storage throughput alone"
cause = "disk-hog"
resource = "storage"
any = ["storage throughput"]
why = "{component}'s storage traffic differs from its peers'"

# The kernel says so itself, where too few packets are lost for a metric.
[[rule]]
name = "sent again"
cause = "packet-loss"
resource = "network"
all = ["detector kernel-calls"]
facts = [{ of = "retransmissions", least = 0.1 }]
why = "{component}'s kernel sends segments again that its peers need not: packets are lost on its path"
check = [
  '''ssh {host} "nstat -az TcpRetransSegs; ip -s link"  # errors and drops, at the server and at its port of the switch''',
]

# What profiles see and nothing else explains: the resource is read off the functions' names.
[[rule]]
name = "other code for storage"
cause = "unknown"
resource = "storage"
any = ["storage computing"]
why = "{component} spends its time in other code for storage than its peers"
check = [
  '''ssh {host} "iostat -x 5 3; pidstat -d 5 1"  # which disk, which program''',
]

[[rule]]
name = "other code for the network"
cause = "unknown"
resource = "network"
any = ["network computing"]
why = "{component} spends its time in other code for the network than its peers"
check = [
  '''ssh {host} "ss -tinp state established | head -40; ip -s link"  # which connections''',
]

[[rule]]
name = "other code for memory"
cause = "unknown"
resource = "memory"
any = ["memory computing"]
why = "{component} spends its time looking for memory, and its peers do not"
check = [
  '''ssh {host} "cat /proc/pressure/memory; vmstat 5 3"  # who takes it''',
]

[[rule]]
name = "other code"
cause = "unknown"
resource = "cpu"
any = ["symptom computing"]
why = "{component} spends its time in other code than its peers"
check = [
  '''ssh {host} "top -bn1 | head -20; perf top -a"  # which program, which function''',
]

# What probes see and no metric explains.
[[rule]]
name = "probes refused"
cause = "refusing"
resource = "storage"
all = ["source pings", "symptom error"]
why = "probes through {component} are refused"

[[rule]]
name = "probes not answered in time"
cause = "unresponsive"
resource = "storage"
all = ["source pings"]
why = "probes through {component} are slow or hang"
)toml";

}  // namespace

std::string_view default_rules() { return kDefault; }

}  // namespace laggard::explain
