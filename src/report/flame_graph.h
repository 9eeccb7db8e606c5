#pragma once

#include <string>

#include "model/payload.h"

namespace laggard::report {

/// Two flame graphs as SVG, with a sentence above each (B. Gregg, "The Flame Graph", CACM 2016). In the first
/// a frame is as wide as the subject's part, in the second as the healthy peer's, each of its own whole, so
/// that what only one of them has is seen. In both the colour is that of the difference (his differential
/// flame graphs): red where the subject has more, blue where it has less, the deeper the further apart, and
/// pale where they are alike. Parts stand on what they are part of, siblings in the order of the payload.
///
/// Every text is escaped. A graph whose whole is zero is not drawn; empty when that holds for both.
[[nodiscard]] std::string drawing(const FlamesPayload& flames);

}  // namespace laggard::report
