#include "detect/syscalls/call_errors.h"

#include <algorithm>
#include <array>

namespace laggard::detect {

namespace {

// Sorted, for binary searches.
constexpr auto kAnswers =
    std::to_array<std::string_view>({"E2BIG",        "EACCES",         "EAGAIN",      "EALREADY",
                                     "ECHILD",       "EEXIST",         "EINPROGRESS", "EINTR",
                                     "EINVAL",       "EISCONN",        "EISDIR",      "ELOOP",
                                     "ENAMETOOLONG", "ENODATA",        "ENOENT",      "ENOEXEC",
                                     "ENOPROTOOPT",  "ENOSYS",         "ENOTDIR",     "ENOTEMPTY",
                                     "ENOTTY",       "ENXIO",          "EOPNOTSUPP",  "EPERM",
                                     "ERANGE",       "ERESTARTNOHAND", "ERESTARTSYS", "ERESTART_RESTARTBLOCK",
                                     "ESPIPE",       "ESRCH",          "EXDEV"});
constexpr auto kOfConnections =
    std::to_array<std::string_view>({"ECONNABORTED", "ECONNREFUSED", "ECONNRESET", "EHOSTUNREACH", "ENOTCONN",
                                     "EPIPE", "ESHUTDOWN", "ETIMEDOUT"});

static_assert(std::ranges::is_sorted(kAnswers) && std::ranges::is_sorted(kOfConnections));

}  // namespace

bool is_answer(std::string_view errno_name) { return std::ranges::binary_search(kAnswers, errno_name); }

bool is_of_connection(std::string_view errno_name) {
  return std::ranges::binary_search(kOfConnections, errno_name);
}

}  // namespace laggard::detect
