#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "detect/logs/log_pattern.h"

namespace laggard::detect {

/// Says which pattern of many a line matches first.
///
/// Nearly all lines of a log match none, so what has to be fast is to see that: each pattern has a literal
/// that every match contains (required_literals), of which four characters are looked for at every place of a
/// line by a table of bits, 8 kB large. Where they are, the literal is compared, and where that is there the
/// expression is tried, by RE2, whose time is linear in the line whatever either says. One set of all
/// expressions (RE2::Set) instead tries them all at once, but runs its automaton over every byte of each
/// line.
class LogMatcher {
 public:
  /// False in a build without RE2, where `make` fails.
  [[nodiscard]] static bool available();
  /// \param patterns  tried in this order; what their views are of outlives this. An error names the pattern:
  /// kBadInput.
  [[nodiscard]] static Result<LogMatcher> make(std::vector<LogPattern> patterns);

  LogMatcher(LogMatcher&&) noexcept;
  LogMatcher& operator=(LogMatcher&&) noexcept;
  LogMatcher(const LogMatcher&) = delete;
  LogMatcher& operator=(const LogMatcher&) = delete;
  ~LogMatcher();

  /// Null where none matches. Not to be called by two threads at once.
  [[nodiscard]] const LogPattern* first(std::string_view text) const;

 private:
  class Expression;
  static constexpr std::size_t kBits = 16;
  /// A literal, and which four characters of it are looked for.
  struct Literal {
    std::string text;
    std::size_t offset = 0;
    std::uint32_t pattern = 0;
  };

  LogMatcher() = default;
  void add_literal(std::string literal, std::uint32_t pattern);
  void find_candidates(std::string_view text) const;

  std::vector<LogPattern> patterns_;
  std::vector<std::unique_ptr<Expression>> expressions_;
  std::array<std::uint64_t, (std::size_t{1} << kBits) / 64> bits_{};
  std::unordered_map<std::uint32_t, std::vector<Literal>> literals_;  ///< By the four characters.
  mutable std::vector<std::uint32_t> candidates_;
};

}  // namespace laggard::detect
