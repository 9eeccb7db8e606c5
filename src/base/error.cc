#include "base/error.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "base/terminal_text.h"
#include "base/text.h"

namespace laggard {

namespace {

ErrorCode code_of(int errno_value) {
  switch (errno_value) {
    case ENOENT:
    case ENOTDIR:
    case ENODEV:
      return ErrorCode::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
      return ErrorCode::kNoPermission;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return ErrorCode::kNoSpace;
    case EAGAIN:
    case EBUSY:
    case EIO:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ESTALE:
      return ErrorCode::kTemporary;
    case ECONNREFUSED:
    case ETIMEDOUT:
    case EHOSTUNREACH:
      return ErrorCode::kUnavailable;
    case EPIPE:
      return ErrorCode::kBrokenPipe;
    default:
      return ErrorCode::kBadInput;
  }
}

}  // namespace

std::string Error::message() const {
  return printable(without_passwords(where.empty() ? what : where + ": " + what));
}

tl::unexpected<Error> fail_errno(int errno_value, std::string where, std::string_view doing) {
  return fail(code_of(errno_value), std::move(where),
              fmt::format("{}: {}", doing, std::generic_category().message(errno_value)));
}

namespace detail {

void check_failed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "laggard: internal error: %s:%d: broken promise: %s\n", file, line, condition);
  std::abort();
}

}  // namespace detail
}  // namespace laggard
