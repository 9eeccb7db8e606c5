#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace laggard::testing_support {

/// A word of two numbers, as the kernel writes the numbers of a process and of a thread.
inline std::uint64_t two_halves(std::uint32_t low, std::uint32_t high) {
  return low | std::uint64_t{high} << 32;
}

/// A text with its zero byte, filled up to whole words.
inline std::vector<std::uint64_t> perf_text(std::string_view text) {
  std::vector<std::uint64_t> words(text.size() / sizeof(std::uint64_t) + 1);
  std::memcpy(words.data(), text.data(), text.size());
  return words;
}

/// A record as the kernel writes it. \param body  what follows the header.
inline std::vector<std::uint64_t> perf_record(std::uint32_t type, std::uint16_t misc,
                                              const std::vector<std::uint64_t>& body) {
  std::vector<std::uint64_t> words(1);
  words.insert(words.end(), body.begin(), body.end());
  const perf_event_header header{
      .type = type, .misc = misc, .size = static_cast<std::uint16_t>(words.size() * 8)};
  std::memcpy(words.data(), &header, sizeof header);
  return words;
}

}  // namespace laggard::testing_support
