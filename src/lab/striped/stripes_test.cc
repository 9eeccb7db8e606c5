#include "lab/striped/stripes.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace laggard::lab::striped {
namespace {

Stripes some_stripes() {
  return {*rc::gen::inRange<std::size_t>(1, 7), *rc::gen::inRange<std::uint64_t>(1, 20)};
}

/// Where a byte of a file lies, by the definition alone.
struct Place {
  std::size_t server;
  std::uint64_t offset;
};
Place place_of(const Stripes& stripes, std::uint64_t object, std::uint64_t byte) {
  const std::uint64_t number = byte / stripes.strip;
  return {(object + number) % stripes.servers,
          number / stripes.servers * stripes.strip + byte % stripes.strip};
}

RC_GTEST_PROP(Stripes, PutEveryByteWhereItBelongs, ()) {
  const Stripes stripes = some_stripes();
  const auto object = *rc::gen::inRange<std::uint64_t>(0, 1000);
  const auto offset = *rc::gen::inRange<std::uint64_t>(0, 500);
  const auto length = *rc::gen::inRange<std::uint64_t>(0, 500);
  std::uint64_t next = offset;
  for (const Stripes::Piece& piece : stripes.pieces(object, offset, length)) {
    RC_ASSERT(piece.within == next - offset);
    for (std::uint64_t i = 0; i < piece.length; ++i, ++next) {
      const Place place = place_of(stripes, object, next);
      RC_ASSERT(place.server == piece.server);
      RC_ASSERT(place.offset == piece.offset + i);
    }
  }
  RC_ASSERT(next == offset + length);
}

RC_GTEST_PROP(Stripes, KnowASizeFromTheObjectsSizes, ()) {
  const Stripes stripes = some_stripes();
  const auto object = *rc::gen::inRange<std::uint64_t>(0, 1000);
  const auto size = *rc::gen::inRange<std::uint64_t>(0, 1000);
  std::vector<std::uint64_t> sizes(stripes.servers, 0);
  for (std::uint64_t byte = 0; byte < size; ++byte) {
    const Place place = place_of(stripes, object, byte);
    sizes[place.server] = std::max(sizes[place.server], place.offset + 1);
  }
  for (std::size_t server = 0; server < stripes.servers; ++server) {
    RC_ASSERT(stripes.object_size(object, server, size) == sizes[server]);
  }
  RC_ASSERT(stripes.file_size(object, sizes) == size);
}

TEST(Stripes, APinnedFileLiesOnOneServer) {
  const Stripes stripes{5, 10};
  const std::uint64_t object = object_number(3, 12, true);
  EXPECT_EQ(count_of(object), 12U);
  EXPECT_EQ(pinned_to(object), 3U);
  EXPECT_EQ(pinned_to(object_number(3, 12, false)), std::nullopt);
  const auto pieces = stripes.pieces(object, 7, 100);
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_EQ(pieces[0].server, 3U);
  EXPECT_EQ(pieces[0].offset, 7U);
  EXPECT_EQ(pieces[0].length, 100U);
  EXPECT_TRUE(stripes.pieces(object, 7, 0).empty());
  EXPECT_EQ(stripes.object_size(object, 3, 107), 107U);
  EXPECT_EQ(stripes.object_size(object, 2, 107), 0U);
  EXPECT_EQ(stripes.file_size(object, std::vector<std::uint64_t>{0, 0, 0, 107, 0}), 107U);
}

TEST(Stripes, AFolderPinsWhatIsBelowIt) {
  for (const char* path : {"/@2", "/@2/a", "/x/@2/y/a"}) {
    EXPECT_TRUE(is_pinned(path)) << path;
    EXPECT_EQ(server_of_path(path, 5), 1U) << path;
  }
  EXPECT_EQ(server_of_path("/@7/a", 5), 1U) << "of five, the seventh is the second";
  for (const char* path : {"/", "/a@2", "/@", "/@0/a", "/@x", "/2"}) EXPECT_FALSE(is_pinned(path)) << path;
}

TEST(Stripes, SpreadPaths) {
  std::vector<int> count(5, 0);
  for (int i = 0; i < 1000; ++i) ++count[server_of_path("/folder/" + std::to_string(i), count.size())];
  for (const int of_server : count) EXPECT_NEAR(of_server, 200, 60);
}

}  // namespace
}  // namespace laggard::lab::striped
