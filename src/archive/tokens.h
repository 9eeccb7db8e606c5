#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

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
  if (value < 16) return {static_cast<std::uint8_t>(value), 0, 0};
  const auto n = static_cast<unsigned>(std::bit_width(value));
  const unsigned extra_bits = n - 3;
  const auto sub = static_cast<unsigned>(value >> extra_bits) & 3U;
  return {static_cast<std::uint8_t>(16 + (n - 5) * 4 + sub), static_cast<std::uint8_t>(extra_bits),
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

/// Bits, least significant first.
class BitWriter {
 public:
  void put(std::uint64_t value, unsigned bits) {
    if (bits > 32) {
      put_short(value & 0xFFFFFFFFU, 32);
      value >>= 32;
      bits -= 32;
    }
    put_short(value, bits);
  }
  /// All bits, padded with zeros to whole bytes; the writer is empty afterwards.
  [[nodiscard]] std::string take() {
    while (filled_ > 0) {
      out_.push_back(static_cast<char>(word_ & 0xFFU));
      word_ >>= 8;
      filled_ -= filled_ < 8 ? filled_ : 8;
    }
    return std::move(out_);
  }

 private:
  void put_short(std::uint64_t value, unsigned bits) {
    word_ |= value << filled_;
    filled_ += bits;
    if (filled_ < 32) return;
    char raw[4];
    std::memcpy(raw, &word_, 4);
    out_.append(raw, 4);
    word_ >>= 32;
    filled_ -= 32;
  }

  std::string out_;
  std::uint64_t word_ = 0;
  unsigned filled_ = 0;
};

/// The tokens and extra bits of one chunk, read column by column.
class TokenReader {
 public:
  /// Bytes that must be readable, with any content, behind the extra bits.
  static constexpr std::size_t kSlack = 16;

  /// \param extra  the extra bits; kSlack readable bytes must follow its end and outlive the reader.
  TokenReader(std::string_view tokens, std::string_view extra)
      : tokens_(tokens), extra_(extra.data()), bits_(std::uint64_t{extra.size()} * 8) {}

  /// The next `n` values; false when there are not so many tokens or bits.
  [[nodiscard]] bool read(std::uint64_t* out, std::size_t n) {
    if (n > tokens_.size()) return false;
    constexpr std::size_t kBatch = 32;
    for (std::size_t done = 0; done < n;) {
      const std::size_t batch = n - done < kBatch ? n - done : kBatch;
      // Within a batch nothing is checked: 32 values of at most 61 bits stay inside when that much is left.
      const bool ok = position_ + std::uint64_t{64} * batch <= bits_ ? read_unchecked(out + done, batch)
                                                                     : read_checked(out + done, batch);
      if (!ok) return false;
      done += batch;
    }
    return true;
  }
  [[nodiscard]] std::size_t tokens_left() const { return tokens_.size(); }

 private:
  [[nodiscard]] std::uint64_t peek() const {
    std::uint64_t word = 0;
    std::memcpy(&word, extra_ + (position_ >> 3), sizeof word);
    return word >> (position_ & 7U);
  }
  [[nodiscard]] std::uint64_t next(std::uint8_t token) {
    unsigned bits = kTokenTables.extra_bits[token];
    std::uint64_t value = 0;
    unsigned low = 0;
    if (bits > 56) [[unlikely]] {  // A peek has at least 57 bits.
      value = peek() & 0xFFFFFFFFU;
      position_ += 32;
      bits -= 32;
      low = 32;
    }
    value |= (peek() & ((std::uint64_t{1} << bits) - 1)) << low;
    position_ += bits;
    return kTokenTables.base[token] + value;
  }
  [[nodiscard]] bool read_unchecked(std::uint64_t* out, std::size_t n) {
    const char* token = tokens_.data();
    for (std::size_t i = 0; i < n; ++i) out[i] = next(static_cast<std::uint8_t>(token[i]));
    tokens_.remove_prefix(n);
    return true;
  }
  [[nodiscard]] bool read_checked(std::uint64_t* out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto token = static_cast<std::uint8_t>(tokens_[i]);
      if (position_ + kTokenTables.extra_bits[token] > bits_) return false;
      out[i] = next(token);
    }
    tokens_.remove_prefix(n);
    return true;
  }

  std::string_view tokens_;
  const char* extra_;
  std::uint64_t bits_;
  std::uint64_t position_ = 0;
};

}  // namespace laggard::archive
