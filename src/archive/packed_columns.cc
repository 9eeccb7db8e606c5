#include "archive/packed_columns.h"

#include <array>
#include <span>
#include <vector>

#include "archive/format.h"
#include "archive/streams.h"

namespace laggard::archive {

namespace {

constexpr std::uint8_t kExtraIsCompressed = 1;

}  // namespace

std::string pack_columns(ColumnSink& sink, bool brief, ZstdCodec& codec) {
  const StreamMap map = brief ? StreamMap{} : choose_streams(sink.tokens, sink.buckets);
  std::vector<std::string> streams(count_streams(map));
  for (std::size_t i = 0; i < sink.tokens.size(); ++i) {
    streams[map[static_cast<std::uint8_t>(sink.buckets[i])]].push_back(sink.tokens[i]);
  }
  std::vector<std::string_view> parts{sink.head.str()};
  parts.insert(parts.end(), streams.begin(), streams.end());
  const std::string packed = codec.compress(parts);
  const std::string extra = sink.extra.take();
  const std::string squeezed = codec.compress(std::span<const std::string_view>{{std::string_view(extra)}});
  const bool pays = squeezed.size() + 4 < extra.size() - extra.size() / 64;

  ByteWriter out;
  out.u8(pays ? kExtraIsCompressed : 0);
  out.u8(static_cast<std::uint8_t>(streams.size()));
  if (streams.size() > 1) {
    for (const std::uint8_t stream : map) out.u8(stream);
  }
  out.varint(sink.head.str().size());
  for (const std::string& stream : streams) out.varint(stream.size());
  out.varint(packed.size());
  out.varint(extra.size());
  out.raw(packed);
  out.raw(pays ? squeezed : extra);
  return out.take();
}

bool PackedColumns::open(std::string_view bytes, const Limits& limits, ZstdCodec& codec) {
  ByteReader in{bytes};
  const std::uint8_t flags = in.u8();
  const std::size_t streams = in.u8();
  if (flags > kExtraIsCompressed || streams == 0 || streams > kBuckets) return false;
  StreamMap map{};
  if (streams > 1) {
    for (std::uint8_t& stream : map) {
      stream = in.u8();
      if (stream >= streams) return false;
    }
  }
  const std::size_t head_size = in.count(limits.head_bytes);
  std::array<std::size_t, kBuckets> stream_sizes{};
  std::size_t packed_size = head_size;
  for (std::size_t s = 0; s < streams; ++s) packed_size += stream_sizes[s] = in.count(limits.values);
  const std::size_t size = in.count(in.rest().size());
  extra_size_ = in.count(limits.values * 8);
  const std::string_view packed = in.take(size);
  if (!in.ok() || !codec.decompress(packed, packed_size, packed_)) return false;
  if (!open_extra(in.rest(), flags == kExtraIsCompressed, codec)) return false;

  std::string_view rest = packed_;
  head_ = ByteReader{rest.substr(0, head_size)};
  rest.remove_prefix(head_size);
  std::array<std::string_view, kBuckets> tokens;
  for (std::size_t s = 0; s < streams; ++s) {
    tokens[s] = rest.substr(0, stream_sizes[s]);
    rest.remove_prefix(stream_sizes[s]);
  }
  tokens_ = TokenReader{std::span(tokens).subspan(0, streams), map,
                        std::string_view(extra_).substr(0, extra_size_)};
  return true;
}

bool PackedColumns::open_extra(std::string_view bytes, bool compressed, ZstdCodec& codec) {
  if (compressed) return codec.decompress(bytes, extra_size_, extra_, TokenReader::kSlack);
  if (bytes.size() != extra_size_) return false;
  extra_.assign(bytes);
  extra_.append(TokenReader::kSlack, '\0');
  return true;
}

}  // namespace laggard::archive
