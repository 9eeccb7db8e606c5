#include "detect/syscalls/call_errors.h"

#include <gtest/gtest.h>

namespace laggard::detect {
namespace {

TEST(CallErrors, AnswersAreNoFailures) {
  for (const char* answer : {"ENOENT", "EEXIST", "EAGAIN", "E2BIG", "EXDEV"})
    EXPECT_TRUE(is_answer(answer)) << answer;
  for (const char* failure : {"ENOSPC", "EROFS", "EMFILE", "EIO", "EFBIG", "ENOMEM", ""})
    EXPECT_FALSE(is_answer(failure)) << failure;
}

TEST(CallErrors, SomeSayThatTheOtherEndIsGone) {
  for (const char* gone : {"ECONNREFUSED", "ENOTCONN", "ETIMEDOUT", "ECONNABORTED"})
    EXPECT_TRUE(is_of_connection(gone));
  EXPECT_FALSE(is_of_connection("EIO"));
}

}  // namespace
}  // namespace laggard::detect
