#include "lab/striped/object_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace laggard::lab::striped {

namespace {

constexpr std::size_t kMostOpen = 64;
/// What O_DIRECT wants offsets and lengths to be multiples of.
constexpr std::uint64_t kSector = 512;
constexpr std::size_t kPage = 4096;

struct Free {
  void operator()(char* memory) const { std::free(memory); }
};

std::unique_ptr<char, Free> aligned(std::size_t bytes) {
  auto* memory = static_cast<char*>(std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage));
  if (memory == nullptr) std::abort();  // As PVFS does.
  return std::unique_ptr<char, Free>(memory);
}

/// Reads until the end or until all is there.
OrErrno<std::size_t> read_all(int file, std::span<char> into, std::uint64_t offset) {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t part =
        ::pread(file, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) return tl::unexpected(errno);
    done += static_cast<std::size_t>(part);
    if (part == 0 || static_cast<std::size_t>(part) % kSector != 0) break;  // The end.
  }
  return done;
}

OrErrno<void> put_all(int file, std::span<const char> bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t part = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) return tl::unexpected(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(part));
    offset += static_cast<std::size_t>(part);
  }
  return {};
}

OrErrno<std::uint64_t> size_of(int file) {
  struct stat status {};
  if (::fstat(file, &status) != 0) return tl::unexpected(errno);
  return static_cast<std::uint64_t>(status.st_size);
}

bool whole_sectors(std::uint64_t offset, std::size_t length) {
  return offset % kSector == 0 && length % kSector == 0;
}

/// The whole sectors that a range lies in, and memory for them.
struct Sectors {
  Sectors(std::uint64_t offset, std::size_t length)
      : from(offset / kSector * kSector),
        before(static_cast<std::size_t>(offset - from)),
        size((before + length + kSector - 1) / kSector * kSector),
        memory(aligned(size)) {}
  [[nodiscard]] std::span<char> bytes() const { return {memory.get(), size}; }

  std::uint64_t from;
  std::size_t before;  ///< Bytes of them in front of the range.
  std::size_t size;
  std::unique_ptr<char, Free> memory;
};

/// Reads the sectors around the range, puts the bytes in and writes them; the file does not get longer than
/// the range asks for.
OrErrno<void> patch(int file, std::uint64_t offset, std::span<const char> bytes) {
  const OrErrno<std::uint64_t> size = size_of(file);
  if (!size) return tl::unexpected(size.error());
  const Sectors sectors(offset, bytes.size());
  std::ranges::fill(sectors.bytes(), '\0');
  if (sectors.from < *size) {
    const auto before = read_all(file, sectors.bytes(), sectors.from);
    if (!before) return tl::unexpected(before.error());
  }
  std::ranges::copy(bytes, sectors.memory.get() + sectors.before);
  if (const auto done = put_all(file, sectors.bytes(), sectors.from); !done) return done;
  const std::uint64_t wanted = std::max(*size, offset + bytes.size());
  const bool is_longer = sectors.from + sectors.size > wanted;
  if (is_longer && ::ftruncate(file, static_cast<off_t>(wanted)) != 0) return tl::unexpected(errno);
  return {};
}

}  // namespace

Result<std::unique_ptr<ObjectStore>> ObjectStore::open(const Options& options) {
  std::error_code error;
  std::filesystem::create_directories(options.folder, error);
  if (error) return fail_errno(error.value(), options.folder.string(), "cannot be made");
  return std::unique_ptr<ObjectStore>(new ObjectStore(options));
}

std::filesystem::path ObjectStore::path(std::uint64_t object) const {
  return options_.folder / fmt::format("{:016x}", object);
}

OrErrno<std::shared_ptr<ObjectStore::Open>> ObjectStore::find(std::uint64_t object, Make make) {
  const std::lock_guard lock(mutex_);
  const auto there =
      std::find_if(open_.begin(), open_.end(), [&](const auto& o) { return o->object == object; });
  if (there != open_.end()) {
    open_.splice(open_.begin(), open_, there);
    return open_.front();
  }
  const int flags =
      O_RDWR | O_CLOEXEC | (make == Make::kYes ? O_CREAT : 0) | (options_.direct ? O_DIRECT : 0);
  Fd file(::open(path(object).c_str(), flags, 0600));
  if (!file.valid()) return tl::unexpected(errno);
  if (open_.size() >= kMostOpen) open_.pop_back();
  auto opened = std::make_shared<Open>();
  opened->object = object;
  opened->file = std::move(file);
  open_.push_front(opened);
  return opened;
}

void ObjectStore::forget(std::uint64_t object) {
  const std::lock_guard lock(mutex_);
  open_.remove_if([&](const auto& o) { return o->object == object; });
}

OrErrno<std::size_t> ObjectStore::read(std::uint64_t object, std::uint64_t offset, std::span<char> into) {
  const auto file = find(object, Make::kNo);
  if (!file) return file.error() == ENOENT ? OrErrno<std::size_t>(0) : tl::unexpected(file.error());
  const int fd = (*file)->file.get();
  if (whole_sectors(offset, into.size())) return read_all(fd, into, offset);
  const Sectors sectors(offset, into.size());
  const auto got = read_all(fd, sectors.bytes(), sectors.from);
  if (!got) return got;
  const std::size_t count = std::min(*got > sectors.before ? *got - sectors.before : 0, into.size());
  std::ranges::copy(sectors.bytes().subspan(sectors.before, count), into.data());
  return count;
}

tl::expected<void, ObjectStore::WriteFailure> ObjectStore::write(std::uint64_t object, std::uint64_t offset,
                                                                 std::span<const char> bytes) {
  const auto file = find(object, Make::kYes);
  if (!file) return tl::unexpected(WriteFailure{file.error(), true});
  const std::lock_guard lock((*file)->writing);
  const int fd = (*file)->file.get();
  const auto done =
      whole_sectors(offset, bytes.size()) ? put_all(fd, bytes, offset) : patch(fd, offset, bytes);
  if (!done) return tl::unexpected(WriteFailure{done.error(), false});
  return {};
}

OrErrno<std::uint64_t> ObjectStore::size(std::uint64_t object) {
  struct stat status {};
  if (::stat(path(object).c_str(), &status) == 0) return static_cast<std::uint64_t>(status.st_size);
  return errno == ENOENT ? OrErrno<std::uint64_t>(0) : tl::unexpected(errno);
}

OrErrno<void> ObjectStore::truncate(std::uint64_t object, std::uint64_t size) {
  if (::truncate(path(object).c_str(), static_cast<off_t>(size)) == 0) return {};
  if (errno != ENOENT) return tl::unexpected(errno);
  if (size == 0) return {};
  const auto file = find(object, Make::kYes);
  if (!file) return tl::unexpected(file.error());
  if (::ftruncate((*file)->file.get(), static_cast<off_t>(size)) != 0) return tl::unexpected(errno);
  return {};
}

OrErrno<void> ObjectStore::sync(std::uint64_t object) {
  const auto file = find(object, Make::kNo);
  if (!file) return file.error() == ENOENT ? OrErrno<void>() : tl::unexpected(file.error());
  if (::fdatasync((*file)->file.get()) != 0) return tl::unexpected(errno);
  return {};
}

OrErrno<void> ObjectStore::erase(std::uint64_t object) {
  forget(object);
  if (::unlink(path(object).c_str()) != 0 && errno != ENOENT) return tl::unexpected(errno);
  return {};
}

}  // namespace laggard::lab::striped
