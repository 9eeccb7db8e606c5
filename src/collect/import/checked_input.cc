#include "collect/import/checked_input.h"

#include <unistd.h>

#include <cerrno>
#include <vector>

#include "collect/import/gzip.h"
#include "collect/import/nameless_file.h"

namespace laggard::collect {

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
