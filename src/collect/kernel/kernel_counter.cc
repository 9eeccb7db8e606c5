#include "collect/kernel/kernel_counter.h"

#include <fmt/format.h>

#ifdef LAGGARD_BPF

#include <bpf/libbpf.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "collect/bpf/bpf_loading.h"
#include "collect/kernel/kernel.skel.h"
#include "wire/kernel_counts.h"

namespace laggard::collect {

namespace {

constexpr const char* kCommand = "record kernel";

struct DestroyPrograms {
  void operator()(kernel_bpf* programs) const { kernel_bpf__destroy(programs); }
};
using Programs = std::unique_ptr<kernel_bpf, DestroyPrograms>;

struct DestroyLink {
  void operator()(bpf_link* link) const { bpf_link__destroy(link); }
};
using Link = std::unique_ptr<bpf_link, DestroyLink>;

class BpfCounter final : public KernelCounter {
 public:
  explicit BpfCounter(Programs programs) : programs_(std::move(programs)) {}

  /// \param link  as libbpf returns it: null with errno
  [[nodiscard]] Status keep(bpf_link* link) {
    if (link == nullptr) return bpf_refusal(kCommand, errno);
    (links_[0] == nullptr ? links_[0] : links_[1]).reset(link);
    return {};
  }

  [[nodiscard]] KernelCount counted() const override {
    KernelCount sum;
    for (const volatile auto& of_processor : programs_->bss->counts) {
      sum.calls += of_processor[wire::kKernelCalls];
      sum.ns += of_processor[wire::kKernelNs];
      sum.lost += of_processor[wire::kKernelLost];
    }
    return sum;
  }

 private:
  Programs programs_;
  std::array<Link, 2> links_;  ///< End before the programs do.
};

Result<Programs> opened() {
  keep_bpf_warnings();
  Programs programs(kernel_bpf__open());
  if (programs == nullptr) return bpf_refusal(kCommand, errno);
  for (bpf_program* program : {programs->progs.on_begin, programs->progs.on_end, programs->progs.on_event,
                               programs->progs.on_socket_event}) {
    bpf_program__set_autoload(program, false);
  }
  return programs;
}

Status load(kernel_bpf& programs) {
  const int error = kernel_bpf__load(&programs);
  return error == 0 ? Status() : bpf_refusal(kCommand, -error);
}

/// Whose programs the kernel takes otherwise, and not at functions, lacks no capability.
Status load_at_function(kernel_bpf& programs) {
  Status loaded = load(programs);
  if (loaded || loaded.error().code != ErrorCode::kNoPermission || ::geteuid() != 0) return loaded;
  return fail(
      ErrorCode::kUnavailable, "--function",
      "this kernel permits no programs at its functions (fentry), even to root; --tracepoint needs none");
}

/// Behind typedefs, `const` and the like.
const btf_type* plain(const btf& types, std::uint32_t id) {
  const btf_type* type = btf__type_by_id(&types, id);
  while (type != nullptr && (btf_is_mod(type) || btf_is_typedef(type)))
    type = btf__type_by_id(&types, type->type);
  return type;
}

/// What the first argument of a tracepoint's events points to, as the kernel calls it; empty: to something
/// else. \param id  of the type of the function that is called for each: a pointer to one that takes a
/// context first
std::string_view first_pointed_to(const btf& types, std::uint32_t id) {
  const btf_type* pointer = plain(types, id);
  const btf_type* function =
      pointer != nullptr && btf_is_ptr(pointer) ? plain(types, pointer->type) : nullptr;
  if (function == nullptr || !btf_is_func_proto(function) || btf_vlen(function) < 2) return {};
  const btf_type* argument = plain(types, btf_params(function)[1].type);
  const btf_type* what = argument != nullptr && btf_is_ptr(argument) ? plain(types, argument->type) : nullptr;
  if (what == nullptr || !btf_is_struct(what)) return {};
  return btf__name_by_offset(&types, what->name_off);
}

}  // namespace

Result<std::unique_ptr<KernelCounter>> KernelCounter::of_function(const std::string& name) {
  const auto types = kernel_types();
  if (types == nullptr) return bpf_refusal(kCommand, ENOENT);
  if (btf__find_by_name_kind(types.get(), name.c_str(), BTF_KIND_FUNC) <= 0) {
    return fail(ErrorCode::kNotFound, "--function",
                fmt::format("this kernel has no function '{}' that can be traced", name));
  }
  auto programs = opened();
  if (!programs) return forward(programs);
  kernel_bpf& raw = **programs;
  for (bpf_program* program : {raw.progs.on_begin, raw.progs.on_end}) {
    bpf_program__set_autoload(program, true);
    if (bpf_program__set_attach_target(program, 0, name.c_str()) != 0) return bpf_refusal(kCommand, errno);
  }
  if (Status loaded = load_at_function(raw); !loaded) return forward(loaded);
  auto counter = std::make_unique<BpfCounter>(std::move(*programs));
  // The end first: a call whose end alone is seen counts for nothing.
  for (bpf_program* program : {raw.progs.on_end, raw.progs.on_begin}) {
    if (Status kept = counter->keep(bpf_program__attach_trace(program)); !kept) return forward(kept);
  }
  return counter;
}

Result<std::unique_ptr<KernelCounter>> KernelCounter::of_tracepoint(const std::string& name,
                                                                    std::uint32_t network) {
  const auto types = kernel_types();
  if (types == nullptr) return bpf_refusal(kCommand, ENOENT);
  const int type = btf__find_by_name_kind(types.get(), ("btf_trace_" + name).c_str(), BTF_KIND_TYPEDEF);
  if (type <= 0) {
    return fail(ErrorCode::kNotFound, "--tracepoint",
                fmt::format("this kernel has no tracepoint '{}'", name));
  }
  auto programs = opened();
  if (!programs) return forward(programs);
  kernel_bpf& raw = **programs;
  const bool of_socket = first_pointed_to(*types, static_cast<std::uint32_t>(type)) == "sock";
  bpf_program* program = of_socket ? raw.progs.on_socket_event : raw.progs.on_event;
  bpf_program__set_autoload(program, true);
  raw.rodata->network = network;
  if (Status loaded = load(raw); !loaded) return forward(loaded);
  auto counter = std::make_unique<BpfCounter>(std::move(*programs));
  if (Status kept = counter->keep(bpf_program__attach_raw_tracepoint(program, name.c_str())); !kept)
    return forward(kept);
  return counter;
}

}  // namespace laggard::collect

#else

namespace laggard::collect {

namespace {

tl::unexpected<Error> without_bpf() {
  return fail(
      ErrorCode::kUnavailable, "record kernel",
      "this laggard was built without BPF; build it where libbpf-dev, bpftool and clang are installed");
}

}  // namespace

Result<std::unique_ptr<KernelCounter>> KernelCounter::of_function(const std::string& /*name*/) {
  return without_bpf();
}
Result<std::unique_ptr<KernelCounter>> KernelCounter::of_tracepoint(const std::string& /*name*/,
                                                                    std::uint32_t /*network*/) {
  return without_bpf();
}

}  // namespace laggard::collect

#endif
