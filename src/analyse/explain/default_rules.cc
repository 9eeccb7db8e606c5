#include "analyse/explain/rules.h"

namespace laggard::analyse {

// Order: evidence that the other faults cannot make comes first. A hog moves extra data, which neither a slow
// disk nor a lossy link does; loss is seen in retransmissions, which no disk causes; what is left is latency.
namespace {

constexpr std::string_view kDefault = R"toml(# laggard's rules: the first that holds names the cause.
[[rule]]
name = "gone"
cause = "lost-attachment"
resource = "storage"
all = ["detector absent", "storage throughput"]
why = "{component} shows no activity while its peers work"

[[rule]]
name = "silent"
cause = "lost-link"
resource = "network"
all = ["detector absent", "network throughput"]
why = "{component} sends and receives nothing while its peers do"

[[rule]]
name = "extra storage work"
cause = "disk-hog"
resource = "storage"
any = ["storage throughput", "storage latency"]
excess = { of = "storage", share = 0.05, spread = 2, least = 128 }
why = "{component} moves {excess} more through its storage than its peers do: something else uses the device"

[[rule]]
name = "extra network traffic"
cause = "network-hog"
resource = "network"
any = ["network throughput"]
excess = { of = "network", share = 0.25, spread = 2, least = 32768 }
why = "{component} moves {excess} more over its network than its peers do: something else uses the link"

[[rule]]
name = "retransmissions"
cause = "packet-loss"
resource = "network"
any = ["network retransmission"]
why = "{component} has segments retransmitted far more often than its peers: packets are lost on its path"

[[rule]]
name = "slow for long"
cause = "slow-disk"
resource = "storage"
all = ["detector bias"]
none = ["storage throughput"]
why = "{component} is slower than its peers in nearly every window, under the same load"

[[rule]]
name = "latency without load"
cause = "disk-busy"
resource = "storage"
any = ["storage latency"]
why = "{component} takes longer per request than its peers without moving more data"

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
)toml";

constexpr std::string_view kPaper =
    R"toml(# The checklist of Kasick et al., FAST 2010, section 10.2, with the network step of section 12.
[[rule]]
name = "1. storage throughput"
cause = "disk-hog"
resource = "storage"
any = ["storage throughput"]
why = "{component} diverges in {metrics}"

[[rule]]
name = "2. storage latency"
cause = "disk-busy"
resource = "storage"
any = ["storage latency"]
why = "{component} diverges in {metrics}"

[[rule]]
name = "3a. received and sent throughput"
cause = "network-hog"
resource = "network"
all = ["rxbyt", "txbyt"]
why = "{component} diverges in {metrics}"

[[rule]]
name = "3b. one throughput without congestion"
cause = "network-hog"
resource = "network"
any = ["network throughput"]
none = ["network congestion"]
why = "{component} diverges in {metrics}"

[[rule]]
name = "4. congestion"
cause = "packet-loss"
resource = "network"
any = ["network congestion"]
why = "{component} diverges in {metrics}"
)toml";

}  // namespace

std::string_view default_rules() { return kDefault; }
std::string_view paper_rules() { return kPaper; }

}  // namespace laggard::analyse
