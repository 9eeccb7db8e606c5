#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

/// Integers as *tokens* and *extra bits*, after the hybrid integers of JPEG XL and Brotli.
///
/// A value below 16 is its own token. A larger one of n significant bits gives a token that names n and the
/// two bits below the leading one, and n-3 extra bits: the rest, which is nearly noise and stored as it is.
/// Tokens are bytes, few of them frequent, so zstd's Huffman stage comes close to their entropy; the 240
/// tokens for n = 5..64 and the 16 small ones fill a byte exactly.
namespace laggard::archive {

struct Token {
  std::uint8_t token;
  std::uint8_t extra_bits;
  std::uint64_t extra;
};

[[nodiscard]] constexpr Token tokenize(std::uint64_t value) {
  // Both kinds are worked out: which one it is cannot be foretold.
  const bool is_small = value < 16;
  const auto n = static_cast<unsigned>(std::bit_width(value | 16));
  const unsigned extra_bits = is_small ? 0 : n - 3;
  const auto large = 16 + (n - 5) * 4 + (static_cast<unsigned>(value >> (n - 3)) & 3U);
  return {static_cast<std::uint8_t>(is_small ? value : large), static_cast<std::uint8_t>(extra_bits),
          value & ((std::uint64_t{1} << extra_bits) - 1)};
}

struct TokenTables {
  std::array<std::uint64_t, 256> base{};
  std::array<std::uint8_t, 256> extra_bits{};
};

[[nodiscard]] constexpr TokenTables make_token_tables() {
  TokenTables tables;
  for (unsigned t = 0; t < 256; ++t) {
    if (t < 16) {
      tables.base[t] = t;
      continue;
    }
    const unsigned n = (t - 16) / 4 + 5;
    tables.extra_bits[t] = static_cast<std::uint8_t>(n - 3);
    tables.base[t] = std::uint64_t{4 | ((t - 16) & 3U)} << (n - 3);
  }
  return tables;
}
inline constexpr TokenTables kTokenTables = make_token_tables();

/// Writes bits, least significant first.
class BitWriter {
 public:
  /// \param value  below 2^bits. \param bits  at most 64
  void put(std::uint64_t value, unsigned bits) {
    constexpr unsigned kAtOnce = 56;  // Up to seven bits wait for a byte to be full.
    if (bits > kAtOnce) [[unlikely]] {
      put(value & 0xFFFFFFFFU, 32);
      value >>= 32;
      bits -= 32;
    }
    if (out_.size() < size_ + sizeof word_) out_.resize(2 * out_.size() + 64);
    word_ |= value << filled_;
    filled_ += bits;
    std::memcpy(out_.data() + size_, &word_, sizeof word_);
    size_ += filled_ / 8;
    word_ >>= filled_ & ~7U;
    filled_ &= 7U;
  }
  /// All bits, padded with zeros to whole bytes; the writer is empty afterwards.
  [[nodiscard]] std::string take() {
    out_.resize(size_ + (filled_ > 0 ? 1 : 0));
    return std::exchange(*this, {}).out_;
  }

 private:
  std::string out_;       ///< What is written, and room.
  std::size_t size_ = 0;  ///< Whole bytes in it; behind them is a copy of `word_`.
  std::uint64_t word_ = 0;
  unsigned filled_ = 0;  ///< Bits in `word_`: at most 7.
};

/// Tokens are divided among up to 8 streams, so that values of different size get different Huffman tables.
/// The stream of a value follows from its *bucket*, a number that reader and writer both know before the
/// value.
inline constexpr std::size_t kBuckets = 8;

/// The bucket of a value whose predecessor or reference is `magnitude`: the number of its bits, at most 7.
[[nodiscard]] constexpr std::uint8_t bucket_of(std::uint64_t magnitude) {
  const auto bits = static_cast<unsigned>(std::bit_width(magnitude));
  return static_cast<std::uint8_t>(bits < kBuckets ? bits : kBuckets - 1);
}

/// Which stream a bucket's tokens are in.
using StreamMap = std::array<std::uint8_t, kBuckets>;

/// The tokens and extra bits of one chunk, read column by column.
class TokenReader {
 public:
  /// How many bytes, with any content, must be readable after the extra bits.
  static constexpr std::size_t kSlack = 16;

