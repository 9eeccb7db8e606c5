#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace laggard::detect {

/// Writes a detector's state as bytes: little-endian, 64 bits per number, doubles bit for bit.
class StateWriter {
 public:
  /// \param kind  names the state, so that one kind is never read as another.
  StateWriter(std::string_view kind, std::uint64_t version);
  void put(std::uint64_t value);
  void put_signed(std::int64_t value) { put(static_cast<std::uint64_t>(value)); }
  void put_flag(bool value) { put(value ? 1 : 0); }
  void put_number(double value) { put(std::bit_cast<std::uint64_t>(value)); }
  /// The count first.
  void put_numbers(std::span<const double> values);
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads it back. The first error sticks: read straight through, then ask `status` once. After an error all
/// reads give 0 or nothing.
class StateReader {
 public:
  StateReader(std::string_view bytes, std::string_view kind, std::uint64_t version);
  [[nodiscard]] std::uint64_t take();
  [[nodiscard]] std::int64_t take_signed() { return static_cast<std::int64_t>(take()); }
  [[nodiscard]] bool take_flag();
  [[nodiscard]] double take_number() { return std::bit_cast<double>(take()); }
  [[nodiscard]] std::vector<double> take_numbers();
  /// Marks the state as damaged unless the condition holds.
  void require(bool condition);
  [[nodiscard]] bool good() const { return good_; }
  /// Also fails when bytes are left over.
  [[nodiscard]] Status status() const;

 private:
  std::string_view rest_;
  std::string kind_;
  bool good_ = true;
  bool newer_ = false;
};

}  // namespace laggard::detect
