#include "send/encode.h"

#include <gtest/gtest.h>
#include <snappy.h>

#include <bit>

namespace laggard::send {
namespace {

/// Takes protobuf's wire format apart by hand (https://protobuf.dev/programming-guides/encoding), so that the
/// test knows nothing of protoc.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}
  [[nodiscard]] bool done() const { return bytes_.empty(); }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; !bytes_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80U) return value;
    }
    ADD_FAILURE() << "the bytes end inside of a number";
    return value;
  }
  std::string_view bytes(std::uint64_t length) {
    const std::string_view taken = bytes_.substr(0, length);
    EXPECT_EQ(taken.size(), length);
    bytes_.remove_prefix(taken.size());
    return taken;
  }
  double fixed64() {
    std::uint64_t value = 0;
    const std::string_view taken = bytes(8);
    for (std::size_t i = 0; i < 8; ++i)
      value |= std::uint64_t{static_cast<unsigned char>(taken[i])} << (8 * i);
    return std::bit_cast<double>(value);
  }

 private:
  std::string_view bytes_;
};

constexpr std::uint64_t tag(std::uint64_t field, std::uint64_t type) { return field << 3U | type; }
constexpr std::uint64_t kVarint = 0;
constexpr std::uint64_t kFixed64 = 1;
constexpr std::uint64_t kBytes = 2;

TEST(Encode, IsAWriteRequestInSnappy) {
  const Labels labels{{"__name__", "node_disk_io_now"}, {"device", "sda"}, {"instance", "fs1"}};
  const std::vector<Sample> samples{{1'795'202'494'842, 3}, {1'795'202'495'842, -0.5}};
  const Batch batch{{.stream = {"fs1", DeviceKind::kDisk},
                     .parts = {{&labels, samples}},
                     .samples = 2,
                     .complete_to_ms = 1'795'202'495'842}};
  Encoder encoder;
  std::string plain;
  for (int again = 0; again < 2; ++again) {
    const std::string packed = encoder.encode(batch);
    ASSERT_TRUE(snappy::Uncompress(packed.data(), packed.size(), &plain));
  }

  WireReader request(plain);
  ASSERT_EQ(request.varint(), tag(1, kBytes));
  WireReader series(request.bytes(request.varint()));
  EXPECT_TRUE(request.done());
  for (const auto& [name, value] : labels) {
    ASSERT_EQ(series.varint(), tag(1, kBytes));
    WireReader label(series.bytes(series.varint()));
    ASSERT_EQ(label.varint(), tag(1, kBytes));
    EXPECT_EQ(label.bytes(label.varint()), name);
    ASSERT_EQ(label.varint(), tag(2, kBytes));
    EXPECT_EQ(label.bytes(label.varint()), value);
    EXPECT_TRUE(label.done());
  }
  for (const Sample& sample : samples) {
    ASSERT_EQ(series.varint(), tag(2, kBytes));
    WireReader sent(series.bytes(series.varint()));
    ASSERT_EQ(sent.varint(), tag(1, kFixed64));
    EXPECT_EQ(sent.fixed64(), sample.value);
    ASSERT_EQ(sent.varint(), tag(2, kVarint));
    EXPECT_EQ(static_cast<std::int64_t>(sent.varint()), sample.ms);
    EXPECT_TRUE(sent.done());
  }
  EXPECT_TRUE(series.done());
}

}  // namespace
}  // namespace laggard::send
