#include "cmd/new_profiles.h"

#include <array>
#include <memory>
#include <string_view>
#include <system_error>

#include "archive/reader.h"
#include "base/bytes.h"

namespace laggard::cmd {

namespace {

/// Of a period with its host and kind; words do not depend on the dictionary nor counts on their order.
std::uint64_t hash_of(const ProfileTable& table, std::size_t p) {
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
  return hash;
}

}  // namespace

Result<NewProfiles> NewProfiles::open(const std::filesystem::path& recording,
                                      const std::vector<std::string>& kinds, ObservationSink& sink) {
  NewProfiles profiles(sink);
  std::error_code unknown;
  if (!std::filesystem::exists(recording / "profiles", unknown)) return profiles;
  const std::array<std::filesystem::path, 1> paths{recording};
  Result<std::unique_ptr<archive::Reader>> source = archive::Reader::open(paths);
  if (!source) return forward(source);
  auto reader = (*source)->read_profiles({.from = {}, .to = {}, .kinds = kinds, .hosts = {}});
  if (!reader) return forward(reader);
  while (true) {
    auto table = (*reader)->next();
    if (!table) return forward(table);
    if (!*table) return profiles;
    for (std::size_t p = 0; p < (*table)->size(); ++p) ++profiles.known_[hash_of(**table, p)];
  }
}

Status NewProfiles::append(const ProfileTable& table) {
  if (known_.empty()) return sink_.append(table);
  std::vector<std::uint32_t> fresh;
  for (std::uint32_t p = 0; p < table.size(); ++p) {
    const auto known = known_.find(hash_of(table, p));
    if (known == known_.end() || known->second == 0) {
      fresh.push_back(p);
    } else {
      --known->second;
      ++already_there_;
    }
  }
  if (fresh.size() == table.size()) return sink_.append(table);
  ProfileTable rest(table.host(), table.kind());
  rest.set_boot(table.boot());
  rest.append_from(table, fresh);
  for (const Loss& loss : table.losses()) rest.add_loss(loss);
  return rest.empty() ? Status{} : sink_.append(rest);
}

}  // namespace laggard::cmd
