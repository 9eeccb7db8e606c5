#include "cmd/new_events.h"

#include <array>
#include <functional>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "archive/reader.h"

namespace laggard::cmd {

namespace {

/// Spreads a hash over all bits (the finalizer of MurmurHash3), so that sums of hashes are hashes.
std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 33U;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33U;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33U);
}

std::uint64_t hash_of(std::string_view text) { return std::hash<std::string_view>{}(text); }

/// A hash of each event, which words do not depend on the dictionary nor attributes on their order.
std::vector<std::uint64_t> hashes_of(const EventTable& table) {
  const std::uint64_t host = mixed(hash_of(table.host()));
  const auto word = [&](Word w) { return w == kNoWord ? 1 : hash_of(table.words().text(w)); };
  std::vector<std::uint64_t> hashes(table.size());
  for (std::size_t e = 0; e < table.size(); ++e) {
    hashes[e] = host + mixed(static_cast<std::uint64_t>(to_unix_ns(table.times()[e])) + 1) +
                mixed(word(table.whats()[e]) + 2) + mixed(word(table.subjects()[e]) + 3) +
                mixed(static_cast<std::uint64_t>(table.durations()[e]) + 4);
  }
  for (const AttributeColumn& column : table.attributes()) {
    const std::uint64_t key = hash_of(column.key);
    for (std::size_t i = 0; i < column.events.size(); ++i) {
      const std::uint64_t bits = column.values[i];
      const bool is_word = column.form == AttributeForm::kWord;
      const std::uint64_t value = is_word ? word(Word{static_cast<std::uint32_t>(bits)}) : mixed(bits);
      hashes[column.events[i]] += mixed(key ^ (value + 5));
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
