#include "lab/striped/name_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "testing/archive.h"

namespace laggard::lab::striped {
namespace {

using archive::testing::TempDir;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Names : public ::testing::Test {
 protected:
  std::unique_ptr<NameTable> open(std::size_t server = 3) {
    auto table = NameTable::open(folder_.path() / "names", server);
    EXPECT_TRUE(table.has_value());
    return std::move(*table);
  }
  TempDir folder_;
};

TEST_F(Names, AreMadeFoundListedAndDropped) {
  const auto names = open();
  const auto made = names->make("/x", Kind::kFolder);
  ASSERT_TRUE(made.has_value());
  ASSERT_TRUE(names->make("/x/a b", Kind::kFile).has_value());
  ASSERT_TRUE(names->make("/x/c", Kind::kFile).has_value());
  ASSERT_TRUE(names->make("/x/c/deep", Kind::kFile).has_value());
  ASSERT_TRUE(names->make("/xy", Kind::kFile).has_value());
  EXPECT_EQ(names->make("/x/c", Kind::kFolder).error(), EEXIST);
  EXPECT_THAT(names->list("/"), ElementsAre("x", "xy"));
  EXPECT_THAT(names->list("/x"), ElementsAre("a b", "c"));
  EXPECT_EQ(names->look("/x")->kind, Kind::kFolder);
  EXPECT_EQ(names->look("/x")->object, made->object);
  EXPECT_TRUE(names->drop("/x/c").has_value());
  EXPECT_EQ(names->drop("/x/c").error(), ENOENT);
  EXPECT_FALSE(names->look("/x/c").has_value());
}

TEST_F(Names, AreThereAfterARestartAndNumbersAreNotUsedTwice) {
  std::uint64_t first = 0;
  {
    const auto names = open();
    first = names->make("/a b", Kind::kFile)->object;
    ASSERT_TRUE(names->make("/gone", Kind::kFile).has_value());
    ASSERT_TRUE(names->drop("/gone").has_value());
  }
  std::ofstream(folder_.path() / "names", std::ios::app) << "+ 0 12 /torn";
  const auto names = open();
  EXPECT_THAT(names->list("/"), ElementsAre("a b"));
  EXPECT_EQ(names->look("/a b")->object, first);
  EXPECT_GT(names->make("/new", Kind::kFile)->object, first + 1);
}

TEST_F(Names, OfServersHaveObjectsOfTheirOwn) {
  TempDir other;
  const auto elsewhere = NameTable::open(other.path() / "names", 4);
  ASSERT_TRUE(elsewhere.has_value());
  EXPECT_NE(open()->make("/a", Kind::kFile)->object, (*elsewhere)->make("/b", Kind::kFile)->object);
}

TEST_F(Names, WithALineBreakAreRefused) {
  const auto names = open();
  EXPECT_EQ(names->make("/a\n- /b", Kind::kFile).error(), EINVAL);
  EXPECT_THAT(names->list("/"), IsEmpty());
}

}  // namespace
}  // namespace laggard::lab::striped
