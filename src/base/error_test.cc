#include "base/error.h"

#include <gtest/gtest.h>

namespace laggard {
namespace {

TEST(Error, IsOneSentenceWithItsPlace) {
  EXPECT_EQ((Error{ErrorCode::kBadInput, "a.toml:3", "there is no such key"}.message()),
            "a.toml:3: there is no such key");
  EXPECT_EQ((Error{ErrorCode::kBadInput, "", "nothing was given"}.message()), "nothing was given");
}

/// Parsers quote what they stumbled over: saw 'fals\n'.
TEST(Error, ForeignBytesAreQuotedButNotObeyed) {
  const Error error{ErrorCode::kBadInput, "\x1b[31mred", "saw 'fals\n' and\t\x7f, not Zürich"};
  EXPECT_EQ(error.message(), "?[31mred: saw 'fals?' and??, not Zürich");
}

}  // namespace
}  // namespace laggard
