#include "archive/notes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "archive/format.h"

namespace laggard::archive {
namespace {

using ::testing::SizeIs;

/// The facts of a server's disks: each has its own number, the rest is the same.
Facts disk_facts(std::size_t disks) {
  Facts facts;
  std::mt19937_64 random{1};
  for (std::size_t d = 0; d < disks; ++d) {
    const std::string device = fmt::format("sd{}", d);
    facts[{"disk", device, "model"}] = "ST4000NM0023";
    facts[{"disk", device, "rotational"}] = "1";
    facts[{"disk", device, "size"}] = "4000787030016";
    facts[{"disk", device, "wwn"}] = fmt::format("0x5000c500{:08x}", random() & 0xFFFFFFFFU);
  }
  return facts;
}

Facts unpack_all(const std::vector<std::string>& rows, ZstdCodec& codec) {
  Facts all;
  for (const std::string& row : rows) {
    const std::optional<Facts> some = unpack_facts(row, codec);
    EXPECT_TRUE(some);
    if (some) all.insert(some->begin(), some->end());
  }
  return all;
}

TEST(Facts, ManyDevicesTakeFewBytesInRowsOfAPageOrSo) {
  ZstdCodec codec;
  const Facts facts = disk_facts(1000);
  const std::vector<std::string> rows = pack_facts(facts, codec);
  std::size_t bytes = 0;
  for (const std::string& row : rows) {
    EXPECT_LT(row.size(), 2U * kPageBytes);
    bytes += row.size();
  }
  EXPECT_LT(bytes, 24U * 1000) << "bytes a disk";
  EXPECT_EQ(unpack_all(rows, codec), facts);
}

TEST(Facts, AnythingComesBack) {
  ZstdCodec codec;
  EXPECT_THAT(pack_facts({}, codec), SizeIs(0));
  Facts facts{{{"disk", "sda", "serial"}, ""},
              {{"net", "eth0", "address"}, std::string("\0\xFF", 2)},
              {{"a later kind", "x", "y"}, std::string(100'000, 'z')}};
  for (int i = 0; i < 900; ++i) facts[{"disk", "sdb", fmt::format("key {}", i)}] = std::string(20, 'v');
  EXPECT_EQ(unpack_all(pack_facts(facts, codec), codec), facts);
}

TEST(Facts, NoFlippedBitAndNoCutPasses) {
  ZstdCodec codec;
  const std::string row = pack_facts(disk_facts(3), codec).at(0);
  for (std::size_t bit = 0; bit < row.size() * 8; ++bit) {
    std::string bad = row;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(unpack_facts(bad, codec)) << bit;
  }
  for (std::size_t size = 0; size < row.size(); ++size) {
    EXPECT_FALSE(unpack_facts(std::string_view(row).substr(0, size), codec)) << size;
  }
}

}  // namespace
}  // namespace laggard::archive
