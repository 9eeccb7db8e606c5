#include "cmd/new_events.h"

#include <array>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "archive/reader.h"
#include "base/bytes.h"

namespace laggard::cmd {

namespace {

/// Of a number as one of an event's fields.
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

}  // namespace

Result<NewEvents> NewEvents::open(const std::filesystem::path& recording, const std::string& kind,
                                  ObservationSink& sink) {
  NewEvents events(sink);
  std::error_code unknown;
  if (!std::filesystem::exists(recording / "events", unknown)) return events;
  const std::array<std::filesystem::path, 1> paths{recording};
  Result<std::unique_ptr<archive::Reader>> source = archive::Reader::open(paths);
  if (!source) return forward(source);
  auto reader = (*source)->read_events({.from = {}, .to = {}, .kinds = {kind}, .hosts = {}});
  if (!reader) return forward(reader);
  while (true) {
    auto table = (*reader)->next();
    if (!table) return forward(table);
    if (!*table) return events;
    for (const std::uint64_t hash : hashes_of(**table)) ++events.known_[hash];
  }
}

Status NewEvents::append(const EventTable& table) {
  if (known_.empty()) return sink_.append(table);
  const std::vector<std::uint64_t> hashes = hashes_of(table);
  std::vector<std::uint32_t> fresh;
  for (std::uint32_t e = 0; e < hashes.size(); ++e) {
    const auto known = known_.find(hashes[e]);
    if (known == known_.end() || known->second == 0) {
      fresh.push_back(e);
    } else {
      --known->second;
      ++already_there_;
    }
  }
  if (fresh.size() == table.size()) return sink_.append(table);
  EventTable rest(table.host(), table.kind());
  rest.set_boot(table.boot());
  rest.append_from(table, fresh);
  for (const Loss& loss : table.losses()) rest.add_loss(loss);
  return rest.empty() ? Status{} : sink_.append(rest);
}

}  // namespace laggard::cmd
