#pragma once

#include "lab/bench/site.h"

namespace laggard::lab::bench {

/// A control group per server, so that each has a page cache of its own: in one cache for all, what one
/// server reads would push out what the others have. Control groups of version 1 where the machine has them
/// mounted for memory, else of version 2.
/// Its name has the id of this building of the bench: nobody else's is it.
[[nodiscard]] std::filesystem::path memory_group(Machine& machine, const Layout& layout, std::size_t server);

/// Creates the group with its limit.
[[nodiscard]] Status make_memory_group(Site& site, std::size_t server);

/// Takes what is cached and clean out of a server's memory.
[[nodiscard]] Status empty_cache(Site& site, std::size_t server);

}  // namespace laggard::lab::bench
