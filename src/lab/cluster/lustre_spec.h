#pragma once

#include <cstdint>

namespace laggard::lab {

/// What of Lustre 1.6 is a number beyond the limits of its clients (LustreLimits).
struct LustreSpec {
  /// Of a file over all servers, lfs's default; a multiple of an RPC (kLustreRpc).
  std::int64_t stripe = 1 << 20;
  /// The metadata server handles one request after the other, in this time on average: what F §8.1's 53,000
  /// transactions of ten clients in 600 s amount to.
  double metadata_seconds = 0.44e-3;
  /// Its pace wanders, as its journal is committed and its blocks are written back: a log-normal factor of
  /// this spread that forgets itself within the time. All file servers see it alike.
  double metadata_wander = 0.15;
  double metadata_wander_seconds = 8;
  /// The application and the kernel, per transaction of PostMark.
  double think_seconds = 0.3e-3;
};

}  // namespace laggard::lab
