#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace laggard::cmd {

/// Writes a message of protocol buffers, field by field
/// (https://protobuf.dev/programming-guides/encoding): the few forms that profile.proto has. What is zero or
/// empty is left out, as proto3 does.
class ProtoWriter {
 public:
  void number(std::uint32_t field, std::uint64_t value) {
    if (value == 0) return;
    bytes_.varint(std::uint64_t{field} << 3U);
    bytes_.varint(value);
  }
  /// Even if empty, so that lists keep their places.
  void text(std::uint32_t field, std::string_view value) {
    constexpr std::uint64_t kCounted = 2;
    bytes_.varint((std::uint64_t{field} << 3U) | kCounted);
    bytes_.text(value);
  }
  void message(std::uint32_t field, ProtoWriter&& message) { text(field, message.bytes_.take()); }
  void numbers(std::uint32_t field, std::span<const std::uint64_t> values) {
    ByteWriter packed;
    for (const std::uint64_t value : values) packed.varint(value);
    text(field, packed.str());
  }
  [[nodiscard]] std::string take() { return bytes_.take(); }

 private:
  ByteWriter bytes_;
};

}  // namespace laggard::cmd