  TokenReader() = default;
  /// \param streams  at least as many as `map` names. \param extra  kSlack readable bytes must follow its
  /// end. All outlive the reader.
  TokenReader(std::span<const std::string_view> streams, const StreamMap& map, std::string_view extra)
      : map_(map), extra_(extra.data()), bits_(std::uint64_t{extra.size()} * 8) {
    for (std::size_t s = 0; s < streams.size(); ++s) {
      next_[s] = streams[s].data();
      end_[s] = streams[s].data() + streams[s].size();
    }
  }

  /// The next values, each in the bucket of the one before it; false when tokens or bits run out.
  [[nodiscard]] bool read(std::span<std::uint64_t> out) {
    std::uint64_t before = 0;
    return read_by(out, [&](std::size_t i) { return bucket_of(i == 0 ? before : (before = out[i - 1])); });
  }
  /// The next values in given buckets.
  [[nodiscard]] bool read(std::span<std::uint64_t> out, std::span<const std::uint8_t> buckets) {
    return read_by(out, [&](std::size_t i) { return buckets[i]; });
  }

  [[nodiscard]] std::size_t tokens_left() const {
    std::size_t sum = 0;
    for (std::size_t s = 0; s < kBuckets; ++s) sum += static_cast<std::size_t>(end_[s] - next_[s]);
    return sum;
  }

 private:
  template <typename Bucket>
  [[nodiscard]] bool read_by(std::span<std::uint64_t> out, Bucket&& bucket) {
    constexpr std::size_t kBatch = 32;
    for (std::size_t done = 0; done < out.size();) {
      const std::size_t end = out.size() - done < kBatch ? out.size() : done + kBatch;
      // With enough bits left, a batch need not count them: 32 values have at most 61 bits each.
      const bool roomy = position_ + std::uint64_t{64} * kBatch <= bits_;
      const bool ok =
          roomy ? read_batch<false>(out, done, end, bucket) : read_batch<true>(out, done, end, bucket);
      if (!ok) return false;
      done = end;
    }
    return true;
  }

  template <bool kCountBits, typename Bucket>
  [[nodiscard]] bool read_batch(std::span<std::uint64_t> out, std::size_t begin, std::size_t end,
                                Bucket& bucket) {
    std::uint64_t position = position_;  // A local: `out` could alias a member of the same type.
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint8_t stream = map_[bucket(i)];
      if (next_[stream] == end_[stream]) return false;
      const auto token = static_cast<std::uint8_t>(*next_[stream]++);
      if (kCountBits && position + kTokenTables.extra_bits[token] > bits_) return false;
      out[i] = kTokenTables.base[token] + take_bits(position, kTokenTables.extra_bits[token]);
    }
    position_ = position;
    return true;
  }

  [[nodiscard]] std::uint64_t take_bits(std::uint64_t& position, unsigned bits) const {
    std::uint64_t value = 0;
    unsigned low = 0;
    if (bits > 56) [[unlikely]] {  // A peek has at least 57 bits.
      value = peek(position) & 0xFFFFFFFFU;
      position += 32;
      bits -= 32;
      low = 32;
    }
    value |= (peek(position) & ((std::uint64_t{1} << bits) - 1)) << low;
    position += bits;
    return value;
  }
  [[nodiscard]] std::uint64_t peek(std::uint64_t position) const {
    std::uint64_t word = 0;
    std::memcpy(&word, extra_ + (position >> 3), sizeof word);
    return word >> (position & 7U);
  }

  std::array<const char*, kBuckets> next_{};
  std::array<const char*, kBuckets> end_{};
  StreamMap map_{};
  const char* extra_ = nullptr;
  std::uint64_t bits_ = 0;
  std::uint64_t position_ = 0;
};

}  // namespace laggard::archive
