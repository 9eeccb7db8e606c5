#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace laggard {

/// An index into a table of one kind of thing; ids of different kinds do not mix.
template <typename Tag>
struct Id {
  std::uint32_t value = 0;
  constexpr auto operator<=>(const Id&) const = default;
  [[nodiscard]] constexpr std::size_t index() const { return value; }
};

}  // namespace laggard

template <typename Tag>
struct std::hash<laggard::Id<Tag>> {
  std::size_t operator()(laggard::Id<Tag> id) const noexcept { return std::hash<std::uint32_t>{}(id.value); }
};
