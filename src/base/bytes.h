#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace laggard {

static_assert(std::endian::native == std::endian::little,
              "the format is little-endian and written by memcpy");

/// Appends the primitive values of our formats: LEB128 integers, little-endian 64-bit words, counted text.
class ByteWriter {
 public:
  void u8(std::uint8_t value) { out_.push_back(static_cast<char>(value)); }
  void varint(std::uint64_t value) {
    while (value >= 0x80) {
      u8(static_cast<std::uint8_t>(value | 0x80));
      value >>= 7;
    }
    u8(static_cast<std::uint8_t>(value));
  }
  /// Small numbers of either sign.
  void zigzag(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    varint((bits << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0));
  }
  void u64(std::uint64_t value) {
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    out_.append(raw, sizeof value);
  }
  void text(std::string_view value) {
    varint(value.size());
    out_.append(value);
  }
  void raw(std::string_view value) { out_.append(value); }

  [[nodiscard]] const std::string& str() const { return out_; }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

/// Reads what ByteWriter wrote. The first error sticks and everything after it reads as zero, so a record is
/// read straight through and checked once.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] std::uint8_t u8() {
    if (rest_.empty()) return broken();
    const auto value = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }
  [[nodiscard]] std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t byte = u8();
      if (!ok_ || (shift == 63 && byte > 1)) return broken();
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    return broken();
  }
  [[nodiscard]] std::int64_t zigzag() {
    const std::uint64_t bits = varint();
    return static_cast<std::int64_t>((bits >> 1) ^ (~(bits & 1) + 1));
  }
  [[nodiscard]] std::uint64_t u64() {
    std::uint64_t value = 0;
    const std::string_view bytes = take(sizeof value);
    if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  /// A count that must not exceed `limit`.
  [[nodiscard]] std::size_t count(std::size_t limit) {
    const std::uint64_t value = varint();
    if (value > limit) return broken();
    return static_cast<std::size_t>(value);
  }
  [[nodiscard]] std::string_view text(std::size_t limit) { return take(count(limit)); }
  [[nodiscard]] std::string_view take(std::size_t n) {
    if (n > rest_.size()) {
      broken();
      return {};
    }
    const std::string_view bytes = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return bytes;
  }

  [[nodiscard]] bool ok() const { return ok_; }
  /// For the caller: a value was read correctly but makes no sense.
  void fail() { broken(); }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::uint8_t broken() {
    ok_ = false;
    rest_ = {};
    return 0;
  }

  std::string_view rest_;
  bool ok_ = true;
};

/// XXH3 with 64 bits: detects damage, not malice.
/// \param seed  another checksum chains the two, so that neither block can be moved or left out unnoticed.
[[nodiscard]] std::uint64_t checksum(std::string_view bytes, std::uint64_t seed = 0);

}  // namespace laggard
