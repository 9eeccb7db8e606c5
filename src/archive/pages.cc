#include "archive/pages.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <utility>
#include <vector>

#include "archive/format.h"
#include "archive/write_ahead_log.h"
#include "base/file.h"

namespace laggard::archive {

namespace {

constexpr std::uint8_t kTableLeaf = 0x0D;
constexpr std::size_t kFileHeader = 100;
/// Larger than any row that the archive writes.
constexpr std::uint64_t kLargestRow = kMaxHeaderBytes * 8;

std::uint64_t big_endian(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value = value << 8 | static_cast<std::uint8_t>(bytes[at + i]);
  return value;
}

/// Reads a file to its end, or to a hole of more than kLargestHole, which may be of terabytes.
Result<std::string> read_to_hole(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return fail(ErrorCode::kBadInput, path.string(), "is no file");
  }
  const Fd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!fd.valid()) return fail_errno(errno, path.string(), "cannot open");
  std::string content;
  std::vector<char> buffer(std::size_t{1} << 20);
  for (std::uint64_t zeros = 0; zeros <= kLargestHole;) {
    Result<std::size_t> got = read_some(fd.get(), buffer, path.string());
    if (!got) return forward(got);
    const std::string_view bytes{buffer.data(), *got};
    if (!bytes.empty() && bytes.find_first_not_of('\0') == std::string_view::npos) {
      zeros += bytes.size();
      continue;
    }
    content.append(std::exchange(zeros, 0), '\0');
    content.append(bytes);
    if (bytes.empty()) break;
  }
  return content;
}

/// SQLite's varint: big-endian groups of seven bits, the ninth byte whole. Nothing when it is cut.
std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 9 && i < bytes.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(bytes[i]);
    if (i == 8) {
      bytes.remove_prefix(9);
      return value << 8 | byte;
    }
    value = value << 7 | (byte & 0x7FU);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<Pages> Pages::load(const std::filesystem::path& path) {
  Pages pages;
  Result<std::string> file = read_to_hole(path);
  Result<std::string> log = read_to_hole(path.string() + "-wal");
  // A log whose database is gone is still worth searching, and vice versa.
  if (!file && (!log || file.error().code != ErrorCode::kNotFound)) return forward(file);
  if (!log && log.error().code != ErrorCode::kNotFound) return forward(log);
  if (file) pages.file_ = std::move(*file);
  if (log) pages.log_ = std::move(*log);
  const auto in_log = [&](std::uint64_t at, std::span<char> into) {
    return at < pages.log_.size() ? pages.log_.copy(into.data(), into.size(), at) : 0;
  };
  pages.index_ = index_log(in_log, pages.log_.size());
  pages.use(View::kLaid);
  return pages;
}

void Pages::use(View view) {
  newer_.clear();
  count_ = static_cast<std::uint32_t>((file_.size() + kPageBytes - 1) / kPageBytes);
  if (view == View::kFile) return;
  newer_.insert(index_.pages.begin(), index_.pages.end());
  count_ = std::max(count_, index_.page_count);
  if (view == View::kLaid) return;
  for_each_frame(log_, [&](std::uint32_t number, std::string_view page) {
    // An impossible page number comes from bytes that are no frame.
    if (number == 0 || number > count_ + log_.size() / kPageBytes) return;
    newer_[number] = static_cast<std::size_t>(page.data() - log_.data());
  });
  if (!newer_.empty()) count_ = std::max(count_, newer_.rbegin()->first);
}

bool Pages::is_cut() const {
  const std::string_view first = page(1);
  if (first.size() < kFileHeader || !first.starts_with("SQLite format 3")) return false;
  const std::uint64_t pages = big_endian(first, 28, 4);
  for (std::uint64_t number = 1; number <= pages; ++number) {
    if (page(static_cast<std::uint32_t>(number)).size() < kPageBytes) return true;
  }
  return false;
}

std::string_view Pages::page(std::uint32_t number) const {
  if (number == 0 || number > count_) return {};
  const auto newer = newer_.find(number);
  if (newer != newer_.end()) return std::string_view(log_).substr(newer->second, kPageBytes);
  const std::size_t at = std::size_t{number - 1} * kPageBytes;
  // The last page of a file that was cut short is still worth a look.
  return at < file_.size() ? std::string_view(file_).substr(at, kPageBytes) : std::string_view{};
}

