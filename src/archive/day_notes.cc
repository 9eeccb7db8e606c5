// What a day file holds besides samples: facts of devices and gaps, each row with a checksum of its own,
// since it has no block header to vouch for it.
#include "archive/day_file.h"
#include "archive/format.h"
#include "base/bytes.h"

namespace laggard::archive {

std::int64_t hash_of(const GapRow& gap) {
  ByteWriter bytes;
  bytes.zigzag(to_unix_ns(gap.first));
  bytes.zigzag(to_unix_ns(gap.last));
  bytes.varint(gap.lost);
  bytes.text(gap.reason);
  return static_cast<std::int64_t>(hash_bytes(bytes.str()));
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
      // What is damaged stays, so that it goes on being reported.
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
    // Counting on tells salvage which of two rows is the later one.
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
