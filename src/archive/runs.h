#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"

namespace laggard::archive {

/// Presence over n sample times as alternating run lengths: absent, present, absent, … The first may be 0,
/// the sum is n. A device that was always present is {0, n}.
class Runs {
 public:
  Runs() = default;
  /// \param presence  bytes that are 0 or 1.
  static Runs of(std::span<const std::uint8_t> presence);
  static Runs full(std::size_t n);
  /// Reads runs for exactly `n` samples; anything else is an error in `in`.
  static Runs read(ByteReader& in, std::size_t n);
  void write(ByteWriter& out) const;

  [[nodiscard]] bool is_full() const { return lengths_.size() == 2 && lengths_[0] == 0; }
  [[nodiscard]] std::size_t present() const;

  /// Calls `f(begin, end)` for every run of presence.
  template <typename F>
  void for_each(F&& f) const {
    std::size_t at = 0;
    for (std::size_t i = 0; i < lengths_.size(); ++i) {
      const std::size_t end = at + lengths_[i];
      if (i % 2 == 1) f(at, end);
      at = end;
    }
  }
  bool operator==(const Runs&) const = default;
  auto operator<=>(const Runs&) const = default;

 private:
  std::vector<std::uint32_t> lengths_;
};

}  // namespace laggard::archive
