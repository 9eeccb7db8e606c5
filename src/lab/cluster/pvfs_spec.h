#pragma once

#include <cstdint>

namespace laggard::lab {

/// Sizes of messages without their data, in bytes, of the order of Lustre's encoded requests.
struct MessageSizes {
  std::int64_t request = 320;
  std::int64_t ready = 120;
  std::int64_t answer = 220;
  std::int64_t largest_eager = 16 << 10;  ///< PVFS sends smaller writes along with the request.
};

/// What of PVFS 2.8 is a number: its configuration, and how its clients and servers behave.
struct PvfsSpec {
  /// A header of 24 bytes each, then operation, credentials, handle and a name, or little more than a
  /// status. Fitted within that: what the server of "/" receives for look-ups then stands out by more than
  /// training allows a network hog, and what it sends does not (F §11: some write hogs are lost in 10/10, no
  /// read hog is).
  MessageSizes sizes{.request = 190, .answer = 90};
  /// The stripe of its default distribution (simple-stripe).
  std::int64_t stripe = 64 << 10;
  /// What a client's copies, up-calls and daemon take per byte, bytes/s, one record after the other and never
  /// while data is on its way. Fitted: with them ten clients read 27 GB and write 17 GB each in 600 s, which
  /// is how F §8.1 chose its file sizes.
  double read_rate = 120e6;
  double write_rate = 50e6;
  /// Of the path look-ups, those that ask the server of "/" and those that ask the server of the client's
  /// directory; the others are answered by the client's name cache. Fitted to what training on metadata masks
  /// in F (§11, §12): nothing in 10/10, network throughput in 6/12.
  double root_lookups = 0.06;
  double directory_lookups = 0.1;
  /// A file smaller than a stripe lies where its metafile does, and nowhere else (FileStuffing, on by default
  /// since 2.8): its size and its removal concern that one server. Else its data is on another one, and sizes
  /// and removals concern all.
  bool file_stuffing = true;
  /// The application and the kernel, per transaction of PostMark.
  double think_seconds = 0.4e-3;
  /// Updates of metadata that share a sync of the database (CoalescingHighWatermark).
  std::uint32_t most_coalesced = 8;
};

}  // namespace laggard::lab
