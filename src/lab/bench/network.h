#pragma once

#include <string>
#include <string_view>

#include "lab/bench/site.h"

namespace laggard::lab::bench {

/// What the kernel's list of allowed congestion controls becomes, from what it was without cubic.
[[nodiscard]] std::string with_cubic(std::string_view allowed);

/// Lets the namespaces choose CUBIC, as F's machines had it, and builds one namespace per host, joined by a
/// bridge in a namespace of its own. The host's network is neither seen nor touched.
[[nodiscard]] Status build_network(Site& site);

/// Limits the servers' ports to the modelled rate, both ways. Clients' are not limited: a client that is the
/// bottleneck would hide what its servers do.
[[nodiscard]] Status limit_network(Site& site);

}  // namespace laggard::lab::bench
