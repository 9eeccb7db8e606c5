#include "base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace laggard {
namespace {

TEST(Error, IsOneSentenceWithItsPlace) {
  EXPECT_EQ((Error{ErrorCode::kBadInput, "a.toml:3", "there is no such key"}.message()),
            "a.toml:3: there is no such key");
  EXPECT_EQ((Error{ErrorCode::kBadInput, "", "nothing was given"}.message()), "nothing was given");
}

/// Parsers quote the text that they could not parse: saw 'fals\n'.
TEST(Error, PasswordsOfUrlsInWrongPlacesAreNotShown) {
  for (const char* word :
       {"http://me:s3cret@prom:9090/x", "me:s3cret@prom:9090/x", "`me:s3/cr@et@prom:9090/x",
        "HTTP://s3cret@prom:9090/x", "//me:s3cret@prom:9090/x", "http//me:s3cret@prom:9090/x"}) {
    const Error error{ErrorCode::kNotFound, word, "there is no such recording"};
    EXPECT_THAT(error.message(), ::testing::EndsWith("…@prom:9090/x: there is no such recording"));
    EXPECT_THAT(error.message(), ::testing::Not(::testing::HasSubstr("s3")));
  }
  // Positions, network names and mail addresses stay.
  for (const char* text :
       {"rec/a.lgd@12: damaged", "10.0.0.1@tcp:/fs", "mgs@o2ib: no", "fs1:9100 and me@here", "a: b@c"}) {
    EXPECT_EQ((Error{ErrorCode::kBadInput, "", text}).message(), text);
  }
}

TEST(Error, ForeignBytesAreQuotedButNotObeyed) {
  const Error error{ErrorCode::kBadInput, "\x1b[31mred", "saw 'fals\n' and\t\x7f, not Zürich"};
  EXPECT_EQ(error.message(), "\\x1b[31mred: saw 'fals\\x0a' and\\x09\\x7f, not Zürich");
}

}  // namespace
}  // namespace laggard
