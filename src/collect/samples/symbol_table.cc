#include "collect/samples/symbol_table.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace laggard::collect {

namespace {

constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();

std::uint64_t end_of(const Symbol& symbol) {
  return symbol.size > kEnd - symbol.start ? kEnd : symbol.start + symbol.size;
}

std::size_t leading_underscores(std::string_view name) {
  return std::min(name.find_first_not_of('_'), name.size());
}

/// By start, and of those at one address the best name first.
bool comes_before(const Symbol& a, const Symbol& b) {
  if (a.start != b.start) return a.start < b.start;
  const auto worth = [](const Symbol& symbol) {
    return std::tuple(symbol.size == 0, leading_underscores(symbol.name), symbol.binding, symbol.name.size(),
                      symbol.name);
  };
  return worth(a) < worth(b);
}

}  // namespace

/// Goes through the symbols by their starts and keeps a stack of those that have begun and not ended. One
/// that ends before the one above it stays in the stack until that one goes: it can be the answer no more.
class SymbolTable::Sweep {
 public:
  explicit Sweep(SymbolTable& table) : table_(table) {}

  void take(const Symbol& symbol) {
    close_until(symbol.start);
    if (symbol.size == 0 && !open_.empty()) return;
    const Open opened{.end = end_of(symbol), .name = add_name(symbol.name)};
    put(symbol.start, opened.name, false);
    if (symbol.size != 0) open_.push_back(opened);
  }

  /// Ends what ends at `position` at the latest.
  void close_until(std::uint64_t position) {
    while (!open_.empty() && open_.back().end <= position) {
      const std::uint64_t end = open_.back().end;
      for (; !open_.empty() && open_.back().end <= end; open_.pop_back()) {
        if (open_.back().end > last_.end) last_ = open_.back();
      }
      const Open& next = open_.empty() ? last_ : open_.back();
      put(end, next.name, open_.empty());
    }
  }

 private:
  struct Name {
    std::uint32_t begin = 0;
    std::uint16_t length = 0;
  };
  struct Open {
    std::uint64_t end = 0;
    Name name;
  };

  Name add_name(std::string_view name) {
    name = name.substr(0, kLongestName);
    const Name added{static_cast<std::uint32_t>(table_.names_.size()),
                     static_cast<std::uint16_t>(name.size())};
    table_.names_ += name;
    return added;
  }

  void put(std::uint64_t start, Name name, bool is_near) {
    if (!table_.pieces_.empty() && table_.pieces_.back().start == start) table_.pieces_.pop_back();
    table_.pieces_.push_back({.start = start, .name = name.begin, .length = name.length, .is_near = is_near});
  }

  SymbolTable& table_;
  std::vector<Open> open_;
  Open last_;  ///< Of those that have ended the one of the greatest end.
};

SymbolTable::SymbolTable(std::vector<Symbol> symbols) {
  std::ranges::sort(symbols, comes_before);
  Sweep sweep(*this);
  const Symbol* before = nullptr;
  for (const Symbol& symbol : symbols) {
    // Names beyond 4 GB are no binary's, and could not be numbered.
    if (names_.size() > std::numeric_limits<std::uint32_t>::max() - kLongestName) break;
    if (before == nullptr || before->start != symbol.start) sweep.take(symbol);
    before = &symbol;
  }
  sweep.close_until(kEnd);
  pieces_.shrink_to_fit();
  names_.shrink_to_fit();
}

std::optional<NearestSymbol> SymbolTable::find(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(pieces_, address, {}, &Piece::start);
  if (after == pieces_.begin()) return std::nullopt;
  const Piece& piece = *std::prev(after);
  return NearestSymbol{.name = std::string_view(names_).substr(piece.name, piece.length),
                       .is_near = piece.is_near};
}

}  // namespace laggard::collect
