#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace laggard::topology {

/// The output of a file system's tool, as somebody saved it.
struct SavedText {
  std::string path;  ///< For messages; nothing is opened.
  std::string text;
  std::string host{};  ///< The machine it was printed on, where that matters and is known.
  std::string
      param{};  ///< When the text is the value of one parameter: its name, `osd-zfs.l-OST0000.mntdev`.
};

struct SavedLine {
  std::string_view text;  ///< Without carriage return; views the SavedText.
  std::uint32_t number = 0;
};

/// The lines of a text, counted from 1.
class SavedLines {
 public:
  explicit SavedLines(const SavedText& source) : path_(source.path), rest_(source.text) {}

  [[nodiscard]] std::optional<SavedLine> next();

  [[nodiscard]] std::string place(const SavedLine& line) const {
    return path_ + ":" + std::to_string(line.number);
  }
  [[nodiscard]] tl::unexpected<Error> bad(const SavedLine& line, std::string what) const {
    return fail(ErrorCode::kBadInput, place(line), std::move(what));
  }

 private:
  const std::string& path_;
  std::string_view rest_;
  std::uint32_t number_ = 0;
};

/// At most 60 characters of foreign text for a message; everything but printable ASCII becomes `?`.
[[nodiscard]] std::string excerpt(std::string_view text);

/// The files in a saved /proc/fs/lustre, /sys/fs/lustre or /sys/kernel/debug/lustre that describe the
/// topology, as Lustre's parameters: `osd-zfs/l-OST0000/mntdev` is `osd-zfs.l-OST0000.mntdev`. The folder is
/// one of these trees or holds some of them anywhere below. Links are not followed.
[[nodiscard]] Result<std::vector<SavedText>> read_saved_tree(const std::filesystem::path& folder,
                                                             const std::string& host);

}  // namespace laggard::topology
