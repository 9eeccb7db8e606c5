#pragma once

/// LAGGARD_CLONES before a function makes the compiler build it twice, for AVX2 and for any x86-64; the
/// loader chooses by the machine it runs on. Elsewhere the macro is empty and the one portable build runs.
/// Results do not depend on it: none of these loops reorders floating-point sums. The sanitizers cannot have
/// it, because their start-up code runs only after the loader has to choose.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define LAGGARD_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define LAGGARD_CLONES
#endif

/// LAGGARD_INLINE before a function that a clone calls: it must be inlined into each clone to be compiled for
/// the clone's machine.
#if defined(__GNUC__)
#define LAGGARD_INLINE __attribute__((always_inline)) inline
#else
#define LAGGARD_INLINE inline
#endif
