#include "lab/cluster/lustre_programs.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

#include "testing/property.h"

namespace laggard::lab {
namespace {
TEST(LustreStripes, EveryObjectIsWrittenFromItsBeginningWithoutHoles) {
  expect_property("dealing out RPC by RPC", [](std::uint64_t /*seed*/) {
    LustreStripes stripes;
    stripes.rpcs = *rc::gen::inRange<std::uint64_t>(1, 9);
    stripes.servers = *rc::gen::inRange<std::uint64_t>(1, 13);
    stripes.first = *rc::gen::inRange<std::uint64_t>(0, stripes.servers);
    std::vector<std::int64_t> next(stripes.servers, 0);
    std::uint64_t server = stripes.first;
    for (std::uint64_t rpc = 0; rpc < 200; ++rpc) {
      if (rpc > 0 && rpc % stripes.rpcs == 0) server = (server + 1) % stripes.servers;
      RC_ASSERT(stripes.server_of(rpc) == server);
      RC_ASSERT(stripes.offset_of(rpc) == next[server]);
      next[server] += kLustreRpc;
    }
  });
}

}  // namespace
}  // namespace laggard::lab
