#pragma once

#ifdef LAGGARD_BPF

#include <bpf/btf.h>

#include <memory>

#include "base/error.h"

/// What all that is traced by BPF shares. Only where laggard is built with it.
namespace laggard::collect {

/// From now on libbpf writes nothing to standard error; its last warning is kept for `bpf_refusal`, since
/// libbpf tells the reason of a failure by this alone.
void keep_bpf_warnings();

/// Why a program could not be loaded or attached. \param who  the command, for the sentence \param error
/// errno
[[nodiscard]] tl::unexpected<Error> bpf_refusal(const char* who, int error);

struct FreeTypes {
  void operator()(btf* types) const { btf__free(types); }
};
/// The types of the kernel that runs; null where it was built without them.
[[nodiscard]] std::unique_ptr<btf, FreeTypes> kernel_types();

}  // namespace laggard::collect

#endif
