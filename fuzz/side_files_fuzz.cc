// What kills, power cuts and copies leave beside a database. We read write-ahead logs and rollback journals
// by ourselves, so that nothing is changed by looking: whatever their bytes are, we must see what SQLite
// makes of them. The first byte says which of them the rest is, and whether it is bytes or a description from
// which one with sums that hold is built.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "archive/database.h"
#include "archive/format.h"
#include "archive/side_files.h"
#include "archive/write_ahead_log.h"
#include "base/bytes.h"

namespace {

using namespace laggard;           // NOLINT(google-build-using-namespace)
using namespace laggard::archive;  // NOLINT(google-build-using-namespace)

namespace fs = std::filesystem;

void require(bool condition) {
  if (!condition) __builtin_trap();
}

std::uint32_t big_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = at; i < at + 4 && i < bytes.size(); ++i)
    value = value << 8 | static_cast<std::uint8_t>(bytes[i]);
  return value;
}

std::string big_endian(std::uint32_t value) {
  std::string out;
  for (const int shift : {24, 16, 8, 0}) out.push_back(static_cast<char>(value >> shift & 0xFF));
  return out;
}

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << bytes;
}

/// A scratch folder with a database of a few pages; gone at the end.
class Scratch {
 public:
  Scratch() {
    const fs::path memory = "/dev/shm";
    folder_ = (::access(memory.c_str(), W_OK) == 0 ? memory : fs::temp_directory_path()) /
              ("laggard-fuzz-side-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    for (const bool log : {false, true}) {
      auto database = Database::open(file(), OpenMode::kCreate, nullptr);
      require(database.has_value());
      require(
          database
              ->run(
                  log ? "PRAGMA journal_mode=WAL"
                      : "PRAGMA page_size=1024; CREATE TABLE t(a); INSERT INTO t VALUES(hex(zeroblob(2000)))")
              .has_value());
      database = fail(ErrorCode::kNotFound, "", "");
      (log ? with_log_ : plain_) = read(file());
    }
    require(plain_.size() % kPageBytes == 0 && plain_.size() > 3 * kPageBytes);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { fs::remove_all(folder_); }

  [[nodiscard]] fs::path file() const { return folder_ / "database"; }
  [[nodiscard]] fs::path beside(const char* suffix) const { return file().string() + suffix; }
  [[nodiscard]] const std::string& content(bool log) const { return log ? with_log_ : plain_; }
  void set(bool log, std::string_view side) const {
    for (const char* suffix : {"-wal", "-shm", "-journal"}) fs::remove(beside(suffix));
    write(file(), content(log));
    write(beside(log ? "-wal" : "-journal"), side);
  }

 private:
  fs::path folder_;
  std::string plain_;
  std::string with_log_;
};

constexpr std::uint64_t kMost = 1U << 20;

/// The database as a reader sees it, with what lies beside it.
std::string as_seen(const Scratch& scratch, const SideFiles& files, bool log) {
  const std::string& below = scratch.content(log);
  std::string seen(files.size(log).value_or(below.size()), '\0');
  for (std::size_t at = 0; at < seen.size(); at += kPageBytes) {
    const std::span<char> page =
        std::span(seen).subspan(at, std::min<std::size_t>(kPageBytes, seen.size() - at));
    if (files.read(static_cast<std::uint32_t>(at / kPageBytes + 1), 0, page, log)) continue;
    if (at < below.size()) below.copy(page.data(), page.size(), at);
  }
  return seen;
}

/// The same when SQLite has taken the log over, or the journal back; nothing when it cannot.
std::optional<std::string> as_recovered(const Scratch& scratch, bool log) {
  auto database = Database::open(scratch.file(), OpenMode::kWrite, nullptr);
  if (!database || !database->number("SELECT count(*) FROM sqlite_schema")) return std::nullopt;
  if (log && !database->run("PRAGMA wal_checkpoint(TRUNCATE)")) return std::nullopt;
  return read(scratch.file());
}

void check(const Scratch& scratch, bool log, std::string_view side) {
  scratch.set(log, side);
  const auto files = SideFiles::look_at(scratch.file(), LookAtIndex::kYes);
  require(files.has_value() && !files->changed());
  if (files->size(log).value_or(0) > kMost) return;
  const std::string seen = as_seen(scratch, *files, log);
  require(read(scratch.file()) == scratch.content(log) &&
          read(scratch.beside(log ? "-wal" : "-journal")) == side);
  // SQLite would take the size of its pages from these.
  const bool other_pages = side.size() >= 28 && big_endian(side, log ? 8 : 24) != kPageBytes;
  // The name of a journal of several databases, without which nothing is taken back: ours are one.
  const bool of_several = !log && side.size() > 8 && side.substr(side.size() - 8) == side.substr(0, 8);
  if (other_pages || of_several) return;
  const auto recovered = as_recovered(scratch, log);
  if (recovered) require(*recovered == seen);
}

/// A page that a description names by a byte; the first stays what it is, or SQLite refuses the file.
std::string page_of(const Scratch& scratch, bool log, std::uint32_t number, std::uint8_t fill) {
  return number == 1 ? scratch.content(log).substr(0, kPageBytes)
                     : std::string(kPageBytes, static_cast<char>(fill));
}

/// The sum of a log whose words are read big-endian.
class LogSum {
 public:
  std::string add(std::string_view bytes) {
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      a_ += big_endian(bytes, at) + b_;
      b_ += big_endian(bytes, at + 4) + a_;
    }
    return big_endian(a_) + big_endian(b_);
  }

