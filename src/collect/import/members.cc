#include "collect/import/members.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "collect/import/unpack.h"

namespace laggard::collect {

namespace {

/// Filters and formats that libarchive reads itself; those that start other programs (lrzip, …) stay off.
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

/// Standard input or a pipe: can be read only once.
bool is_stream(const std::filesystem::path& path) {
  struct stat info = {};
  if (path == "-") return true;
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

/// 0 for what can be read only once.
std::uint64_t size_of(const std::filesystem::path& path) {
  struct stat info = {};
  const bool known = path != "-" && ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
  return known ? static_cast<std::uint64_t>(info.st_size) : 0;
}

/// Nothing is taken from a gzip file before its checksum is verified, which stands at its end and which
/// libarchive skips. \return whether it is a gzip file.
Result<bool> check_if_gzip(const std::filesystem::path& path, const UnpackLimits& limits) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return fail_errno(errno, path.string(), "cannot open");
  std::array<char, kGzipMagic.size()> begin{};
  const ssize_t got = ::pread(file.get(), begin.data(), begin.size(), 0);
  if (got < 0 || !is_gzip({begin.data(), static_cast<std::size_t>(got)})) return false;
  UnpackBudget budget(limits, size_of(path));
  if (Status sound = check_gzip(file.get(), path.string(), budget); !sound) return forward(sound);
  return true;
}

}  // namespace

/// Feeds standard input or a pipe to libarchive.
struct Members::Input {
  Fd own;  ///< Of the pipe.
  CheckedInput source;
  std::vector<char> block = std::vector<char>(kReadBlock);

  static la_ssize_t give(archive* handle, void* self, const void** bytes) {
    auto& input = *static_cast<Input*>(self);
    Result<std::size_t> got = input.source.read(input.block);
    if (!got) {
      archive_set_error(handle, EIO, "%s", got.error().what.c_str());
      return ARCHIVE_FATAL;
    }
    *bytes = input.block.data();
    return static_cast<la_ssize_t>(*got);
  }
};

void Members::FreeInput::operator()(Input* input) const { delete input; }

void Members::Closer::operator()(archive* a) const { archive_read_free(a); }

Result<Members> Members::open(const std::filesystem::path& path, const UnpackLimits& limits) {
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
  Members members(path, std::move(handle), UnpackBudget(limits, size_of(path)));
  Result<int> status = is_stream(path)
                           ? members.open_stream()
                           : archive_read_open_filename(members.handle_.get(), path.c_str(), kReadBlock);
  if (!status) return forward(status);
  if (*status != ARCHIVE_OK) {
    const int number = archive_errno(members.handle_.get());
    if (number > 0 && number != EINVAL) return fail_errno(number, path.string(), "cannot open");
    return members.damaged();
  }
  return members;
}

Result<int> Members::open_stream() {
  Fd own(path_ == "-" ? -1 : ::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!own.valid() && path_ != "-") return fail_errno(errno, where(), "cannot open");
  Result<CheckedInput> source = CheckedInput::open(own.valid() ? own.get() : STDIN_FILENO, where(), budget_);
  if (!source) return forward(source);
  input_.reset(new Input{.own = std::move(own), .source = std::move(*source)});
  return archive_read_open(handle_.get(), input_.get(), nullptr, &Input::give, nullptr);
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
    const char* const name = bare ? "" : archive_entry_pathname(entry);
    const std::string shown = name == nullptr ? "unnamed" : name;
    if (Status sane = check_header(shown); !sane) return forward(sane);
    if (!bare && archive_entry_filetype(entry) != AE_IFREG) continue;
    member_ = shown;
    return Member{member_};
  }
}

Status Members::check_header(const std::string& name) {
  // The last filter is the file itself.
  if (archive_filter_count(handle_.get()) > kMostPackings + 1) {
    return fail(ErrorCode::kBadInput, where(),
                fmt::format("is packed over and over, more than {} times; unpack it", kMostPackings));
  }
  if (++headers_ > kMostMembers) {
    return fail(ErrorCode::kBadInput, where(),
                fmt::format("holds more than {} files; divide it", with_separators(kMostMembers)));
  }
  if (name.size() > kLongestMemberName) {
    return fail(ErrorCode::kBadInput, where(),
                fmt::format("holds a file whose name is longer than {} bytes", kLongestMemberName));
  }
  return {};
}

Result<std::size_t> Members::read(std::span<char> buffer) {
  const la_ssize_t got = archive_read_data(handle_.get(), buffer.data(), buffer.size());
  if (got < 0) return damaged();
  const auto bytes = static_cast<std::size_t>(got);
  if (!packed()) return bytes;
  if (Status spent = budget_.spend(bytes, consumed(), where()); !spent) return forward(spent);
  return bytes;
}

std::uint64_t Members::consumed() const {
  const la_int64_t bytes = archive_filter_bytes(handle_.get(), -1);
  return bytes < 0 ? 0 : static_cast<std::uint64_t>(bytes);
}

bool Members::packed() const {
  // The raw format counts one filter, the file itself.
  return input_ != nullptr || !member_.empty() ||
         archive_filter_code(handle_.get(), 0) != ARCHIVE_FILTER_NONE;
}

std::string Members::where() const {
  const std::string file = path_ == "-" ? "standard input" : path_.string();
  return member_.empty() ? file : file + "[" + member_ + "]";
}

Status Members::read_through() {
  std::vector<char> block(kReadBlock);
  for (;;) {
    Result<std::size_t> got = read(block);
    if (!got) return forward(got);
    if (*got == 0) return {};
  }
}

Result<std::vector<std::string>> list_members(const std::filesystem::path& path, const UnpackLimits& limits) {
  std::vector<std::string> names;
  if (is_stream(path)) return names;
  Result<bool> checked = check_if_gzip(path, limits);
  if (!checked) return forward(checked);
  Result<Members> members = Members::open(path, limits);
  if (!members) return forward(members);
  while (true) {
    Result<std::optional<Members::Member>> member = members->next();
    if (!member) return forward(member);
    if (!*member) return names;
    const bool alone = (*member)->name.empty();
    if (alone && (*checked || !members->packed())) return names;
    Status read = *checked ? Status{} : members->read_through();
    if (!read) return forward(read);
    if (!alone) names.push_back((*member)->name);
  }
}

Status read_members(const std::filesystem::path& path, const UnpackLimits& limits,
                    const std::function<Status(Members& members)>& read) {
  Result<std::vector<std::string>> names = list_members(path, limits);
  if (!names) return forward(names);
  Result<Members> members = Members::open(path, limits);
  if (!members) return forward(members);
  for (bool any = false;; any = true) {
    Result<std::optional<Members::Member>> member = members->next();
    if (!member) return forward(member);
    if (!*member) return any ? Status{} : fail(ErrorCode::kBadInput, path.string(), "is empty");
    if (Status done = read(*members); !done) return done;
  }
}

}  // namespace laggard::collect
