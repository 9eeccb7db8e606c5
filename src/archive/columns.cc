/// A header of columns on disk:
///   "LGC1" | xxh3-64 of the rest | size | zstd of:
///   stream host kind boot earliest latest rows first_number losses lost words n { name form values xxh3-64
///   bytes }
#include "archive/columns.h"

#include <algorithm>

#include "archive/packed_columns.h"
#include "archive/zstd_codec.h"
#include "base/bytes.h"

namespace laggard::archive {

namespace {

constexpr std::size_t kColumnHeadBytes = 80;
constexpr std::string_view kWordsName = "words";

std::string encode_words(const Dictionary& words, std::size_t& bytes, ZstdCodec& codec) {
  ByteWriter out;
  for (std::uint32_t word = 0; word < words.size(); ++word) out.text(words.text(Word{word}));
  bytes = out.str().size();
  return codec.compress(out.str());
}

std::string encode_values(const Column& column, bool brief, ColumnEncoder& encoder, ZstdCodec& codec) {
  ColumnSink sink;
  const ColumnKind kind = column.form == ColumnForm::kReals ? ColumnKind::kReals : ColumnKind::kCounter;
  if (!column.values.empty()) encoder.encode(column.values, kind, {}, sink);
  return pack_columns(sink, brief, codec);
}

/// Bounds how much memory a header can make a reader use.
bool is_within_limits(const ColumnsHeader& header) {
  std::size_t values = 0;
  for (const ColumnInfo& column : header.columns) {
    if (column.form == ColumnForm::kText) continue;
    if (column.values > kMaxCells) return false;
    values += column.values;
  }
  return values <= kMaxCells;
}

bool has_words_first(const ColumnsHeader& header) {
  if (header.columns.empty() || header.columns[0].form != ColumnForm::kText) return false;
  return std::ranges::count(header.columns, ColumnForm::kText, &ColumnInfo::form) == 1 &&
         header.columns[0].values <= Dictionary::kMostBytes + 2 * Dictionary::kMostWords;
}

void read_columns(ByteReader& in, ColumnsHeader& header) {
  header.columns.resize(in.count(kMaxColumns));
  for (ColumnInfo& column : header.columns) {
    column.name = in.text(kMaxNameBytes + 1);
    const std::uint8_t form = in.u8();
    if (form > static_cast<std::uint8_t>(ColumnForm::kWords)) in.fail();
    column.form = static_cast<ColumnForm>(form);
    column.values = in.count(kMaxCells);
    column.hash = in.u64();
    column.bytes = static_cast<std::uint32_t>(in.count(UINT32_MAX));
  }
}

Result<std::string_view> sound_chunk(const ColumnSource& chunks, const ColumnsHeader& header, std::size_t c,
                                     std::string_view where) {
  Result<std::string_view> bytes = chunks(c);
  if (!bytes && bytes.error().code != ErrorCode::kDamaged) return bytes;
  const ColumnInfo& column = header.columns[c];
  if (bytes && bytes->size() == column.bytes && checksum(*bytes) == column.hash) return bytes;
  return fail(ErrorCode::kDamaged, fmt::format("{}: {}", where, describe(header)),
              fmt::format("'{}' is damaged: {}", column.name,
                          bytes ? "its checksum does not hold" : bytes.error().what));
}

tl::unexpected<Error> senseless(const ColumnsHeader& header, std::size_t c, std::string_view where) {
  return fail(ErrorCode::kDamaged, fmt::format("{}: {}", where, describe(header)),
              fmt::format("'{}' is damaged: it makes no sense", header.columns[c].name));
}

bool decode_values(std::string_view bytes, const ColumnInfo& info, std::size_t words, Column& column,
                   ZstdCodec& codec) {
  PackedColumns packed;
  if (!packed.open(bytes, {.head_bytes = kColumnHeadBytes, .values = info.values}, codec)) return false;
  column.values.resize(info.values);
  HintSource no_hints;
  if (info.values > 0 && !decode_column(packed.head(), packed.tokens(), no_hints, column.values))
    return false;
  if (!packed.at_end()) return false;
  return info.form != ColumnForm::kWords || std::ranges::all_of(column.values, [&](std::uint64_t word) {
           return word < words || word == kNoWord.value;
         });
}

}  // namespace

std::string describe(const ColumnsHeader& header) {
  return fmt::format("{} of kind {} of {} from {} to {}", folder_of(header.stream), header.kind, header.host,
                     to_iso8601(header.earliest), to_iso8601(header.latest));
}

std::string encode_columns_header(const ColumnsHeader& header, ZstdCodec& codec) {
  ByteWriter out;
  out.u8(static_cast<std::uint8_t>(header.stream));
  out.text(header.host);
  out.text(header.kind);
  out.text(header.boot);
  out.zigzag(to_unix_ns(header.earliest));
  out.zigzag(to_unix_ns(header.latest));
  out.varint(header.rows);
  out.varint(header.first_number);
  out.varint(header.losses);
  out.varint(header.lost);
  out.varint(header.words);
  out.varint(header.columns.size());
  for (const ColumnInfo& column : header.columns) {
    out.text(column.name);
    out.u8(static_cast<std::uint8_t>(column.form));
    out.varint(column.values);
    out.u64(column.hash);
    out.varint(column.bytes);
  }
  return seal(kColumnsMagic, out.str(), codec);
}

Result<ColumnsHeader> decode_columns_header(std::string_view bytes, std::string_view where,
                                            ZstdCodec& codec) {
  Result<std::string> raw = unseal(kColumnsMagic, bytes, where, codec);
  if (!raw) return forward(raw);
  ColumnsHeader header;
  ByteReader in{*raw};
  const std::uint8_t stream = in.u8();
  if (stream != static_cast<std::uint8_t>(Stream::kEvents) &&
      stream != static_cast<std::uint8_t>(Stream::kProfiles))
    in.fail();
  header.stream = static_cast<Stream>(stream);
  header.host = in.text(kMaxNameBytes);
  header.kind = in.text(kMaxNameBytes);
  header.boot = in.text(kMaxNameBytes);
  header.earliest = from_unix_ns(in.zigzag());
  header.latest = from_unix_ns(in.zigzag());
  header.rows = in.count(kMaxRows);
  header.first_number = in.varint();
  header.losses = in.count(kMaxCells);
  header.lost = in.varint();
  header.words = in.count(Dictionary::kMostWords);
  read_columns(in, header);
  if (!in.ok() || !in.rest().empty() || header.earliest > header.latest || !has_words_first(header) ||
      !is_within_limits(header)) {
    return fail(ErrorCode::kDamaged, std::string(where), "damaged block header: its fields do not add up");
  }
  return header;
}

ColumnsBlock encode_columns(Columns columns, ZstdCodec& codec) {
  LAGGARD_CHECK(columns.header.rows <= kMaxRows && columns.columns.size() < kMaxColumns);
  ColumnsBlock block{.header = std::move(columns.header), .chunks = {}};
  block.header.words = columns.words.size();
  block.header.columns.clear();
  const auto add = [&](ColumnInfo info, std::string chunk) {
    info.hash = checksum(chunk);
    info.bytes = static_cast<std::uint32_t>(chunk.size());
    block.header.columns.push_back(std::move(info));
    block.chunks.push_back(std::move(chunk));
  };
  std::size_t text_bytes = 0;
  std::string text = encode_words(columns.words, text_bytes, codec);
  add({.name = std::string(kWordsName), .form = ColumnForm::kText, .values = text_bytes}, std::move(text));
  const bool brief = block.header.rows < kSettledSamples;
  ColumnEncoder encoder;
  for (const Column& column : columns.columns) {
    add({.name = column.name, .form = column.form, .values = column.values.size()},
        encode_values(column, brief, encoder, codec));
  }
  LAGGARD_CHECK(is_within_limits(block.header));
  return block;
}

Result<Dictionary> decode_words(const ColumnSource& chunks, const ColumnsHeader& header,
                                std::string_view where, ZstdCodec& codec) {
  Result<std::string_view> bytes = sound_chunk(chunks, header, 0, where);
  if (!bytes) return forward(bytes);
  std::string raw;
  if (!codec.decompress(*bytes, header.columns[0].values, raw)) return senseless(header, 0, where);
  Dictionary words;
  ByteReader in{raw};
  for (std::uint32_t word = 0; word < header.words && in.ok(); ++word) {
    // A repeated word would change the numbers of those after it.
    if (words.intern(in.text(Dictionary::kLongestWord)) != Word{word}) in.fail();
  }
  if (!in.ok() || !in.rest().empty()) return senseless(header, 0, where);
  return words;
}

Result<DecodedColumns> decode_columns(const ColumnSource& chunks, const ColumnsHeader& header,
                                      std::string_view where, ZstdCodec& codec) {
  Result<Dictionary> words = decode_words(chunks, header, where, codec);
  if (!words) return forward(words);
  DecodedColumns decoded;
  decoded.columns.header = header;
  decoded.columns.words = std::move(*words);
  for (std::size_t c = 1; c < header.columns.size(); ++c) {
    const ColumnInfo& info = header.columns[c];
    Result<std::string_view> bytes = sound_chunk(chunks, header, c, where);
    if (!bytes && bytes.error().code != ErrorCode::kDamaged) return forward(bytes);
    if (!bytes) {
      decoded.damage.push_back(bytes.error());
      continue;
    }
    Column column{.name = info.name, .form = info.form, .values = {}};
    if (decode_values(*bytes, info, decoded.columns.words.size(), column, codec)) {
      decoded.columns.columns.push_back(std::move(column));
    } else {
      decoded.damage.push_back(senseless(header, c, where).value());
    }
  }
  return decoded;
}

}  // namespace laggard::archive
