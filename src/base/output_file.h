#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/file.h"

/// An output appears whole or not at all. Until it is whole it is written to a temporary file: hidden, beside
/// its target, named `.laggard-`, 16 hexadecimal digits and `.new`. Its writer holds a lock on it, so that a
/// file that a killed process left behind can be told from one that is being written.

namespace laggard {

/// Gives a file the mode, owner, group, access list and extended attributes of the file that it is going to
/// replace. What this user may not set is left out, but nobody who could not read or write the old file can
/// read or write the new one, except this user.
/// \param from   path of the file to be replaced, not a link. \param there  its status.
/// \param file   descriptor of the new file. \param where  names the file in errors.
[[nodiscard]] Status copy_attributes(const std::filesystem::path& from, const struct stat& there, int file,
                                     const std::string& where);

/// A file that was not there before, locked and empty.
struct TemporaryFile {
  std::string name;  ///< In its folder.
  Fd file;           ///< Invalid when it could not be created; errno says why.
};

/// \param folder  a descriptor. \param mode  as for open(2), before the umask.
[[nodiscard]] TemporaryFile create_temporary_file(int folder, mode_t mode);

/// Removes this user's temporary files whose writers are certainly gone: nobody holds the lock, and nothing
/// was written for ten minutes (on a parallel file system only one client may know of a lock).
void remove_stale_temporary_files(int folder);

/// What the path of an output leads to, behind all links.
struct OutputTarget {
  std::filesystem::path file;        ///< Not a link itself, except in /proc; need not exist.
  std::optional<struct stat> there;  ///< What is there now.
  /// A descriptor of this process, named as /dev/stdout, /dev/fd/N or /proc/self/fd/N. It is written to
  /// through a duplicate: a file that is opened again would be written from its beginning, over what the
  /// descriptor has written already.
  std::optional<int> descriptor;

  [[nodiscard]] std::filesystem::path folder() const;
  /// Whether the output replaces a regular file or makes a new one. Everything else is written into.
  [[nodiscard]] bool replaceable() const;
};

/// Follows a chain of links, even to a file that does not exist yet. Refuses folders and endless chains.
[[nodiscard]] Result<OutputTarget> find_output_target(const std::filesystem::path& path);

/// An output too large to hold in memory, which appears whole or not at all: it is written beside the target
/// and renamed over it by `commit`, with file and folder synced to the disk. Without `commit` nothing has
/// changed.
///
/// A link stays a link, to the file that is replaced or created behind it. A device, pipe or terminal
/// (/dev/null, /dev/stdout, /proc/self/fd/3) is written into as the bytes come. A file that was there keeps
/// its mode, owner, access list and extended attributes, as far as this user may set them; a new one gets
/// 0666 less the umask. A file that this user may not write to is not replaced either, nor is one in a folder
/// where this user can create no files.
class OutputFile {
 public:
  [[nodiscard]] static Result<OutputFile> create(const std::filesystem::path& path);

  OutputFile(OutputFile&&) noexcept = default;
  OutputFile& operator=(OutputFile&&) = delete;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  [[nodiscard]] Status write(std::string_view bytes);
  /// Once, after the last `write`.
  [[nodiscard]] Status commit();

 private:
  explicit OutputFile(std::filesystem::path path) : path_(std::move(path)) {}

  [[nodiscard]] Status open_existing(const std::filesystem::path& file, std::optional<int> descriptor);
  [[nodiscard]] Status open_temporary(const std::filesystem::path& folder);
  [[nodiscard]] Status take_attributes();
  [[nodiscard]] Status sync(int fd) const;

  std::filesystem::path path_;        ///< As the caller named it, for errors.
  std::filesystem::path target_;      ///< What is replaced.
  std::optional<struct stat> there_;  ///< The target's status before; nothing when it was not there.
  Fd folder_;                         ///< The target's; invalid when the target is written into.
  std::string temporary_;             ///< In the folder.
  Fd file_;
};

}  // namespace laggard
