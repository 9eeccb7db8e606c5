#include "model/clocks.h"

namespace laggard {

std::string how_far_off(const ClockSkew& skew) {
  const bool behind = skew.ahead < Duration::zero();
  return to_text(behind ? -skew.ahead : skew.ahead) + (behind ? " behind" : " ahead of");
}

}  // namespace laggard
