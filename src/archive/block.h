#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/hints.h"
#include "archive/runs.h"
#include "archive/zstd_codec.h"
#include "base/error.h"
#include "model/sample_table.h"

/// A block: samples of all devices of one kind on one host over a run of sample times. Its *header* says
/// everything but the values, in a form that stands on its own, so that a page found in a wreck can be used;
/// its *chunks* hold the values, one counter of all devices each, so that a reader pays for what it asks.
namespace laggard::archive {

struct BlockCounter {
  TableCounter counter;
  std::uint64_t hash = 0;   ///< xxh3 of the chunk: proves that it is whole and belongs to this header.
  std::uint32_t bytes = 0;  ///< Size of the chunk.
  References references;    ///< Counters that must be unpacked first.
  bool operator==(const BlockCounter&) const = default;
};

struct BlockHeader {
  std::string host;
  std::string kind;  ///< As text, since a later version may know kinds that we do not.
  std::string boot;
  std::vector<BlockCounter> counters;
  std::vector<std::string> devices;
  std::vector<WallTime> times;          ///< In order of recording.
  std::vector<Runs> patterns;           ///< The different presences of devices, …
  std::vector<std::uint32_t> presence;  ///< … and for each device which of them is its own.
  std::vector<std::uint32_t> active;    ///< For each device, see DeviceInfo::active_samples.

  [[nodiscard]] const Runs& device_presence(std::size_t d) const { return patterns[presence[d]]; }
  [[nodiscard]] WallTime earliest() const;
  [[nodiscard]] WallTime latest() const;
  bool operator==(const BlockHeader&) const = default;
};

struct Block {
  BlockHeader header;
  std::vector<std::string> chunks;  ///< One for each of header.counters.
};

[[nodiscard]] std::string encode_header(const BlockHeader& header, ZstdCodec& codec);
/// \param where  names the place for the error, which is always kDamaged or kTooNew.
[[nodiscard]] Result<BlockHeader> decode_header(std::string_view bytes, std::string_view where,
                                                ZstdCodec& codec);

/// Presence of the devices over the header's times, equal ones stored once.
void set_presence(BlockHeader& header, std::vector<Runs> devices);

/// Everything of a header that the table itself tells; counters get their hash and size when their chunk is
/// made. \param active  one number per device. Requires at least one sample.
[[nodiscard]] BlockHeader make_header(const SampleTable& table, std::vector<std::uint32_t> active);

/// Counter `c` of the table as a chunk of the block that `header` describes; devices, times and counters are
/// the same in both.
[[nodiscard]] std::string encode_chunk(const SampleTable& table, std::size_t c, const BlockHeader& header,
                                       ZstdCodec& codec);

/// Requires a table within the limits of format.h.
[[nodiscard]] Block encode_block(const SampleTable& table, std::vector<std::uint32_t> active,
                                 ZstdCodec& codec);

/// Where a chunk is unpacked to.
struct ChunkTarget {
  SampleTable& table;   ///< With the header's devices and times.
  std::size_t counter;  ///< Of the table.
  /// For each counter of the header where it was unpacked to: those that this one refers to must be.
  std::span<const UnpackedCounter> unpacked;
};

/// Unpacks the chunk of `header.counters[index]`. On an error, which is kDamaged, the target's counter is in
/// no defined state and must not be used.
[[nodiscard]] Status decode_chunk(std::string_view bytes, const BlockHeader& header, std::size_t index,
                                  const ChunkTarget& target, ZstdCodec& codec);

/// The counters `wanted` and all that they refer to, each behind those that it refers to.
[[nodiscard]] std::vector<std::size_t> unpacking_order(const BlockHeader& header,
                                                       std::span<const std::size_t> wanted);

}  // namespace laggard::archive
