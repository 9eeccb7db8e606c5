#pragma once

#include <gtest/gtest.h>

#include "base/state_codec.h"

namespace laggard {

/// The state of `saved` in `fresh`, which was made as that was.
template <class T>
void expect_restores(const T& saved, T& fresh) {
  constexpr StateFormat kFormat{"state of a test"};
  const std::string bytes = save_state(kFormat, saved);
  const Status restored = restore_state(kFormat, bytes, fresh);
  EXPECT_TRUE(restored.has_value());
  EXPECT_EQ(save_state(kFormat, fresh), bytes);
}

}  // namespace laggard