namespace {

/// Gathers the bytes of a row, whose first part is `local`, from its overflow pages; short when the chain is
/// broken.
std::string gather(const Pages& pages, std::string_view local, std::uint64_t size) {
  constexpr std::uint64_t kUsable = kPageBytes;
  const std::uint64_t most = kUsable - 35;
  if (size <= most) return std::string(local.substr(0, size));
  const std::uint64_t least = (kUsable - 12) * 32 / 255 - 23;
  const std::uint64_t fitting = least + (size - least) % (kUsable - 4);
  const std::uint64_t here = fitting <= most ? fitting : least;
  if (local.size() < here + 4) return std::string(local.substr(0, here));
  std::string bytes{local.substr(0, here)};
  auto next = static_cast<std::uint32_t>(big_endian(local, here, 4));
  // A cyclic chain ends when the row has its size.
  while (bytes.size() < size) {
    const std::string_view page = pages.page(next);
    if (page.size() < 5) break;
    bytes.append(page.substr(4, size - bytes.size()));
    next = static_cast<std::uint32_t>(big_endian(page, 0, 4));
  }
  return bytes;
}

/// How many bytes a field of this type takes; nothing for types that SQLite does not write.
std::optional<std::uint64_t> field_size(std::uint64_t type) {
  constexpr std::array<std::uint64_t, 10> kFixed{0, 1, 2, 3, 4, 6, 8, 8, 0, 0};
  if (type < kFixed.size()) return kFixed[type];
  if (type < 12) return std::nullopt;
  return (type - 12) / 2;
}

Field field_of(std::uint64_t type, std::string_view bytes) {
  if (type == 0) return std::monostate{};
  if (type >= 12) return std::string(bytes);
  if (type >= 8) return static_cast<std::int64_t>(type - 8);
  if (type == 7) return std::bit_cast<double>(big_endian(bytes, 0, 8));
  const std::uint64_t raw = big_endian(bytes, 0, bytes.size());
  const auto unused = static_cast<unsigned>(64 - 8 * bytes.size());
  return static_cast<std::int64_t>(raw << unused) >> unused;  // Carries the sign down.
}

std::optional<RawRow> parse_row(std::int64_t id, std::string_view record, bool whole) {
  std::string_view rest = record;
  const std::optional<std::uint64_t> header_size = take_varint(rest);
  if (!header_size || *header_size > record.size() || *header_size < record.size() - rest.size())
    return std::nullopt;
  std::string_view types = record.substr(0, *header_size);
  types.remove_prefix(record.size() - rest.size());
  std::string_view body = record.substr(*header_size);
  RawRow row{.id = id, .fields = {}, .whole = whole};
  while (!types.empty()) {
    const std::optional<std::uint64_t> type = take_varint(types);
    const std::optional<std::uint64_t> size = type ? field_size(*type) : std::nullopt;
    if (!size) return std::nullopt;
    if (*size > body.size()) {
      if (whole) return std::nullopt;
      row.fields.emplace_back(std::string(body));
      return row;
    }
    row.fields.push_back(field_of(*type, body.substr(0, *size)));
    body.remove_prefix(*size);
  }
  return row;
}

std::optional<RawRow> read_cell(const Pages& pages, std::string_view cell) {
  const std::optional<std::uint64_t> size = take_varint(cell);
  const std::optional<std::uint64_t> id = size ? take_varint(cell) : std::nullopt;
  if (!id || *size == 0 || *size > kLargestRow) return std::nullopt;
  const std::string record = gather(pages, cell, *size);
  return parse_row(static_cast<std::int64_t>(*id), record, record.size() == *size);
}

}  // namespace

void for_each_row(const Pages& pages, const std::function<void(const RawRow&)>& f) {
  for (std::uint32_t number = 1; number <= pages.count(); ++number) {
    const std::string_view page = pages.page(number);
    const std::size_t start = number == 1 ? kFileHeader : 0;
    if (page.size() < start + 8 || static_cast<std::uint8_t>(page[start]) != kTableLeaf) continue;
    const std::uint64_t cells = big_endian(page, start + 3, 2);
    for (std::uint64_t c = 0; c < cells && start + 10 + 2 * c <= page.size(); ++c) {
      const std::uint64_t at = big_endian(page, start + 8 + 2 * c, 2);
      if (at < start + 8 || at >= page.size()) continue;
      if (std::optional<RawRow> row = read_cell(pages, page.substr(at))) f(*row);
    }
  }
}

}  // namespace laggard::archive
