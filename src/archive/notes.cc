#include "archive/notes.h"

#include "archive/day_file.h"
#include "archive/format.h"
#include "archive/zstd_codec.h"
#include "base/bytes.h"

// What a day file holds besides blocks: facts about devices, and gaps. Each row has its own checksum, since
// it has no block header to vouch for it. A row of facts on disk:
//   "LGF1" | xxh3-64 of the rest | size | zstd of: { kind, device, n { key, value } }, to the end

namespace laggard::archive {

namespace {

/// The size of a row before compression. Names and keys are repetitive, so it then takes about a page
/// (kPageBytes).
constexpr std::size_t kRowBytes = 4096;

}  // namespace

std::vector<std::string> pack_facts(const Facts& facts, ZstdCodec& codec) {
  std::vector<std::string> rows;
  ByteWriter raw;
  for (auto at = facts.begin(); at != facts.end();) {
    ByteWriter device;
    std::uint64_t keys = 0;
    const FactKey& first = at->first;
    for (; at != facts.end() && at->first.kind == first.kind && at->first.device == first.device; ++at) {
      if (keys > 0 && device.str().size() + at->second.size() > kRowBytes) break;
      device.text(at->first.key);
      device.text(at->second);
      ++keys;
    }
    if (!raw.str().empty() && raw.str().size() + device.str().size() > kRowBytes) {
      rows.push_back(seal(kFactMagic, raw.str(), codec));
      raw = ByteWriter{};
    }
    raw.text(first.kind);
    raw.text(first.device);
    raw.varint(keys);
    raw.raw(device.str());
  }
  if (!raw.str().empty()) rows.push_back(seal(kFactMagic, raw.str(), codec));
  return rows;
}

std::optional<Facts> unpack_facts(std::string_view row, ZstdCodec& codec) {
  const Result<std::string> raw = unseal(kFactMagic, row, "", codec);
  if (!raw) return std::nullopt;
  Facts facts;
  ByteReader in{*raw};
  while (in.ok() && !in.rest().empty()) {
    FactKey fact{.kind = std::string(in.text(kMaxNameBytes)),
                 .device = std::string(in.text(kMaxNameBytes)),
                 .key = {}};
    for (std::size_t left = in.count(in.rest().size()); in.ok() && left > 0; --left) {
      fact.key = in.text(kMaxNameBytes);
      facts[fact] = in.text(in.rest().size());
    }
  }
  if (!in.ok()) return std::nullopt;
  return facts;
}

std::int64_t hash_of(const GapRow& gap) {
  ByteWriter bytes;
  bytes.zigzag(to_unix_ns(gap.first));
  bytes.zigzag(to_unix_ns(gap.last));
  bytes.varint(gap.lost);
  bytes.text(gap.reason);
  return static_cast<std::int64_t>(checksum(bytes.str()));
}

Status DayFile::add_gap(const GapRow& gap) {
  Result<Statement> insert =
      database_.prepare("INSERT INTO gap(first, last, lost, reason, hash) VALUES(?1, ?2, ?3, ?4, ?5)");
  if (!insert) return forward(insert);
  return insert->bind(1, to_unix_ns(gap.first))
      .bind(2, to_unix_ns(gap.last))
      .bind(3, static_cast<std::int64_t>(gap.lost))
      .bind(4, std::string_view(gap.reason))
      .bind(5, hash_of(gap))
      .run();
}

Status DayFile::replace_facts(const Facts& facts, ZstdCodec& codec) {
  facts_changed_ = true;
  std::int64_t last = 0;
  std::vector<std::int64_t> readable;
  {
    Result<Statement> select = database_.prepare("SELECT rowid, data FROM fact ORDER BY rowid");
    if (!select) return forward(select);
    for (;;) {
      Result<bool> row = select->step();
      if (!row) return forward(row);
      if (!*row) break;
      last = select->integer(0);
      // A damaged row stays, so that it continues to be reported.
      if (unpack_facts(select->bytes(1), codec)) readable.push_back(last);
    }
  }
  Result<Statement> remove = database_.prepare("DELETE FROM fact WHERE rowid = ?1");
  if (!remove) return forward(remove);
  for (const std::int64_t id : readable) {
    if (Status removed = remove->bind(1, id).run(); !removed) return removed;
  }
  Result<Statement> insert = database_.prepare("INSERT INTO fact(rowid, data) VALUES(?1, ?2)");
  if (!insert) return forward(insert);
  for (const std::string& packed : pack_facts(facts, codec)) {
    // Increasing row numbers tell salvage which of two rows is the later one.
    if (Status put = insert->bind(1, ++last).bind_bytes(2, packed).run(); !put) return put;
  }
  return {};
}

Result<Notes> DayFile::notes(ZstdCodec& codec) {
  Notes notes;
  Status read = in_one_state([&] {
    Status gaps = read_gaps(notes);
    return gaps ? read_facts(notes, codec) : gaps;
  });
  if (!read) return forward(read);
  return notes;
}

/// Gaps are only ever added, and facts are replaced by rows with higher numbers.
Result<std::array<std::int64_t, 2>> DayFile::notes_mark() {
  Result<std::int64_t> gap = database_.number("SELECT max(rowid) FROM gap");
  if (!gap) return forward(gap);
  Result<std::int64_t> fact = database_.number("SELECT max(rowid) FROM fact");
  if (!fact) return forward(fact);
  return std::array{*gap, *fact};
}

Status DayFile::read_gaps(Notes& notes) {
  Result<Statement> gaps =
      database_.prepare("SELECT first, last, lost, reason, hash FROM gap ORDER BY rowid");
  if (!gaps) return forward(gaps);
  for (;;) {
    Result<bool> row = gaps->step();
    if (!row) return forward(row);
    if (!*row) return {};
    GapRow gap{.first = from_unix_ns(gaps->integer(0)),
               .last = from_unix_ns(gaps->integer(1)),
               .lost = static_cast<std::uint64_t>(gaps->integer(2)),
               .reason = std::string(gaps->bytes(3))};
    if (hash_of(gap) == gaps->integer(4)) {
      notes.gaps.push_back(std::move(gap));
    } else {
      ++notes.damaged;
    }
  }
}

Status DayFile::read_facts(Notes& notes, ZstdCodec& codec) {
  Result<std::string> count = meta(kFactCountKey);
  if (!count) return forward(count);
  Result<Statement> facts = database_.prepare("SELECT data FROM fact ORDER BY rowid");
  if (!facts) return forward(facts);
  std::size_t rows = 0;
  for (;; ++rows) {
    Result<bool> row = facts->step();
    if (!row) return forward(row);
    if (!*row) break;
    const std::optional<Facts> some = unpack_facts(facts->bytes(0), codec);
    if (!some) ++notes.damaged;
    if (!some) continue;
    for (const auto& [key, value] : *some) notes.facts[key] = value;
  }
  if (*count != std::to_string(rows)) ++notes.damaged;
  return {};
}

}  // namespace laggard::archive
