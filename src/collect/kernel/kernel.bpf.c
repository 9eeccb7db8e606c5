// The kernel side of `record kernel`. Each function or tracepoint has these programs for itself: at its begin and its end,
// or at each of its events, they count, by processor, so that nobody waits for anybody.
#include <linux/bpf.h>
// Behind the types that they use:
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

typedef __u64 uint64_t;
typedef __u32 uint32_t;
#include "wire/kernel_counts.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

// The fields of the kernel's structs that are needed; their places are written as the program is loaded (CO-RE).
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct ns_common {
  unsigned int inum;
};
struct net {
  struct ns_common ns;
};
typedef struct {
  struct net *net;
} possible_net_t;
struct sock_common {
  possible_net_t skc_net;
};
struct sock {
  struct sock_common __sk_common;
};

#pragma clang attribute pop

// Set before the program is loaded: the number of the network namespace whose sockets count.
const volatile uint32_t network;

// Read by the user side.
uint64_t counts[kKernelCpus][kKernelNumbers];

enum { kMostDeep = 8 };

// Calls under way in a task, and in what has interrupted it: these end in the reverse order.
struct Begun {
  uint32_t depth;
  struct {
    uint64_t tag;  // The first argument, which the end is given, too.
    uint64_t ns;
  } calls[kMostDeep];
};

struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, struct Begun);
} begun SEC(".maps");

static __always_inline void add(enum KernelNumber number, uint64_t count) {
  __sync_fetch_and_add(&counts[bpf_get_smp_processor_id() & (kKernelCpus - 1)][number], count);
}

static __always_inline uint64_t tag_of(void *context) {
  uint64_t value = 0;
  bpf_get_func_arg(context, 0, &value);
  return value;
}

SEC("fentry")
int on_begin(void *context) {
  add(kKernelCalls, 1);
  struct Begun *under_way = bpf_task_storage_get(&begun, bpf_get_current_task_btf(), 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
  if (!under_way || under_way->depth >= kMostDeep) {
    add(kKernelLost, 1);
    return 0;
  }
  const uint32_t at = under_way->depth++ & (kMostDeep - 1);
  under_way->calls[at].tag = tag_of(context);
  under_way->calls[at].ns = bpf_ktime_get_ns();
  return 0;
}

SEC("fexit")
int on_end(void *context) {
  const uint64_t now = bpf_ktime_get_ns();
  struct Begun *under_way = bpf_task_storage_get(&begun, bpf_get_current_task_btf(), 0, 0);
  if (!under_way || under_way->depth == 0) return 0;
  const uint64_t tag = tag_of(context);
  // Above the call that ends lie those whose end was missed.
  uint32_t depth = under_way->depth;
  if (depth > kMostDeep) depth = kMostDeep;
  for (int round = 0; round < kMostDeep && depth > 0; ++round) {
    const uint32_t at = --depth & (kMostDeep - 1);
    if (under_way->calls[at].tag != tag) continue;
    under_way->depth = depth;
    add(kKernelNs, now - under_way->calls[at].ns);
    return 0;
  }
  return 0;  // It began before it was looked at.
}

SEC("raw_tp")
int on_event(void *context) {
  add(kKernelCalls, 1);
  return 0;
}

// Of the recorder's network namespace: in one kernel there may be several hosts' (the bench), or containers'.
SEC("raw_tp")
int on_socket_event(struct bpf_raw_tracepoint_args *context) {
  const struct sock *socket = (const struct sock *)context->args[0];
  if (BPF_CORE_READ(socket, __sk_common.skc_net.net, ns.inum) == network) add(kKernelCalls, 1);
  return 0;
}
