#include "collect/import/checked_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <vector>

#include "collect/import/unpack.h"

namespace laggard::collect {

std::filesystem::path scratch_folder() {
  // Nothing else runs yet that could change the environment.
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
  // Not every file system can: then it has a name for a moment.
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
