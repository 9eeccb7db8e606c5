#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace laggard {

/// What kind of thing went wrong outside of us; decides the exit status, never the wording.
enum class ErrorCode {
  kBadUse,        ///< The command line or a settings file asks for something impossible.
  kBadInput,      ///< Data that we were given is malformed.
  kNotFound,      ///< A file, device or host does not exist.
  kNoPermission,  ///< The system refused access.
  kDamaged,       ///< A checksum or a structure of our own files does not hold.
  kTooNew,        ///< Written by a later version of laggard.
  kTooOld,        ///< Written by an earlier version, in a form that this one no longer reads.
  kNoSpace,       ///< The disk is full, a quota is used up or a file may not grow any further.
  kUnavailable,   ///< A server or a program that we need does not answer.
  kBrokenPipe,    ///< The reader of our output has gone: we end without a message.
  kTemporary,     ///< The system is short of something (memory, descriptors) or fails to read or write.
  kInternal,      ///< Our own code broke one of its promises.
};

/// One mistake in one sentence: where it is, what is wrong and, where it helps, what to do.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string where;  ///< `path`, `path:line` or `path@offset`; empty when there is no place to name.
  std::string what;   ///< Without a full stop and without repeating `where`.

  /// Where and what in one line. It may quote text from outside, so control characters are escaped
  /// (`printable`), and passwords of URLs that were given in the wrong place are left out.
  [[nodiscard]] std::string message() const;
};

template <typename T>
using Result = tl::expected<T, Error>;

/// Returned by operations that can fail but have no value.
using Status = Result<void>;

[[nodiscard]] inline tl::unexpected<Error> fail(ErrorCode code, std::string where, std::string what) {
  return tl::unexpected<Error>(Error{code, std::move(where), std::move(what)});
}

/// `fail` for the last system call: maps errno to a code and appends its text.
[[nodiscard]] tl::unexpected<Error> fail_errno(int errno_value, std::string where, std::string_view doing);

/// The error of one result as that of another.
template <typename T>
[[nodiscard]] tl::unexpected<Error> forward(Result<T>& result) {
  return tl::unexpected<Error>(std::move(result.error()));
}

namespace detail {
[[noreturn]] void check_failed(const char* file, int line, const char* condition);
}  // namespace detail

}  // namespace laggard

/// Asserts a promise of our own code. It stays in release builds, because a wrong value in an archive is
/// worse than a stop.
#define LAGGARD_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::laggard::detail::check_failed(__FILE__, __LINE__, #condition))
