#include "send/position.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/file.h"
#include "testing/send.h"

namespace laggard::send {
namespace {

using ::testing::HasSubstr;

const StreamKey kDisks{"fs 1\"\n", DeviceKind::kDisk};
const StreamKey kTcp{"fs2", DeviceKind::kTcp};

class PositionTest : public ::testing::Test {
 protected:
  std::string error(const std::string& text) {
    EXPECT_TRUE(write_file(scratch_ / "p", text));
    auto opened = Positions::open(scratch_ / "p", "http://x:1");
    EXPECT_FALSE(opened);
    return opened ? "" : opened.error().what;
  }
  Scratch scratch_;
};

TEST_F(PositionTest, ComesBackAndOnlyMovesForward) {
  auto positions = Positions::open(scratch_ / "p", "http://x:1");
  ASSERT_TRUE(positions);
  EXPECT_FALSE(positions->of(kDisks));
  positions->advance(kDisks, 1'795'202'494'842);
  positions->advance(kDisks, 5);
  positions->advance(kTcp, -1);
  ASSERT_TRUE(positions->save());
  auto again = Positions::open(scratch_ / "p", "http://x:1");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->of(kDisks), 1'795'202'494'842);
  EXPECT_EQ(again->of(kTcp), -1);
  EXPECT_FALSE(again->of({"fs2", DeviceKind::kDisk}));
}

TEST_F(PositionTest, EveryTornFileIsRefused) {
  auto positions = Positions::open(scratch_ / "p", "http://x:1");
  positions->advance(kTcp, 7);
  ASSERT_TRUE(positions->save());
  const std::string whole = *read_file(scratch_ / "p");
  for (std::size_t length = 0; length + 2 < whole.size(); ++length) {
    EXPECT_THAT(error(whole.substr(0, length)),
                HasSubstr("is no position file, or only the beginning of one; move it away"));
  }
}

TEST_F(PositionTest, ForeignFilesAreRefusedAndSayWhy) {
  EXPECT_THAT(error("[]"), HasSubstr("is no position file"));
  EXPECT_THAT(error(R"({"schema":"laggard.diagnosis/1"})"), HasSubstr("is no position file"));
  EXPECT_THAT(error(R"({"schema":"laggard.position/2"})"), HasSubstr("another version of laggard"));
  EXPECT_THAT(error(R"({"schema":"laggard.position/1"})"), HasSubstr("damaged position file"));
  EXPECT_THAT(error(R"({"schema":"laggard.position/1","server":"http://x:1","streams":[{"host":"a"}]})"),
              HasSubstr("damaged position file"));
  for (const char* ms : {"-4102444800001", "4102444800001", "9223372036854775808", "1e3"}) {
    EXPECT_THAT(error(fmt::format(R"({{"schema":"laggard.position/1","server":"http://x:1","streams":[)"
                                  R"({{"host":"a","kind":"disk","acknowledged_ms":{}}}]}})",
                                  ms)),
                HasSubstr("damaged position file"))
        << ms;
  }
  EXPECT_THAT(error(R"({"schema":"laggard.position/1","server":"http://y:2","streams":[]})"),
              HasSubstr("holds the position for http://y:2, not for http://x:1"));
}

TEST_F(PositionTest, APipeOrAFolderIsRefusedAndNotWaitedFor) {
  ASSERT_EQ(::mkfifo((scratch_ / "pipe").c_str(), 0600), 0);
  for (const auto& path : {scratch_ / "pipe", scratch_.path()}) {
    const auto opened = Positions::open(path, "http://x:1");
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().what, HasSubstr("is no file; move it away"));
  }
}

TEST_F(PositionTest, LiesInTheRecordingUnderTheServersName) {
  EXPECT_EQ(usual_position(scratch_.path(), "http://127.0.0.1:8428/a"),
            scratch_ / "sent-127.0.0.1_8428_a.json");
  EXPECT_EQ(usual_position(scratch_ / "one.lgd", "https://prom"), scratch_ / "sent-prom.json");
}

}  // namespace
}  // namespace laggard::send
