#pragma once

/// LAGGARD_CLONES before a function makes the compiler build it twice, for AVX2 and for any x86-64, and the
/// loader choose by the machine it runs on; loops inside are vectorised for each. Elsewhere it says nothing,
/// and the one portable build runs. Results do not depend on it: none of these loops reorders floating-point
/// sums. Not with the sanitizers, whose start-up code runs after the loader's choice would have to be made.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define LAGGARD_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define LAGGARD_CLONES
#endif

/// Before a function that a clone calls: its body must become part of each clone to be compiled for its
/// machine.
#if defined(__GNUC__)
#define LAGGARD_INLINE __attribute__((always_inline)) inline
#else
#define LAGGARD_INLINE inline
#endif