 private:
  std::uint32_t a_ = 0;
  std::uint32_t b_ = 0;
};

/// Frames of three bytes each (page, size after a commit, fill); the last 0 to 255 bytes are left as they
/// are.
std::string build_log(const Scratch& scratch, std::string_view data) {
  ByteReader in{data};
  const std::size_t tail = in.u8();
  std::string log =
      big_endian(0x377F0683U) + big_endian(3007000) + big_endian(kPageBytes) + big_endian(0) + "saltSALT";
  LogSum sum;
  log += sum.add(log);
  while (in.ok() && in.rest().size() >= 3 + tail) {
    const std::uint32_t number = in.u8() % 12;
    const std::uint32_t size_after = in.u8() % 24;
    const std::string page = page_of(scratch, true, number, in.u8());
    const std::string head = big_endian(number) + big_endian(size_after);
    sum.add(head);
    log += head + "saltSALT" + sum.add(page) + page;
  }
  return log.append(in.rest());
}

/// Parts of a head of two bytes (records, fill) and records of two each (page, fill), as for build_log.
std::string build_journal(const Scratch& scratch, std::string_view data) {
  constexpr std::uint32_t kSector = 512;
  ByteReader in{data};
  const std::size_t tail = in.u8();
  const std::uint32_t pages = in.u8() % 12;
  std::string journal;
  while (in.ok() && in.rest().size() >= 2 + tail) {
    const std::uint32_t records = in.u8() % 8;
    const std::uint32_t nonce = in.u8();
    journal.resize((journal.size() + kSector - 1) / kSector * kSector);
    const std::size_t begin = journal.size();
    journal += "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + big_endian(records) + big_endian(nonce) +
               big_endian(pages) + big_endian(kSector) + big_endian(kPageBytes);
    journal.resize(begin + kSector);
    for (std::uint32_t r = 0; r < records && in.rest().size() >= 2 + tail; ++r) {
      const std::uint32_t number = in.u8() % 12;
      const std::string page = page_of(scratch, false, number, in.u8());
      std::uint32_t sum = nonce;
      for (int at = kPageBytes - 200; at > 0; at -= 200)
        sum += static_cast<std::uint8_t>(page[static_cast<std::size_t>(at)]);
      journal += big_endian(number) + page + big_endian(sum);
    }
  }
  return journal.append(in.rest());
}

void check_index(std::string_view bytes) {
  const std::string_view header = bytes.substr(0, std::min(bytes.size(), kLogHeaderBytes));
  const std::string_view shm = bytes.substr(header.size());
  const auto committed = committed_frames(shm, header);
  if (committed && *committed == 0) require(says_no_frames(shm));
  std::size_t seen = 0;
  for_each_frame(bytes, [&](std::uint32_t, std::string_view page) {
    require(!page.empty() && page.size() <= kPageBytes);
    seen += page.size();
  });
  require(seen <= bytes.size());
  const ReadAt from = [&](std::uint64_t at, std::span<char> into) {
    return at >= bytes.size() ? 0 : bytes.copy(into.data(), into.size(), at);
  };
  const LogIndex index = index_log(from, bytes.size());
  require((index.page_count == 0) == (index.frames == 0) && index.pages.size() <= index.frames);
  for (const auto& [page, place] : index.pages) require(page > 0 && place + kPageBytes <= bytes.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const Scratch scratch;
  const std::string_view bytes{reinterpret_cast<const char*>(data) + 1, size - 1};
  const bool log = data[0] % 2 == 0;
  switch (data[0] / 2 % 3) {
    case 0:
      check(scratch, log, bytes);
      break;
    case 1:
      check(scratch, log, log ? build_log(scratch, bytes) : build_journal(scratch, bytes));
      break;
    default:
      check_index(bytes);
      break;
  }
  return 0;
}
