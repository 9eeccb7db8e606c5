#include "derive/notable_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string_view>

#include "testing/syscalls.h"

namespace laggard::derive {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kConnection = "TCP:[10.0.0.1:3334->10.0.0.9:700]";
constexpr std::string_view kOther = "TCP:[10.0.0.1:3334->10.0.0.8:700]";

struct Told {
  std::string_view name;
  std::string_view object;
  std::string_view result = "100";
  Duration over = 1ms;
  std::optional<Duration> took = 10us;
  SyscallEnd end = SyscallEnd::kReturned;
};

std::vector<std::uint32_t> notable(const std::vector<Told>& calls) {
  EventTable table("s1", std::string(kSyscallKind));
  for (const Told& call : calls) {
    const WallTime begun = from_unix_ns(0) + call.over - call.took.value_or(0ms);
    testing_support::add_call(table,
                              {begun, call.took, call.name, std::string(call.object), call.result, call.end});
  }
  return notable_calls(table);
}

TEST(NotableCalls, WorkThatSucceedsIsNot) {
  EXPECT_THAT(notable({{"pread64", "/data/f"},
                       {"write", "/data/f"},
                       {"epoll_wait", "anon_inode:[eventpoll]"},
                       {"read", kConnection, "-1 EAGAIN (Resource temporarily unavailable)"},
                       {"close", "/data/f", "0"}}),
              IsEmpty());
  EXPECT_THAT(notable({}), IsEmpty());
}

TEST(NotableCalls, ErrorsAndWhatIsNoReturnedCallAre) {
  EXPECT_THAT(notable({{"mkdir", "", "-1 ENOSPC (No space left on device)"},
                       {"pread64", "/data/f"},
                       {"SIGCHLD", "", "", 2ms, std::nullopt, SyscallEnd::kSignal},
                       {"exited", "", "", 2ms, std::nullopt, SyscallEnd::kExit},
                       {"read", "/data/f", "?", 2ms, 40s, SyscallEnd::kUnfinished},
                       {"read", "/data/f", "", 2ms, 30s, SyscallEnd::kRunning},
                       {"idle", "", "", 2ms, std::nullopt, SyscallEnd::kIdle}}),
              ElementsAre(0, 2, 3, 4, 5, 6));
}

TEST(NotableCalls, ALongOneIs) {
  EXPECT_THAT(notable({{"fsync", "/data/f", "0", 3s, 1s}, {"fsync", "/data/f", "0", 3s, 999ms}}),
              ElementsAre(0));
}

TEST(NotableCalls, OfAConnectionTheLastReadOfASecondAndTheFirstWriteBehindIt) {
  EXPECT_THAT(notable({{"recvfrom", kConnection, "10", 100ms},
                       {"sendto", kConnection, "10", 200ms},
                       {"recvfrom", kConnection, "10", 300ms},
                       {"sendto", kOther, "10", 350ms},
                       {"sendto", kConnection, "10", 400ms},
                       {"sendto", kConnection, "10", 500ms},
                       {"sendto", kConnection, "10", 1100ms},
                       {"sendto", kConnection, "10", 1200ms}}),
              ElementsAre(2, 3, 4, 6));
}

TEST(NotableCalls, TheEndOfAConnectionIs) {
  EXPECT_THAT(notable({{"recvfrom", kConnection, "0", 100ms}, {"close", kConnection, "0", 200ms}}),
              ElementsAre(0, 1));
}

}  // namespace
}  // namespace laggard::derive
