#pragma once

#include <cstdint>
#include <string>

#include "collect/pings/ping_backend.h"

namespace laggard::collect {

/// What a recorder and the process of a target say to each other, one packet each.
struct PingRequest {
  std::uint64_t probe = 0;
  std::uint64_t operation = 0;
};
struct PingReply {
  std::uint64_t probe = 0;
  std::uint64_t operation = 0;
  std::int64_t latency_ns = 0;
  std::int32_t error = 0;
  std::uint8_t skipped = 0;
  std::uint8_t direct = 0;
  std::uint8_t is_phase = 0;  ///< Not the answer yet, but that the probe has come to `phase`.
  std::uint8_t phase = 0;
};

/// The process of one target: does what the socket asks for until that is closed; then removes the files of
/// this process and ends it.
[[noreturn]] void work_on_pings(int socket, const PingBackend& backend, const PingTargetSpec& target,
                                const std::string& host);

}  // namespace laggard::collect
