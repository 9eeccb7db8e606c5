#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace laggard::collect {

/// A symbol as a table of symbols has it.
struct Symbol {
  std::uint64_t start = 0;
  std::uint64_t size = 0;  ///< Zero: unknown, as of labels in assembly.
  std::string_view name;
  std::uint8_t binding = 0;  ///< Of those at one address the lower is the better name: global, weak, local.
};

/// What an address belongs to.
struct NearestSymbol {
  std::string_view name;  ///< Valid as long as the table.
  bool is_near = false;   ///< The symbol ends before the address.
  bool operator==(const NearestSymbol&) const = default;
};

/// The symbols of one binary, for look-ups by address: one binary search over pieces that do not overlap.
///
/// Of the symbols that start at one address one is kept: with a size rather than without, with the fewest
/// leading underscores, the best binding, the shortest name, the first in the alphabet. One without a size
/// that lies in another one is a label in that and is left out. An address belongs to the symbol of the
/// greatest start that contains it. Outside of all, it belongs to the last symbol before it where that has no
/// size, and is near the one of the greatest end (of these of the greatest start) elsewhere. Before the first
/// symbol there is nothing.
class SymbolTable {
 public:
  SymbolTable() = default;
  /// The names are copied. Any addresses and sizes will do; what ends beyond 64 bits ends there.
  explicit SymbolTable(std::vector<Symbol> symbols);

  [[nodiscard]] std::optional<NearestSymbol> find(std::uint64_t address) const;
  [[nodiscard]] bool empty() const { return pieces_.empty(); }
  /// Memory that it takes.
  [[nodiscard]] std::size_t bytes() const { return pieces_.capacity() * sizeof(Piece) + names_.capacity(); }

 private:
  static constexpr std::size_t kLongestName = UINT16_MAX;

  /// From its start to that of the next one.
  struct Piece {
    std::uint64_t start;
    std::uint32_t name;  ///< Where its name begins in `names_`.
    std::uint16_t length;
    bool is_near;
  };
  class Sweep;

  std::vector<Piece> pieces_;
  std::string names_;
};

}  // namespace laggard::collect
