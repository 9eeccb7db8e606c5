#include "archive/packed_columns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "archive/format.h"

namespace laggard::archive {

namespace {

constexpr std::uint8_t kExtraIsCompressed = 1;

/// How often each token occurs in the buckets of a stream.
struct TokenStream {
  std::vector<std::uint32_t> counts;  ///< For the tokens that occur at all.
  std::size_t buckets = 1;
  double bits = 0;         ///< Estimated size, alone.
  double joined_bits = 0;  ///< Estimated size, together with the next stream.
};

/// The entropy of the tokens, but at least 0.3 bits each (Huffman cannot go below one bit, but runs of one
/// token are nearly free), plus the cost of a block in the frame and of its Huffman table.
double estimate(const std::vector<std::uint32_t>& counts) {
  double total = 0;
  double symbols = 0;
  double own = 0;
  for (const std::uint32_t count : counts) {
    if (count == 0) continue;
    total += count;
    ++symbols;
    own += count * std::log2(count);
  }
  if (total == 0) return 0;
  const double entropy = symbols > 1 ? std::max(total * std::log2(total) - own, total * 0.3) : 0;
  return entropy + 80 + 5 * symbols;
}

std::vector<std::uint32_t> sum(const TokenStream& a, const TokenStream& b) {
  std::vector<std::uint32_t> counts = a.counts;
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += b.counts[i];
  return counts;
}

std::vector<TokenStream> count_buckets(std::string_view tokens, std::string_view buckets) {
  using Counts = std::array<std::array<std::uint32_t, 256>, kBuckets>;
  Counts counts{};
  Counts of_odd{};  // Neighbours are often alike, and one need not wait for the other's count.
  const auto count = [&](Counts& where, std::size_t i) {
    ++where[static_cast<std::uint8_t>(buckets[i])][static_cast<std::uint8_t>(tokens[i])];
  };
  std::size_t i = 0;
  for (; i + 1 < tokens.size(); i += 2) {
    count(counts, i);
    count(of_odd, i + 1);
  }
  if (i < tokens.size()) count(counts, i);
  for (std::size_t b = 0; b < kBuckets; ++b) {
    std::ranges::transform(counts[b], of_odd[b], counts[b].begin(), std::plus<>{});
  }
  std::vector<TokenStream> streams(kBuckets);
  for (std::size_t token = 0; token < 256; ++token) {
    const bool used = std::ranges::any_of(counts, [&](const auto& bucket) { return bucket[token] != 0; });
    for (std::size_t b = 0; used && b < kBuckets; ++b) streams[b].counts.push_back(counts[b][token]);
  }
  for (TokenStream& stream : streams) stream.bits = estimate(stream.counts);
  return streams;
}

/// Joins stream `s` and the next one.
void join(std::vector<TokenStream>& streams, std::size_t s) {
  streams[s].counts = sum(streams[s], streams[s + 1]);
  streams[s].buckets += streams[s + 1].buckets;
  streams[s].bits = streams[s].joined_bits;
  streams.erase(streams.begin() + static_cast<std::ptrdiff_t>(s) + 1);
  const auto update = [&](std::size_t i) {
    if (i + 1 < streams.size()) streams[i].joined_bits = estimate(sum(streams[i], streams[i + 1]));
  };
  update(s);
  if (s > 0) update(s - 1);
}

/// Chooses which buckets share a stream and so a Huffman table: neighbours are joined as long as one table
/// for both costs less than two. With few tokens everything ends up in one stream.
/// \return streams numbered from 0 without holes, in the order of buckets.
StreamMap choose_streams(std::string_view tokens, std::string_view buckets) {
  StreamMap map{};
  constexpr std::size_t kWorthIt = 256;  // Below, tables cost more than they can save.
  if (tokens.size() < kWorthIt) return map;
  std::vector<TokenStream> streams = count_buckets(tokens, buckets);
  for (std::size_t s = 0; s + 1 < streams.size(); ++s) {
    streams[s].joined_bits = estimate(sum(streams[s], streams[s + 1]));
  }
  while (streams.size() > 1) {
    std::size_t best = 0;
    double most = -1;
    for (std::size_t s = 0; s + 1 < streams.size(); ++s) {
      const double gain = streams[s].bits + streams[s + 1].bits - streams[s].joined_bits;
      if (gain <= most) continue;
      most = gain;
      best = s;
    }
    if (most < 0) break;
    join(streams, best);
  }
  std::size_t bucket = 0;
  for (std::size_t s = 0; s < streams.size(); ++s) {
    for (std::size_t i = 0; i < streams[s].buckets; ++i) map[bucket++] = static_cast<std::uint8_t>(s);
  }
  return map;
}

std::size_t count_streams(const StreamMap& map) {
  std::size_t most = 0;
  for (const std::uint8_t stream : map) most = stream > most ? stream : most;
  return most + 1;
}

/// The tokens of each stream, in their order.
std::vector<std::string> divide_tokens(std::string& tokens, std::string_view buckets, const StreamMap& map) {
  std::vector<std::string> streams(count_streams(map));
  if (streams.size() == 1) {
    streams[0] = std::move(tokens);
    return streams;
  }
  std::array<std::size_t, kBuckets> sizes{};
  for (const char bucket : buckets) ++sizes[static_cast<std::uint8_t>(bucket)];
  std::array<char*, kBuckets> next{};
  for (std::size_t b = 0; b < kBuckets; ++b) streams[map[b]].resize(streams[map[b]].size() + sizes[b]);
  for (std::size_t s = 0; s < streams.size(); ++s) next[s] = streams[s].data();
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    *next[map[static_cast<std::uint8_t>(buckets[i])]]++ = tokens[i];
  }
  return streams;
}

}  // namespace

