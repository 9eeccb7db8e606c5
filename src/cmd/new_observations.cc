#include "cmd/new_observations.h"

#include <array>
#include <memory>
#include <string_view>
#include <system_error>

#include "archive/reader.h"
#include "base/bytes.h"

namespace laggard::cmd {

namespace {

/// Of a number as one field of an observation.
std::uint64_t hash_of(std::uint64_t number, std::uint64_t field) {
  return checksum({reinterpret_cast<const char*>(&number), sizeof number}, field);
}

/// A hash of each event, which words do not depend on the dictionary nor attributes on their order.
std::vector<std::uint64_t> hashes_of(const EventTable& table) {
  enum Field : std::uint64_t { kHost, kTime, kWhat, kSubject, kDuration };
  const std::uint64_t host = checksum(table.host(), kHost);
  const auto word = [&](Word w, std::uint64_t field) {
    return w == kNoWord ? hash_of(0, field) : checksum(table.words().text(w), field);
  };
  std::vector<std::uint64_t> hashes(table.size());
  for (std::size_t e = 0; e < table.size(); ++e) {
    hashes[e] = host + hash_of(static_cast<std::uint64_t>(to_unix_ns(table.times()[e])), kTime) +
                word(table.whats()[e], kWhat) + word(table.subjects()[e], kSubject) +
                hash_of(static_cast<std::uint64_t>(table.durations()[e]), kDuration);
  }
  for (const AttributeColumn& column : table.attributes()) {
    const std::uint64_t key = checksum(column.key);
    for (std::size_t i = 0; i < column.events.size(); ++i) {
      const std::uint64_t bits = column.values[i];
      const bool is_word = column.form == AttributeForm::kWord;
      hashes[column.events[i]] +=
          is_word ? word(Word{static_cast<std::uint32_t>(bits)}, key) : hash_of(bits, key);
    }
  }
  return hashes;
}

/// A hash of each period, with its host and kind; words do not depend on the dictionary nor counts on their
/// order.
std::vector<std::uint64_t> hashes_of(const ProfileTable& table) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(table.size());
  for (std::size_t p = 0; p < table.size(); ++p) {
    const ProfileTable::Period& period = table.periods()[p];
    ByteWriter bytes;
    bytes.text(table.host());
    bytes.text(table.kind());
    bytes.u64(static_cast<std::uint64_t>(to_unix_ns(period.start)));
    bytes.u64(static_cast<std::uint64_t>(period.length.count()));
    bytes.u64(static_cast<std::uint64_t>(period.each.count()));
    bytes.text(period.subject == kNoWord ? std::string_view() : table.words().text(period.subject));
    std::uint64_t hash = checksum(bytes.str());
    for (std::size_t i = 0; i < table.seen(p).size(); ++i) {
      hash += checksum(table.words().text(table.seen(p)[i]), table.counts(p)[i]);
    }
    hashes.push_back(hash);
  }
  return hashes;
}

}  // namespace

template <typename Table>
Status NewObservations::note_all(ObservationReader<Table>& reader) {
  for (;;) {
    auto table = reader.next();
    if (!table) return forward(table);
    if (!*table) return {};
    for (const std::uint64_t hash : hashes_of(**table)) ++known_[hash];
  }
}

Result<NewObservations> NewObservations::open(const std::filesystem::path& recording, ObservationShape shape,
                                              const std::vector<std::string>& kinds, ObservationSink& sink) {
  NewObservations observations(sink);
  const bool events = shape == ObservationShape::kEvents;
  std::error_code unknown;
  if (!std::filesystem::exists(recording / (events ? "events" : "profiles"), unknown)) return observations;
  const std::array<std::filesystem::path, 1> paths{recording};
  Result<std::unique_ptr<archive::Reader>> source = archive::Reader::open(paths);
  if (!source) return forward(source);
  const ObservationRequest request{.from = {}, .to = {}, .kinds = kinds, .hosts = {}};
  const auto note = [&](auto reader) -> Status {
    if (!reader) return forward(reader);
    return observations.note_all(**reader);
  };
  Status noted = events ? note((*source)->read_events(request)) : note((*source)->read_profiles(request));
  if (!noted) return forward(noted);
  return observations;
}

template <typename Table>
Status NewObservations::append_new(const Table& table) {
  if (known_.empty()) return sink_.append(table);
  const std::vector<std::uint64_t> hashes = hashes_of(table);
  std::vector<std::uint32_t> fresh;
  for (std::uint32_t row = 0; row < hashes.size(); ++row) {
    const auto known = known_.find(hashes[row]);
    if (known == known_.end() || known->second == 0) {
      fresh.push_back(row);
    } else {
      --known->second;
      ++already_there_;
    }
  }
  if (fresh.size() == table.size()) return sink_.append(table);
  Table rest(table.host(), table.kind());
  rest.set_boot(table.boot());
  rest.append_from(table, fresh);
  for (const Loss& loss : table.losses()) rest.add_loss(loss);
  return rest.empty() ? Status{} : sink_.append(rest);
}

}  // namespace laggard::cmd
