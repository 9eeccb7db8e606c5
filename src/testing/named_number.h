#pragma once

#include <gtest/gtest.h>

#include <set>
#include <span>
#include <string_view>

#include "base/named_number.h"

namespace laggard {

/// Expects that every name of the table is unique, that its default lies within its bounds, and that setting
/// it changes that number and no other.
template <typename Object>
void expect_each_sets_its_own(std::span<const NamedNumber<Object>> table) {
  std::set<std::string_view> names;
  const Object defaults;
  for (const NamedNumber<Object>& number : table) {
    EXPECT_TRUE(names.insert(number.name).second) << number.name << " is there twice";
    EXPECT_GE(number.get(defaults), number.least) << number.name;
    EXPECT_LE(number.get(defaults), number.most) << number.name;
    Object changed;
    const double other = number.get(defaults) == number.least ? number.most : number.least;
    number.set(changed, other);
    for (const NamedNumber<Object>& any : table) {
      EXPECT_EQ(any.get(changed), any.name == number.name ? other : any.get(defaults))
          << number.name << " changes " << any.name;
    }
  }
}

}  // namespace laggard
