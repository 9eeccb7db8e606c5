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
  /// A header of 24 bytes each, then operation, credentials, handle and a name, or a status and attributes.
  /// Fitted within that: what the servers of directories receive and send for look-ups then stands out by as
  /// much as a network hog in 6/12 (F §11).
  MessageSizes sizes{.request = 250, .answer = 230};
  /// The stripe of its default distribution (simple-stripe).
  std::int64_t stripe = 64 << 10;
  /// What a client's copies, up-calls and daemon take per byte, bytes/s, one record after the other and never
  /// while data is on its way. Fitted: with them ten clients read 27 GB and write 17 GB each in 600 s, which
  /// is how F §8.1 chose its file sizes.
  double read_rate = 120e6;
  double write_rate = 50e6;
  /// Of the path look-ups, those that ask the server of "/" and those that ask the server of the client's
  /// directory; the others are answered by the client's name cache. Fitted to what training on metadata masks
  /// in F (§11, §12): in 10/10 some hogs at one server, in 6/12 network throughput at all.
  double root_lookups = 0.16;
  double directory_lookups = 1;
  /// The clients' directories lie on servers that follow each other, beginning at one drawn for the run: one
  /// client made them all in a row, and PVFS takes the next server for each new directory. Else each client
  /// makes its own and draws its server.
  bool directories_in_turn = true;
  /// A file smaller than a stripe lies where its metafile does, and nowhere else (FileStuffing, on by default
  /// since 2.8): its size and its removal concern that one server. Else its data is on another one, and sizes
  /// and removals concern all.
  bool file_stuffing = true;
  /// The application and the kernel, per transaction of PostMark.
  double think_seconds = 0.4e-3;
  /// Updates of metadata that share a sync of the database (CoalescingHighWatermark).
  std::uint32_t most_coalesced = 8;
  /// Pages of the databases that making or removing a file changes on the server of its attributes: they, its
  /// distribution, its data handles, in trees of their own. Its entry in a directory changes one. Fitted:
  /// with fewer the entries of the one client that a sick server slows most are missing visibly from what it
  /// writes, and F finds no packet loss in postmark.
  std::uint32_t file_pages = 6;
};

}  // namespace laggard::lab
