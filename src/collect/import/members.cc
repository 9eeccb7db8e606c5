#include "collect/import/members.h"

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

namespace laggard::collect {

namespace {

constexpr std::size_t kBlock = 256U << 10U;

/// Filters and formats that libarchive reads itself: those that start other programs (lrzip, uu, …) stay out.
void choose_formats(archive* a) {
  archive_read_support_filter_gzip(a);
  archive_read_support_filter_bzip2(a);
  archive_read_support_filter_xz(a);
  archive_read_support_filter_lzma(a);
  archive_read_support_filter_zstd(a);
  archive_read_support_filter_lz4(a);
  archive_read_support_filter_compress(a);
  archive_read_support_format_tar(a);
  archive_read_support_format_cpio(a);
  archive_read_support_format_zip(a);
  archive_read_support_format_empty(a);
  archive_read_support_format_raw(a);
}

}  // namespace

void Members::Closer::operator()(archive* a) const { archive_read_free(a); }

Result<Members> Members::open(const std::filesystem::path& path) {
  struct stat info = {};
  if (path != "-") {
    if (::stat(path.c_str(), &info) != 0) return fail_errno(errno, path.string(), "cannot open");
    if (S_ISDIR(info.st_mode)) {
      return fail(ErrorCode::kBadUse, path.string(), "is a folder; name the files inside");
    }
  }
  std::unique_ptr<archive, Closer> handle(archive_read_new());
  if (!handle) return fail(ErrorCode::kInternal, path.string(), "no memory for a reader");
  choose_formats(handle.get());
  Members members(path, std::move(handle));
  const int status = path == "-" ? archive_read_open_fd(members.handle_.get(), 0, kBlock)
                                 : archive_read_open_filename(members.handle_.get(), path.c_str(), kBlock);
  if (status != ARCHIVE_OK) {
    const int number = archive_errno(members.handle_.get());
    if (number > 0 && number != EINVAL) return fail_errno(number, path.string(), "cannot open");
    return members.damaged();
  }
  return members;
}

tl::unexpected<Error> Members::damaged() const {
  const char* text = archive_error_string(handle_.get());
  const std::string reason = text == nullptr ? "unknown reason" : text;
  // What libarchive says of a file that ends too early: liblzma's words, or `truncated` or `Truncated`.
  if (reason.find("No progress is possible") != std::string::npos ||
      reason.find("runcated") != std::string::npos) {
    return fail(ErrorCode::kBadInput, where(),
                "is cut off in the middle of its packed data; fetch the file again");
  }
  return fail(ErrorCode::kBadInput, where(), "cannot be unpacked: " + reason);
}

Result<std::optional<Members::Member>> Members::next() {
  archive_entry* entry = nullptr;
  while (true) {
    member_.clear();
    const int status = archive_read_next_header(handle_.get(), &entry);
    if (status == ARCHIVE_EOF) return std::optional<Member>{};
    if (status < ARCHIVE_WARN) return damaged();
    const bool bare = archive_format(handle_.get()) == ARCHIVE_FORMAT_RAW;
    if (!bare && archive_entry_filetype(entry) != AE_IFREG) continue;
    if (!bare) {
      const char* name = archive_entry_pathname(entry);
      member_ = name == nullptr ? "unnamed" : name;
    }
    return Member{member_};
  }
}

Result<std::size_t> Members::read(std::span<char> buffer) {
  const la_ssize_t got = archive_read_data(handle_.get(), buffer.data(), buffer.size());
  if (got < 0) return damaged();
  return static_cast<std::size_t>(got);
}

std::uint64_t Members::consumed() const {
  const la_int64_t bytes = archive_filter_bytes(handle_.get(), -1);
  return bytes < 0 ? 0 : static_cast<std::uint64_t>(bytes);
}

bool Members::packed() const {
  // The raw format counts one filter, the file itself.
  return path_ == "-" || !member_.empty() || archive_filter_code(handle_.get(), 0) != ARCHIVE_FILTER_NONE;
}

std::string Members::where() const {
  const std::string file = path_ == "-" ? "standard input" : path_.string();
  return member_.empty() ? file : file + "[" + member_ + "]";
}

Result<std::vector<std::string>> list_members(const std::filesystem::path& path) {
  std::vector<std::string> names;
  if (path == "-") return names;
  Result<Members> members = Members::open(path);
  if (!members) return forward(members);
  while (true) {
    Result<std::optional<Members::Member>> member = members->next();
    if (!member) return forward(member);
    if (!*member) return names;
    if ((*member)->name.empty()) return std::vector<std::string>{};
    names.push_back((*member)->name);
  }
}

}  // namespace laggard::collect
