#pragma once

#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <span>

#include "base/file.h"
#include "lab/striped/message.h"

namespace laggard::lab::striped {

/// The objects of a server: a file each, made when it is first written to, as PVFS makes its bstreams (so
/// that what making a file may run into comes back from an application's write). The last 64 files stay open,
/// as in PVFS. Files are opened with O_DIRECT, so that calls take as long as the disk does (S §5).
///
/// May be used by several threads at a time.
class ObjectStore {
 public:
  struct Options {
    std::filesystem::path folder;
    bool direct = true;  ///< With O_DIRECT, which not every file system has.
  };
  [[nodiscard]] static Result<std::unique_ptr<ObjectStore>> open(const Options& options);

  /// \param into  aligned to a page, as all buffers here are \return less than its size at the end of the
  /// object
  [[nodiscard]] OrErrno<std::size_t> read(std::uint64_t object, std::uint64_t offset, std::span<char> into);
  /// What went wrong when an object was written to.
  struct WriteFailure {
    int error = 0;
    bool opening = false;  ///< The object could not be opened or made.
  };
  [[nodiscard]] tl::expected<void, WriteFailure> write(std::uint64_t object, std::uint64_t offset,
                                                       std::span<const char> bytes);
  [[nodiscard]] OrErrno<std::uint64_t> size(std::uint64_t object);
  [[nodiscard]] OrErrno<void> truncate(std::uint64_t object, std::uint64_t size);
  [[nodiscard]] OrErrno<void> sync(std::uint64_t object);
  [[nodiscard]] OrErrno<void> erase(std::uint64_t object);

 private:
  struct Open {
    std::uint64_t object = 0;
    Fd file;
    std::mutex writing;  ///< Writes of parts of sectors read, change and write.
  };
  enum class Make { kNo, kYes };

  explicit ObjectStore(Options options) : options_(std::move(options)) {}
  [[nodiscard]] std::filesystem::path path(std::uint64_t object) const;
  [[nodiscard]] OrErrno<std::shared_ptr<Open>> find(std::uint64_t object, Make make);
  void forget(std::uint64_t object);

  Options options_;
  std::mutex mutex_;
  std::list<std::shared_ptr<Open>> open_;  ///< The last used first.
};

}  // namespace laggard::lab::striped
