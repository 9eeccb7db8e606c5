#include "explain/rules.h"

namespace laggard::explain {

namespace {

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
name = "3a. received and sent packets"
cause = "network-hog"
resource = "network"
all = ["rxpck", "txpck"]
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

std::string_view paper_rules() { return kPaper; }

}  // namespace laggard::explain
