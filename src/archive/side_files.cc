#include "archive/side_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <string>
#include <string_view>

#include "base/file.h"

namespace laggard::archive {

namespace {

/// Reads as much as there is. An error counts as the end, since nothing after it can be trusted.
std::size_t read_at(int fd, std::uint64_t offset, std::span<char> into) {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t n = ::pread(fd, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

/// Opens a regular file for reading, without blocking on a pipe; invalid when there is none.
Result<Fd> open_side_file(const std::filesystem::path& path) {
  Fd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!fd.valid() && errno == ENOENT) return fd;
  if (!fd.valid()) return fail_errno(errno, path.string(), "cannot open");
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return fail_errno(errno, path.string(), "cannot look at");
  if (!S_ISREG(info.st_mode)) {
    return fail(ErrorCode::kDamaged, path.string(), "is no file, and a file of a recording has that name");
  }
  return fd;
}

std::uint64_t size_of(const Fd& fd) {
  struct stat info {};
  return ::fstat(fd.get(), &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

std::uint32_t big_endian_at(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<std::uint8_t>(bytes[at + i]);
  return value;
}

std::optional<JournalHeader> read_journal_header(int fd, std::uint64_t at, std::uint32_t page_bytes) {
  constexpr std::string_view kMagic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  std::array<char, 28> bytes{};
  if (read_at(fd, at, bytes) != bytes.size()) return std::nullopt;
  const std::string_view header{bytes.data(), bytes.size()};
  if (!header.starts_with(kMagic)) return std::nullopt;
  const JournalHeader out{.records = big_endian_at(header, 8),
                          .nonce = big_endian_at(header, 12),
                          .pages = big_endian_at(header, 16),
                          .sector = big_endian_at(header, 20)};
  const bool sane = out.sector >= 32 && out.sector <= 65536 && std::has_single_bit(out.sector) &&
                    big_endian_at(header, 24) == page_bytes;
  return sane ? std::optional(out) : std::nullopt;
}

std::uint32_t journal_sum(std::string_view page, std::uint32_t nonce) {
  std::uint32_t sum = nonce;
  for (std::size_t at = page.size() - 200; at > 0 && at < page.size(); at -= 200) {
    sum += static_cast<std::uint8_t>(page[at]);
  }
  return sum;
}

}  // namespace

SideFiles::Stamp SideFiles::stamp(std::filesystem::path path) {
  Stamp stamp{.path = std::move(path), .of = {}};
  struct stat info {};
  if (::stat(stamp.path.c_str(), &info) == 0) {
    stamp.of = {static_cast<std::int64_t>(info.st_dev), static_cast<std::int64_t>(info.st_ino),
                static_cast<std::int64_t>(info.st_size), static_cast<std::int64_t>(info.st_mtim.tv_sec),
                static_cast<std::int64_t>(info.st_mtim.tv_nsec)};
  }
  return stamp;
}

Result<SideFiles> SideFiles::look_at(const std::filesystem::path& database, LookAtIndex index,
                                     std::uint32_t page_bytes) {
  SideFiles files;
  files.page_bytes_ = page_bytes;
  files.stamps_ = {stamp(database), stamp(database.string() + "-wal"), stamp(database.string() + "-journal")};
  if (Status read = files.read_log(database, index); !read) return forward(read);
  if (Status read = files.read_journal(database); !read) return forward(read);
  return files;
}

Status SideFiles::read_log(const std::filesystem::path& database, LookAtIndex index) {
  Result<Fd> log = open_side_file(database.string() + "-wal");
  if (!log) return forward(log);
  if (!log->valid()) return {};
  log_file_ = std::move(*log);
  const int fd = log_file_.get();
  log_ = index_log([fd](std::uint64_t at, std::span<char> into) { return read_at(fd, at, into); },
                   size_of(log_file_));
  if (log_.state == LogState::kBroken) return {};
  if (index == LookAtIndex::kNo) {
    if (log_.state == LogState::kTorn) log_.state = LogState::kWhole;
    return {};
  }
  std::array<char, kLogHeaderBytes> header{};
  std::array<char, 96> shm{};
  Result<Fd> shm_file = open_side_file(database.string() + "-shm");
  if (!shm_file && shm_file.error().code == ErrorCode::kTemporary) return forward(shm_file);
  if (!shm_file || !shm_file->valid()) return {};
  const std::string_view theirs{shm.data(), read_at(shm_file->get(), 0, shm)};
  if (log_.state == LogState::kEmpty) {
    // SQLite fills the index before the log: an empty one was left by a process that was killed before
    // either.
    if (says_no_frames(theirs) || size_of(*shm_file) == 0) log_.state = LogState::kWhole;
    return {};
  }
  const auto committed = committed_frames(theirs, {header.data(), read_at(fd, 0, header)});
  if (committed) log_.state = *committed > log_.frames ? LogState::kBroken : LogState::kWhole;
  return {};
}

Status SideFiles::read_journal(const std::filesystem::path& database) {
  Result<Fd> journal = open_side_file(database.string() + "-journal");
  if (!journal) return forward(journal);
  if (!journal->valid()) return {};
  journal_file_ = std::move(*journal);
  const int fd = journal_file_.get();
  const std::uint64_t end = size_of(journal_file_);
  constexpr std::uint64_t kLeast = 512;  // For less SQLite takes nothing back.
  const std::optional<JournalHeader> first = read_journal_header(fd, 0, page_bytes_);
  // A transaction that had not begun, or was over.
  if (!first || end < kLeast) return {};
  journal_pages_ = first->pages;
  std::uint64_t at = 0;
  // Where the parts of a journal begin, its first header says.
  for (std::optional<JournalHeader> header = first; header && at + first->sector <= end;
       header = read_journal_header(fd, at, page_bytes_)) {
    at += first->sector;
    if (!read_journal_pages(*header, at)) return {};
    at = (at + first->sector - 1) / first->sector * first->sector;
  }
  return {};
}

/// The pages of one part of a journal, of which `at` is the place. False where the journal ends.
bool SideFiles::read_journal_pages(const JournalHeader& header, std::uint64_t& at) {
  // The page of SQLite's locks is never written. No page has the number 0, though the zeroes of a hole look
  // like one.
  const std::uint32_t lock_page = 0x40000000U / page_bytes_ + 1;
  std::string record(4 + std::size_t{page_bytes_} + 4, '\0');
  for (std::uint32_t r = 0; r < header.records; ++r, at += record.size()) {
    if (read_at(journal_file_.get(), at, record) != record.size()) return false;
    const std::string_view bytes = record;
    const std::uint32_t number = big_endian_at(bytes, 0);
    if (number == 0 || number == lock_page) return false;
    if (number > *journal_pages_) continue;
    const std::uint32_t sum = journal_sum(bytes.substr(4, page_bytes_), header.nonce);
    if (sum != big_endian_at(bytes, 4 + page_bytes_)) return false;
    journal_[number] = at + 4;
  }
  return true;
}

bool SideFiles::changed() const {
  for (const Stamp& known : stamps_) {
    if (stamp(known.path).of != known.of) return true;
  }
  return false;
}

std::optional<std::uint64_t> SideFiles::size(bool with_log) const {
  if (with_log && has_commits()) return std::uint64_t{log_.page_count} * kPageBytes;
  if (journal_pages_) return std::uint64_t{*journal_pages_} * page_bytes_;
  return std::nullopt;
}

bool SideFiles::read(std::uint32_t page, std::size_t offset, std::span<char> into, bool with_log) const {
  const auto in_log = with_log ? log_.pages.find(page) : log_.pages.end();
  if (in_log != log_.pages.end()) {
    return read_at(log_file_.get(), in_log->second + offset, into) == into.size();
  }
  const auto in_journal = journal_.find(page);
  if (in_journal == journal_.end()) return false;
  return read_at(journal_file_.get(), in_journal->second + offset, into) == into.size();
}

}  // namespace laggard::archive
