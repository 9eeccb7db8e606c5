#include <algorithm>
#include <map>
#include <utility>

#include "archive/block.h"
#include "archive/cached_files.h"
#include "archive/file_set_readers.h"
#include "archive/host_inventory.h"
#include "base/bytes.h"
#include "base/text.h"

namespace laggard::archive {

namespace {

class InventoryTaker {
 public:
  InventoryTaker(FileSet& files, bool verify) : files_(files), verify_(verify) {}

  /// \param begin, end  the host's files.
  Status add_host(std::size_t begin, std::size_t end) {
    const std::string& host = files_.files()[begin].host;
    if (files_.cache() != nullptr) return add_to_cached(host, begin, end);
    Result<bool> sound = add_files(begin, end, read_[host]);
    return sound ? Status{} : forward(sound);
  }

  Inventory finish() {
    Inventory inventory;
    std::map<std::string, const HostInventory*> hosts = cached_;
    for (const auto& [name, host] : read_) hosts[name] = &host;
    std::vector<std::string> names;
    for (const auto& [name, host] : hosts) {
      names.push_back(name);
      host->add_gaps(name, inventory.gaps);
      host->add_clock_steps(name, inventory.clock_steps);
      for (const TimeSpan& span : host->disorder()) files_.add_disorder(span);
    }
    std::ranges::sort(names, natural_less);
    for (const std::string& name : names) {
      const auto read = read_.find(name);
      if (read == read_.end()) {
        hosts[name]->add_to(inventory.devices);
      } else {
        std::move(read->second).add_to(inventory.devices);
      }
    }
    inventory.notices = files_.notices();
    inventory.damaged.assign(files_.damaged().begin(), files_.damaged().end());
    return inventory;
  }

 private:
  /// \return whether nothing was wrong with them.
  Result<bool> add_files(std::size_t begin, std::size_t end, HostInventory& host) {
    const std::size_t notices = files_.notices().size();
    for (std::size_t i = begin; i < end; ++i) {
      Result<std::vector<BlockRow>> rows = files_.rows(i);
      if (!rows) return forward(rows);
      for (const BlockRow& row : *rows) {
        if (Status added = add_block(i, row, host); !added) return forward(added);
      }
      if (Status noted = add_notes(i, host); !noted) return forward(noted);
      files_.close(i);
    }
    return files_.notices().size() == notices;
  }

  Status add_block(std::size_t index, const BlockRow& row, HostInventory& host) {
    Result<BlockHeader> header = files_.header(index, row);
    if (!header && header.error().code != ErrorCode::kDamaged) return forward(header);
    if (!header) {
      note_damage(host, index, row, header.error());
      return {};
    }
    host.add_block(*header);
    return verify_ ? verify_block(host, index, row, *header) : Status{};
  }

  Status add_notes(std::size_t index, HostInventory& host) {
    Result<DayFile*> file = files_.open(index);
    if (!file) return forward(file);
    const std::filesystem::path& path = files_.files()[index].path;
    Result<Notes> notes = (*file)->notes(files_.codec());
    if (!notes && notes.error().code != ErrorCode::kDamaged) return forward(notes);
    if (!notes) {
      files_.damage(path, notes.error().message());
      return {};
    }
    if (notes->damaged > 0) {
      files_.damage(path, fmt::format("{}: facts of devices or gaps are lost: {} rows are gone or damaged",
                                      path.string(), notes->damaged));
    }
    host.add_notes(*notes);
    return {};
  }

  void note_damage(HostInventory& host, std::size_t index, const BlockRow& row, const Error& error) {
    files_.damage(files_.files()[index].path, error.message());
    host.add_reason(
        {.first = row.earliest, .last = row.latest, .lost = row.samples, .reason = "damaged block"});
  }

  Status verify_block(HostInventory& host, std::size_t index, const BlockRow& row,
                      const BlockHeader& header) {
    Result<DayFile*> file = files_.open(index);
    if (!file) return forward(file);
    for (std::size_t c = 0; c < header.counters.size(); ++c) {
      const BlockCounter& counter = header.counters[c];
      Result<std::string_view> bytes = (*file)->chunk(row.id, c);
      if (!bytes && bytes.error().code != ErrorCode::kDamaged) return forward(bytes);
      if (bytes && bytes->size() == counter.bytes && checksum(*bytes) == counter.hash) continue;
      note_damage(
          host, index, row,
          {.code = ErrorCode::kDamaged,
           .where = files_.files()[index].path.string(),
           .what = fmt::format("{} of {} samples of {} from {} to {} is lost: {}", counter.counter.name,
                               row.kind, header.host, to_iso8601(row.earliest), to_iso8601(row.latest),
                               bytes ? "its checksum does not hold" : bytes.error().what)});
    }
    return {};
  }

