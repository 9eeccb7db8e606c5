#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <utility>

namespace laggard {

/// Expects that `property` holds for every case that rapidcheck draws. rc::check by itself only prints a
/// failure: a test that ignores its result always passes.
template <typename Property>
void expect_property(const std::string& name, Property&& property) {
  EXPECT_TRUE(rc::check(name, std::forward<Property>(property))) << name;
}

}  // namespace laggard
