#include "archive/streams.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace laggard::archive {

namespace {

/// How often each token occurs in the buckets of a stream.
struct TokenStream {
  std::vector<std::uint32_t> counts;  ///< Of the tokens that occur at all.
  std::size_t buckets = 1;
  double bits = 0;         ///< Alone.
  double joined_bits = 0;  ///< Together with the next.
};

/// Entropy of the tokens, though no less than 0.3 bits each (Huffman cannot go below one, but runs of one
/// token are nearly free), and what a block of the frame and its Huffman table take.
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
  std::array<std::array<std::uint32_t, 256>, kBuckets> counts{};
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    ++counts[static_cast<std::uint8_t>(buckets[i])][static_cast<std::uint8_t>(tokens[i])];
  }
  std::vector<TokenStream> streams(kBuckets);
  for (std::size_t token = 0; token < 256; ++token) {
    const bool used = std::ranges::any_of(counts, [&](const auto& bucket) { return bucket[token] != 0; });
    for (std::size_t b = 0; used && b < kBuckets; ++b) streams[b].counts.push_back(counts[b][token]);
  }
  for (TokenStream& stream : streams) stream.bits = estimate(stream.counts);
  return streams;
}

/// Puts stream `s` and the one behind it together.
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

}  // namespace

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

}  // namespace laggard::archive
