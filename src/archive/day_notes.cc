// What a day file holds besides samples: facts of devices and gaps, each row with a checksum of its own,
// since it has no block header to vouch for it.
#include <array>

#include "archive/bytes.h"
#include "archive/day_file.h"

namespace laggard::archive {

std::int64_t hash_of(const FactKey& fact, std::string_view value) {
  ByteWriter bytes;
  bytes.text(fact.kind);
  bytes.text(fact.device);
  bytes.text(fact.key);
  bytes.text(value);
  return static_cast<std::int64_t>(hash_bytes(bytes.str()));
}

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

Status DayFile::set_fact(const FactKey& fact, const std::string& value) {
  const std::array sql{"DELETE FROM fact WHERE kind = ?1 AND device = ?2 AND key = ?3",
                       "INSERT INTO fact(kind, device, key, value, hash) VALUES(?1, ?2, ?3, ?4, ?5)"};
  for (std::size_t i = 0; i < sql.size(); ++i) {
    Result<Statement> statement = database_.prepare(sql[i]);
    if (!statement) return forward(statement);
    statement->bind(1, std::string_view(fact.kind))
        .bind(2, std::string_view(fact.device))
        .bind(3, std::string_view(fact.key));
    if (i == 1) statement->bind(4, std::string_view(value)).bind(5, hash_of(fact, value));
    if (Status run = statement->run(); !run) return run;
  }
  return {};
}

Result<Notes> DayFile::notes() {
  Notes notes;
  Result<Statement> gaps =
      database_.prepare("SELECT first, last, lost, reason, hash FROM gap ORDER BY rowid");
  if (!gaps) return forward(gaps);
  for (;;) {
    Result<bool> row = gaps->step();
    if (!row) return forward(row);
    if (!*row) break;
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
  Result<Statement> facts =
      database_.prepare("SELECT kind, device, key, value, hash FROM fact ORDER BY rowid");
  if (!facts) return forward(facts);
  for (;;) {
    Result<bool> row = facts->step();
    if (!row) return forward(row);
    if (!*row) return notes;
    const FactKey key{std::string(facts->bytes(0)), std::string(facts->bytes(1)),
                      std::string(facts->bytes(2))};
    std::string value{facts->bytes(3)};
    if (hash_of(key, value) == facts->integer(4)) {
      notes.facts[key] = std::move(value);
    } else {
      ++notes.damaged;
    }
  }
}

}  // namespace laggard::archive
