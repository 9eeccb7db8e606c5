#pragma once

// What the program in the kernel counts for `record kernel` (src/collect/kernel/kernel.bpf.c), of one
// function or tracepoint: a row of numbers for each processor, as long as a line of its cache. Included by C
// and by C++.
#ifdef __cplusplus
namespace laggard::wire {
#endif

enum KernelNumber {
  kKernelCalls,
  kKernelNs,    // Of calls that have returned.
  kKernelLost,  // Calls whose time is not known.
};
enum KernelLimits {
  kKernelNumbers = 8,
  kKernelCpus = 256,  // A power of two; processors beyond share.
};

#ifdef __cplusplus
}  // namespace laggard::wire
#endif
