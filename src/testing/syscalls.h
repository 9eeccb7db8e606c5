#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "model/syscall_event.h"

/// System calls for recordings that tests make up.
namespace laggard::testing_support {

struct MadeCall {
  WallTime begun;
  std::optional<Duration> took;
  std::string_view name;
  std::string object;
  std::string_view result;
  SyscallEnd end = SyscallEnd::kReturned;
  std::string_view arguments = "...";
  bool is_direct = false;
};

inline void add_call(EventTable& table, const MadeCall& call) {
  SyscallEvent event;
  event.time = call.begun;
  event.took = call.took;
  event.name = call.name;
  event.arguments = call.arguments;
  event.result = call.result;
  event.object = call.object;
  event.end = call.end;
  event.is_direct = call.is_direct;
  ASSERT_TRUE(SyscallAppender(table).append(event));
}

/// A server reads a request of a client, whose end comes so much later than its begin, and answers.
inline void add_request(EventTable& table, int server, WallTime begun, Duration took) {
  using namespace std::chrono_literals;
  const std::string socket = "TCP:[10.0.0." + std::to_string(server) + ":3334->10.0.0.9:700]";
  add_call(table, {begun, 20us, "recvfrom", socket, "4096"});
  add_call(table, {begun + took, 20us, "recvfrom", socket, "4096"});
  add_call(table, {begun + took + 1ms, 20us, "sendto", socket, "64"});
}

}  // namespace laggard::testing_support
