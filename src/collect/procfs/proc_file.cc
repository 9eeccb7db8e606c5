#include "collect/procfs/proc_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace laggard::collect {

namespace {

constexpr std::size_t kFirstBuffer = std::size_t{64} << 10;
/// Some 500,000 devices; a file that goes on beyond that is not the one we know.
constexpr std::size_t kLargestBuffer = std::size_t{64} << 20;

}  // namespace

ProcFile::ProcFile(Fd fd, std::string path)
    : fd_(std::move(fd)), path_(std::move(path)), buffer_(kFirstBuffer) {}

Result<ProcFile> ProcFile::open(const std::filesystem::path& path) {
  Fd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!fd.valid()) return fail_errno(errno, path.string(), "cannot open");
  return ProcFile(std::move(fd), path.string());
}

Result<std::string_view> ProcFile::read() {
  std::size_t length = 0;
  for (;;) {
    if (length == buffer_.size()) {
      if (buffer_.size() >= kLargestBuffer) {
        return fail(ErrorCode::kBadInput, path_, "is larger than 64 MB, which no list of devices is");
      }
      buffer_.resize(buffer_.size() * 2);
    }
    const ssize_t n =
        ::pread(fd_.get(), buffer_.data() + length, buffer_.size() - length, static_cast<off_t>(length));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno(errno, path_, "cannot read");
    if (n == 0) return std::string_view(buffer_.data(), length);
    length += static_cast<std::size_t>(n);
  }
}

}  // namespace laggard::collect
