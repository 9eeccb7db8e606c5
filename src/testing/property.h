#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <utility>

namespace laggard {

/// The test fails unless `property` holds for every case that rapidcheck draws. rc::check by itself only
/// prints what it found: a test that drops its answer passes whatever it says.
template <typename Property>
void expect_property(const std::string& name, Property&& property) {
  EXPECT_TRUE(rc::check(name, std::forward<Property>(property))) << name;
}

}  // namespace laggard
