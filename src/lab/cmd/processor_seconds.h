#pragma once

#include <ctime>

namespace laggard::lab {

/// Processor time that this thread has used, in seconds.
inline double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace laggard::lab
