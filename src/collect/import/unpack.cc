#include "collect/import/unpack.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
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
      // A file may be several packed ones, one behind the other.
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
  /// Whether the last packed file was whole.
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
  bool between_ = true;   ///< Before the first and after each packed file.
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

}  // namespace laggard::collect
