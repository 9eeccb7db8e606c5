#include "collect/samples/symbol_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "testing/property.h"

namespace laggard::collect {
namespace {

constexpr NearestSymbol in(std::string_view name) { return {.name = name, .is_near = false}; }
constexpr NearestSymbol near(std::string_view name) { return {.name = name, .is_near = true}; }

TEST(SymbolTable, BeyondTheEndOfAFunctionIsNearIt) {
  const SymbolTable table({{.start = 100, .size = 10, .name = "f"}, {.start = 200, .size = 10, .name = "g"}});
  EXPECT_EQ(table.find(99), std::nullopt);
  EXPECT_EQ(table.find(100), in("f"));
  EXPECT_EQ(table.find(109), in("f"));
  EXPECT_EQ(table.find(110), near("f"));
  EXPECT_EQ(table.find(200), in("g"));
  EXPECT_EQ(table.find(UINT64_MAX), near("g"));
}

TEST(SymbolTable, WithoutASizeAFunctionGoesOnToTheNextOne) {
  const SymbolTable table(
      {{.start = 100, .size = 0, .name = "label"}, {.start = 200, .size = 10, .name = "g"}});
  EXPECT_EQ(table.find(199), in("label"));
  EXPECT_EQ(table.find(200), in("g"));
  EXPECT_EQ(table.find(210), near("g"));
}

TEST(SymbolTable, ALabelInsideAFunctionIsTheFunction) {
  const SymbolTable table(
      {{.start = 100, .size = 50, .name = "f"}, {.start = 120, .size = 0, .name = "loop"}});
  EXPECT_EQ(table.find(130), in("f"));
  EXPECT_EQ(table.find(150), near("f"));
}

TEST(SymbolTable, OfOneAddressTheNameThatPeopleKnow) {
  const SymbolTable table({{.start = 1, .size = 8, .name = "__write", .binding = 0},
                           {.start = 1, .size = 8, .name = "write", .binding = 1},
                           {.start = 1, .size = 0, .name = "w", .binding = 0}});
  EXPECT_EQ(table.find(1), in("write"));
}

TEST(SymbolTable, SizesBeyondTheEndOfMemoryEndThere) {
  const SymbolTable table({{.start = 10, .size = UINT64_MAX, .name = "all"}});
  EXPECT_EQ(table.find(UINT64_MAX - 1), in("all"));
  EXPECT_EQ(table.find(9), std::nullopt);
}

/// As the comment of SymbolTable defines it, symbol by symbol.
class SlowTable {
 public:
  explicit SlowTable(const std::vector<Symbol>& all) {
    const auto end = [](const Symbol& s) {
      return s.size > UINT64_MAX - s.start ? UINT64_MAX : s.start + s.size;
    };
    for (const Symbol& one : all) {
      const bool is_best = std::ranges::all_of(
          all, [&](const Symbol& other) { return other.start != one.start || !is_better(other, one); });
      const bool is_taken = std::ranges::any_of(
          kept_, [&](const Kept& k) { return k.start == one.start && k.name == one.name; });
      if (is_best && !is_taken) kept_.push_back({one.start, end(one), one.size == 0, std::string(one.name)});
    }
    const std::vector<Kept> before = kept_;
    std::erase_if(kept_, [&](const Kept& label) {
      return label.is_label && std::ranges::any_of(before, [&](const Kept& f) {
               return !f.is_label && f.start <= label.start && label.start < f.end;
             });
    });
  }

  [[nodiscard]] std::optional<NearestSymbol> find(std::uint64_t address) const {
    const Kept* inside = nullptr;
    const Kept* last = nullptr;
    const Kept* nearest = nullptr;
    for (const Kept& k : kept_) {
      if (k.start > address) continue;
      if (!k.is_label && address < k.end && (inside == nullptr || k.start > inside->start)) inside = &k;
      if (last == nullptr || k.start > last->start) last = &k;
      if (k.is_label) continue;
      if (nearest == nullptr || std::tuple(k.end, k.start) > std::tuple(nearest->end, nearest->start))
        nearest = &k;
    }
    if (inside != nullptr) return in(inside->name);
    if (last == nullptr) return std::nullopt;
    return last->is_label ? in(last->name) : near(nearest->name);
  }

 private:
  struct Kept {
    std::uint64_t start;
    std::uint64_t end;
    bool is_label;
    std::string name;
  };

  static bool is_better(const Symbol& a, const Symbol& b) {
    const auto underscores = [](std::string_view name) {
      return std::min(name.find_first_not_of('_'), name.size());
    };
    return std::tuple(a.size == 0, underscores(a.name), a.binding, a.name.size(), a.name) <
           std::tuple(b.size == 0, underscores(b.name), b.binding, b.name.size(), b.name);
  }

  std::vector<Kept> kept_;
};

TEST(SymbolTable, FindsWhatTheDefinitionFinds) {
  expect_property("table equals its definition", [] {
    constexpr int kSpan = 60;
    std::vector<std::string> names;
    std::vector<Symbol> symbols;
    const auto count = *rc::gen::inRange<std::size_t>(0, 25);
    for (std::size_t i = 0; i < count; ++i) {
      names.push_back(std::string(*rc::gen::inRange<std::size_t>(0, 2), '_') + "f" + std::to_string(i));
    }
    for (const std::string& name : names) {
      symbols.push_back({.start = static_cast<std::uint64_t>(*rc::gen::inRange(0, kSpan)),
                         .size = static_cast<std::uint64_t>(*rc::gen::inRange(0, kSpan / 3)),
                         .name = name,
                         .binding = static_cast<std::uint8_t>(*rc::gen::inRange(0, 3))});
    }
    const SymbolTable table(symbols);
    const SlowTable slow(symbols);
    for (std::uint64_t address = 0; address < 2 * kSpan; ++address) {
      RC_ASSERT(table.find(address) == slow.find(address));
    }
  });
}

}  // namespace
}  // namespace laggard::collect
