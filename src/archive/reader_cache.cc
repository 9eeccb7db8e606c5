#include "archive/reader_cache.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "archive/cached_files.h"

namespace laggard::archive {

ReaderCache::ReaderCache() : content_(std::make_unique<Content>()) {}
ReaderCache::~ReaderCache() = default;

std::optional<FileStamp> stamp_of_plain(const std::filesystem::path& path) {
  const std::optional<FileStamp> stamp = stamp_of(path);
  const bool plain = stamp && !file_at(path.string() + "-wal") && !file_at(path.string() + "-journal");
  return plain ? stamp : std::nullopt;
}

const CachedFile* ReaderCache::Content::finished(const std::filesystem::path& path) {
  const auto known = files.find(path.string());
  if (known == files.end() || !known->second.finished) return nullptr;
  if (stamp_of_plain(path) != known->second.finished) {
    files.erase(known);
    return nullptr;
  }
  known->second.listing = listing;
  return &known->second;
}

CachedFile& ReaderCache::Content::file(const std::filesystem::path& path) {
  CachedFile& file = files[path.string()];
  file.listing = listing;
  return file;
}

void ReaderCache::Content::end_listing() {
  std::erase_if(files, [&](const auto& entry) { return entry.second.listing != listing; });
  std::set<std::string_view> there;
  for (const auto& [path, file] : files) there.insert(file.source.host);
  std::erase_if(hosts, [&](const auto& entry) { return !there.contains(entry.first); });
  ++listing;
}

void ListedRows::append(std::vector<BlockRow> rows) {
  constexpr std::size_t kNewest = 64;
  count += rows.size();
  newest.insert(newest.end(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
  std::set<std::string_view> kinds;
  std::size_t first = newest.size();  // Of those that stay.
  for (std::size_t i = newest.size(); i > 0; --i) {
    if (!extent) extent = TimeSpan{newest[i - 1].earliest, newest[i - 1].latest};
    extent->from = std::min(extent->from, newest[i - 1].earliest);
    extent->to = std::max(extent->to, newest[i - 1].latest);
    if (kinds.insert(newest[i - 1].kind).second || newest.size() - i < kNewest) first = i - 1;
  }
  for (std::size_t i = 0; i < first; ++i) rest_until = std::max(rest_until, newest[i].latest);
  newest.erase(newest.begin(), newest.begin() + static_cast<std::ptrdiff_t>(first));
}

}  // namespace laggard::archive
