#include "collect/import/unpack.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "base/text.h"

namespace laggard::collect {

Status UnpackBudget::spend(std::uint64_t bytes, std::uint64_t consumed, const std::string& where) {
  unpacked_ += bytes;
  const std::uint64_t packed = std::max(packed_, consumed);
  const bool huge =
      packed > std::numeric_limits<std::uint64_t>::max() / std::max<std::uint64_t>(limits_.ratio, 1);
  const std::uint64_t usual =
      std::max(limits_.always, huge ? std::numeric_limits<std::uint64_t>::max() : packed * limits_.ratio);
  const std::uint64_t most = limits_.most.value_or(usual);
  if (unpacked_ <= most) return {};
  return fail(ErrorCode::kBadInput, where,
              limits_.most
                  ? fmt::format("unpacks to more than the {} of --max-unpacked", human_bytes(most))
                  : fmt::format("unpacks to more than {}, which is too much for a packed file of its "
                                "size; --max-unpacked allows more",
                                human_bytes(most)));
}

namespace {

constexpr int kGzipOnly = 15 + 16;  ///< zlib's way to ask for gzip's frame with any window.

class GzipCheck {
 public:
  GzipCheck() : out_(kReadBlock) { ready_ = inflateInit2(&stream_, kGzipOnly) == Z_OK; }
  GzipCheck(const GzipCheck&) = delete;
  GzipCheck& operator=(const GzipCheck&) = delete;
  ~GzipCheck() { inflateEnd(&stream_); }

  /// False when the bytes cannot be what gzip wrote.
  [[nodiscard]] bool take(std::string_view bytes) {
    if (!ready_) return false;
    while (!bytes.empty()) {
      // A file may consist of several gzip members, one after the other.
      if (between_ && !begin_next(bytes)) return only_zeros(bytes);
      // zlib promises not to write there.
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream_.avail_in = static_cast<uInt>(bytes.size());
      stream_.next_out = out_.data();
      stream_.avail_out = static_cast<uInt>(out_.size());
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) return false;
      bytes.remove_prefix(bytes.size() - stream_.avail_in);
      unpacked_ += out_.size() - stream_.avail_out;
      between_ = status == Z_STREAM_END;
    }
    return true;
  }
  /// Bytes that came out so far.
  [[nodiscard]] std::uint64_t unpacked() const { return unpacked_; }
  /// Whether the last gzip member was complete.
  [[nodiscard]] bool at_end() const { return between_ && ready_; }

 private:
  bool begin_next(std::string_view bytes) {
    if (padding_ || bytes.front() != kGzipMagic.front()) return false;
    if (started_) ready_ = inflateReset(&stream_) == Z_OK;
    started_ = true;
    between_ = false;
    return true;
  }
  bool only_zeros(std::string_view bytes) {
    padding_ = true;
    return bytes.find_first_not_of('\0') == std::string_view::npos;
  }

  z_stream stream_{};
  std::vector<Bytef> out_;
  std::uint64_t unpacked_ = 0;
  bool ready_ = false;
  bool started_ = false;
  bool between_ = true;   ///< Before the first and after each gzip member.
  bool padding_ = false;  ///< Nothing but zeros may follow.
};

}  // namespace

bool is_gzip(std::string_view begin) { return begin.starts_with(kGzipMagic); }

Status check_gzip(int fd, const std::string& where, UnpackBudget& budget) {
  GzipCheck check;
  std::uint64_t consumed = 0;
  std::vector<char> block(kReadBlock);
  for (;;) {
    Result<std::size_t> got = read_some(fd, block, where);
    if (!got) return forward(got);
    if (*got == 0) break;
    consumed += *got;
    const std::uint64_t before = check.unpacked();
    const bool sound = check.take({block.data(), *got});
    if (Status spent = budget.spend(check.unpacked() - before, consumed, where); !spent) return spent;
    if (!sound) {
      return fail(ErrorCode::kBadInput, where,
                  "is damaged: its gzip data do not give what was packed; fetch the file again");
    }
  }
  if (check.at_end()) return {};
  return fail(ErrorCode::kBadInput, where,
              "is cut off in the middle of its packed data; fetch the file again");
}

std::filesystem::path scratch_folder() {
  // No other thread runs yet that could change the environment.
  const char* wanted = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe)
  if (wanted != nullptr && *wanted != '\0') return wanted;
  std::error_code unknown;
  return std::filesystem::is_directory("/var/tmp", unknown) ? "/var/tmp" : "/tmp";
}

Result<Fd> nameless_file(const std::filesystem::path& folder, const std::string& where,
                         const std::string& purpose) {
  constexpr mode_t kOurs = 0600;
  Fd file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kOurs));
  if (file.valid()) return file;
  // Not every file system supports O_TMPFILE; on others the file has a name for a moment.
  std::string name = (folder / "laggard-import-XXXXXX").string();
  file = Fd(::mkostemp(name.data(), O_CLOEXEC));
  if (!file.valid()) {
    return fail_errno(errno, where, fmt::format("{} in {}, where it cannot be", purpose, folder.string()));
  }
  ::unlink(name.c_str());
  return file;
}

Result<CheckedInput> CheckedInput::open(int fd, const std::string& where, const UnpackBudget& budget) {
  CheckedInput input(fd, where);
  Status ready = input.peek();
  if (ready && is_gzip(input.begun_)) ready = input.put_aside(budget);
  if (!ready) return forward(ready);
  return input;
}

Status CheckedInput::peek() {
  while (begun_.size() < kGzipMagic.size()) {
    char bytes[kGzipMagic.size()];
    Result<std::size_t> got = read_some(fd_, std::span(bytes).first(sizeof bytes - begun_.size()), where_);
    if (!got) return forward(got);
    if (*got == 0) break;
    begun_.append(bytes, *got);
  }
  return {};
}

Status CheckedInput::put_aside(UnpackBudget budget) {
  Result<Fd> file = nameless_file(scratch_folder(), where_, "is kept, to check it,");
  if (!file) return forward(file);
  std::vector<char> block(kReadBlock);
  for (;;) {
    Result<std::size_t> got = read(block);
    if (!got) return forward(got);
    if (*got == 0) break;
    if (Status put = write_all(file->get(), {block.data(), *got}, where_, "cannot be kept to check it"); !put)
      return put;
  }
  spool_ = std::move(*file);
  if (::lseek(spool_.get(), 0, SEEK_SET) < 0) return fail_errno(errno, where_, "cannot be read again");
  if (Status sound = check_gzip(spool_.get(), where_, budget); !sound) return sound;
  if (::lseek(spool_.get(), 0, SEEK_SET) < 0) return fail_errno(errno, where_, "cannot be read again");
  return {};
}

Result<std::size_t> CheckedInput::read(std::span<char> buffer) {
  if (begun_.empty()) return read_some(spool_.valid() ? spool_.get() : fd_, buffer, where_);
  const std::size_t n = begun_.copy(buffer.data(), buffer.size());
  begun_.erase(0, n);
  return n;
}

}  // namespace laggard::collect