  /// Goes on where the reader before left off: with the finished files that it did not know, and with the
  /// blocks that have come since into the host's last one. Of a host with anything wrong nothing is
  /// remembered.
  Status add_to_cached(const std::string& host, std::size_t begin, std::size_t end) {
    CachedHost& cached = files_.cache()->content().hosts[host];
    if (!begins_with(begin, end, cached)) cached = {};
    std::size_t at = begin + cached.folded.size();
    for (; at + 1 < end && files_.files()[at].finished; ++at) {
      cached.last.reset();
      Result<bool> sound = add_files(at, at + 1, cached.before);
      if (!sound || !*sound) {
        read_[host] = std::exchange(cached, {}).before;
        if (sound) sound = add_files(at + 1, end, read_[host]);
        return sound ? Status{} : forward(sound);
      }
      files_.remember(at);
      files_.close_now(at);  // Most of a long recording: many, and hardly read again.
      cached.folded.emplace_back(files_.files()[at].path.string(), *files_.files()[at].finished);
    }
    if (at + 1 == end) return add_last(host, at, cached);
    cached.last.reset();
    HostInventory& inventory = read_[host];
    inventory = cached.before;
    Result<bool> sound = add_files(at, end, inventory);
    return sound ? Status{} : forward(sound);
  }

  /// Whether the host's files, but for the last one, begin with those that have been folded.
  [[nodiscard]] bool begins_with(std::size_t begin, std::size_t end, const CachedHost& cached) const {
    if (cached.folded.size() >= end - begin) return false;
    return std::ranges::equal(std::span(files_.files()).subspan(begin, cached.folded.size()), cached.folded,
                              [](const SourceFile& file, const auto& folded) {
                                return file.path == folded.first && file.finished == folded.second;
                              });
  }

  /// The host's last file, which grows: while it is written, or from one time to the next that a writer of
  /// many hosts opens it.
  Status add_last(const std::string& host, std::size_t index, CachedHost& cached) {
    Result<bool> all = add_new_blocks(index, cached);
    if (!all) return forward(all);
    if (!*all) {
      cached.last.reset();
      HostInventory& inventory = read_[host];
      inventory = cached.before;
      Result<bool> sound = add_files(index, index + 1, inventory);
      if (!sound) return forward(sound);
      if (!*sound) return {};
      if (Status kept = keep_last(index, inventory, cached); !kept) return kept;
      if (!cached.last) return {};
      read_.erase(host);
    }
    cached_[host] = &cached.last->inventory;
    return {};
  }

  /// Nothing is kept of a file that is neither finished nor being written, but left by a crash.
  Status keep_last(std::size_t index, HostInventory& inventory, CachedHost& cached) {
    const SourceFile& source = files_.files()[index];
    Result<DayFile*> file = files_.open(index);
    if (!file) return forward(file);
    const std::optional<FileId> id = file_at(source.path);
    if (!id || !(source.finished || (*file)->has_writer_journal())) return {};
    Result<std::array<std::int64_t, 2>> notes = (*file)->notes_mark();
    if (!notes) return forward(notes);
    Result<std::vector<BlockRow>> rows = files_.rows(index);
    if (!rows) return forward(rows);
    cached.last = {.path = source.path.string(),
                   .id = *id,
                   .finished = source.finished,
                   .notes = *notes,
                   .inventory = std::move(inventory)};
    files_.cache()->content().file(source.path).rows.emplace().append(std::move(*rows));
    if (source.finished) files_.remember(index);
    return {};
  }

  /// \return false when more has changed than that blocks came, or anything is wrong: all of the file is to
  /// be looked at.
  Result<bool> add_new_blocks(std::size_t index, CachedHost& cached) {
    const SourceFile& source = files_.files()[index];
    if (!cached.last || cached.last->path != source.path.string()) return false;
    if (source.finished && source.finished == cached.last->finished) return true;
    std::optional<ListedRows>& listed = files_.cache()->content().file(source.path).rows;
    if (!listed || cached.last->id != file_at(source.path)) return false;
    Result<std::optional<std::vector<BlockRow>>> rows = files_.new_rows(index, *listed);
    if (!rows) return forward(rows);
    if (!*rows) return false;
    Result<DayFile*> file = files_.open(index);
    if (!file) return forward(file);
    const Result<std::array<std::int64_t, 2>> notes = (*file)->notes_mark();
    if (!notes || *notes != cached.last->notes) return false;
    HostInventory& inventory = cached.last->inventory;
    const std::size_t devices = inventory.devices();
    const std::size_t notices = files_.notices().size();
    for (const BlockRow& row : **rows) {
      if (Status added = add_block(index, row, inventory); !added) {
        cached.last.reset();
        return forward(added);
      }
    }
    listed->append(std::move(**rows));
    files_.close(index);
    // Notes may speak of devices that had no samples yet.
    return inventory.devices() == devices && files_.notices().size() == notices;
  }

  FileSet& files_;
  bool verify_;
  std::map<std::string, HostInventory> read_;
  std::map<std::string, const HostInventory*> cached_;
};

}  // namespace

Result<Inventory> take_inventory(FileSet& files, bool verify) {
  InventoryTaker taker{files, verify};
  const auto [begin, end] = files.of_stream(Stream::kMetrics);
  for (std::size_t host = begin; host < end;) {
    std::size_t next = host;
    while (next < end && files.files()[next].host == files.files()[host].host) ++next;
    if (Status added = taker.add_host(host, next); !added) return forward(added);
    host = next;
  }
  return taker.finish();
}

}  // namespace laggard::archive