std::string pack_columns(ColumnSink& sink, bool brief, ZstdCodec& codec) {
  const StreamMap map = brief ? StreamMap{} : choose_streams(sink.tokens, sink.buckets);
  const std::vector<std::string> streams = divide_tokens(sink.tokens, sink.buckets, map);
  std::vector<std::string_view> parts{sink.head.str()};
  parts.insert(parts.end(), streams.begin(), streams.end());
  const std::string packed = codec.compress(parts);
  const std::string extra = sink.extra.take();
  const std::string squeezed = codec.compress(std::span<const std::string_view>{{std::string_view(extra)}});
  const bool pays = squeezed.size() + 4 < extra.size() - extra.size() / 64;

  ByteWriter out;
  out.u8(pays ? kExtraIsCompressed : 0);
  out.u8(static_cast<std::uint8_t>(streams.size()));
  if (streams.size() > 1) {
    for (const std::uint8_t stream : map) out.u8(stream);
  }
  out.varint(sink.head.str().size());
  for (const std::string& stream : streams) out.varint(stream.size());
  out.varint(packed.size());
  out.varint(extra.size());
  out.raw(packed);
  out.raw(pays ? squeezed : extra);
  return out.take();
}

bool PackedColumns::open(std::string_view bytes, const Limits& limits, ZstdCodec& codec) {
  ByteReader in{bytes};
  const std::uint8_t flags = in.u8();
  const std::size_t streams = in.u8();
  if (flags > kExtraIsCompressed || streams == 0 || streams > kBuckets) return false;
  StreamMap map{};
  if (streams > 1) {
    for (std::uint8_t& stream : map) {
      stream = in.u8();
      if (stream >= streams) return false;
    }
  }
  const std::size_t head_size = in.count(limits.head_bytes);
  std::array<std::size_t, kBuckets> stream_sizes{};
  std::size_t packed_size = head_size;
  for (std::size_t s = 0; s < streams; ++s) packed_size += stream_sizes[s] = in.count(limits.values);
  const std::size_t size = in.count(in.rest().size());
  extra_size_ = in.count(limits.values * 8);
  const std::string_view packed = in.take(size);
  if (!in.ok() || !codec.decompress(packed, packed_size, packed_)) return false;
  if (!open_extra(in.rest(), flags == kExtraIsCompressed, codec)) return false;

  std::string_view rest = packed_;
  head_ = ByteReader{rest.substr(0, head_size)};
  rest.remove_prefix(head_size);
  std::array<std::string_view, kBuckets> tokens;
  for (std::size_t s = 0; s < streams; ++s) {
    tokens[s] = rest.substr(0, stream_sizes[s]);
    rest.remove_prefix(stream_sizes[s]);
  }
  tokens_ = TokenReader{std::span(tokens).subspan(0, streams), map,
                        std::string_view(extra_).substr(0, extra_size_)};
  return true;
}

bool PackedColumns::open_extra(std::string_view bytes, bool compressed, ZstdCodec& codec) {
  if (compressed) return codec.decompress(bytes, extra_size_, extra_, TokenReader::kSlack);
  if (bytes.size() != extra_size_) return false;
  extra_.assign(bytes);
  extra_.append(TokenReader::kSlack, '\0');
  return true;
}

}  // namespace laggard::archive
