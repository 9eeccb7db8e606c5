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

/// A block holds the samples of all devices of one kind on one host over a run of sample times. Its *header*
/// contains everything but the values and needs nothing else to be understood, so that a page found in a
/// damaged file can be used. Its *chunks* hold the values, one counter of all devices each, so that a reader
/// unpacks only what it asks for.
namespace laggard::archive {

struct BlockCounter {
  TableCounter counter;
  std::uint64_t hash = 0;   ///< Checksum of the chunk: proves that it is whole and belongs to this header.
  std::uint32_t bytes = 0;  ///< Size of the chunk.
  References references;    ///< The counters that must be unpacked before this one.
  bool operator==(const BlockCounter&) const = default;
};

struct BlockHeader {
  std::string host;
  std::string kind;  ///< As text, since a later version may have kinds that we do not know.
  std::string boot;
  std::vector<BlockCounter> counters;
  std::vector<std::string> devices;
  std::vector<WallTime> times;          ///< In order of recording.
  std::vector<Runs> patterns;           ///< The distinct presences of devices.
  std::vector<std::uint32_t> presence;  ///< By device, the index of its presence in `patterns`.
  std::vector<std::uint32_t> active;    ///< By device, see DeviceInfo::active_samples.

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
/// \param where  the place for the error, which is always kDamaged or kTooNew.
[[nodiscard]] Result<BlockHeader> decode_header(std::string_view bytes, std::string_view where,
                                                ZstdCodec& codec);

/// Sets the presence of each device over the header's times, storing equal ones once.
void set_presence(BlockHeader& header, std::vector<Runs> devices);

/// The header of a table's block; its counters get their hash and size when their chunk is made.
/// \param active  one number per device. Requires at least one sample.
[[nodiscard]] BlockHeader make_header(const SampleTable& table, std::vector<std::uint32_t> active);

/// Counter `c` of the table as a chunk of the block that `header` describes. Devices, times and counters must
/// be the same in both.
[[nodiscard]] std::string encode_chunk(const SampleTable& table, std::size_t c, const BlockHeader& header,
                                       ZstdCodec& codec);

/// Requires a table within the limits of format.h.
[[nodiscard]] Block encode_block(const SampleTable& table, std::vector<std::uint32_t> active,
                                 ZstdCodec& codec);

/// Where a chunk is to be unpacked.
struct ChunkTarget {
  SampleTable& table;   ///< With the header's devices and times.
  std::size_t counter;  ///< Its index in the table.
  /// By counter of the header, where it was unpacked; those that this one refers to must have been.
  std::span<const UnpackedCounter> unpacked;
};

/// Unpacks the chunk of `header.counters[index]`. After an error, which is kDamaged, the values of the
/// target's counter are undefined.
[[nodiscard]] Status decode_chunk(std::string_view bytes, const BlockHeader& header, std::size_t index,
                                  const ChunkTarget& target, ZstdCodec& codec);

/// The counters `wanted` and all that they refer to, each after those that it refers to.
[[nodiscard]] std::vector<std::size_t> unpacking_order(const BlockHeader& header,
                                                       std::span<const std::size_t> wanted);

}  // namespace laggard::archive
