#include "collect/bpf/bpf_loading.h"

#ifdef LAGGARD_BPF

#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <string>

#include "base/text.h"

namespace laggard::collect {

namespace {

std::string& last_warning() {
  thread_local std::string warning;
  return warning;
}

[[gnu::format(printf, 2, 0)]] int keep_warning(libbpf_print_level level, const char* format,
                                               va_list arguments) {
  if (level != LIBBPF_WARN) return 0;
  constexpr std::size_t kMost = 300;
  std::array<char, kMost> text{};
  const int written = std::vsnprintf(text.data(), text.size(), format, arguments);
  // The verifier's log has many lines; the first one names the program.
  std::string_view said(text.data(), std::min(static_cast<std::size_t>(std::max(written, 0)), kMost - 1));
  last_warning() = std::string(trim(take_line(said)));
  return 0;
}

}  // namespace

void keep_bpf_warnings() { libbpf_set_print(keep_warning); }

tl::unexpected<Error> bpf_refusal(const char* who, int error) {
  if (error == EPERM || error == EACCES) {
    return fail(ErrorCode::kNoPermission, who,
                "needs the capabilities CAP_BPF and CAP_PERFMON (run it as root, or `setcap "
                "cap_bpf,cap_perfmon+ep laggard`)");
  }
  if (::access("/sys/kernel/btf/vmlinux", R_OK) != 0) {
    return fail(ErrorCode::kUnavailable, "/sys/kernel/btf/vmlinux",
                "is missing: this kernel was built without BTF (CONFIG_DEBUG_INFO_BTF), which tracing needs");
  }
  return fail_errno(error, who, fmt::format("cannot trace by BPF: {}", last_warning()));
}

std::unique_ptr<btf, FreeTypes> kernel_types() {
  return std::unique_ptr<btf, FreeTypes>(btf__load_vmlinux_btf());
}

}  // namespace laggard::collect

#endif
