#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/file.h"
#include "lab/bench/layout.h"

namespace laggard::lab::bench {

/// An error when a folder that we are about to write into can be led elsewhere by any user: it, or a folder
/// on the way to it, can be written by all (as /tmp) and what comes next is another user's. Who owns a folder
/// that is not open to all is trusted: whoever runs the bench has chosen it.
[[nodiscard]] Status check_out_folder(const std::filesystem::path& folder);

/// In a folder of a run that the run made, until it is complete: what is in there may be removed.
inline constexpr const char* kUnfinished = "unfinished";

/// Opens the folder `name` of the folder `parent`, itself: neither a link to one nor what is mounted on it.
/// \param where  names it in errors
[[nodiscard]] Result<Fd> open_folder(int parent, const std::string& name, const std::filesystem::path& where);

/// Removes the folder `name` of the folder `parent` with all that is in it, and nothing else, whatever others
/// do meanwhile: links are removed, not followed, and nothing is removed beyond a mount, which is an error.
/// \param where  names it in errors
[[nodiscard]] Status remove_tree(int parent, const std::string& name, const std::filesystem::path& where);

/// An error unless only we decide what the names in a folder mean: it is root's or ours, and others cannot
/// write to it, or (as in /tmp) only add to it.
[[nodiscard]] Status check_root(const std::filesystem::path& root);

/// Makes the state folder of `layout.instance`, with its mark and the folders `log` and `net`, for nobody
/// else to look into. An error when anything of its name is there: it is never taken over.
[[nodiscard]] Status make_state_folder(const Layout& layout);

enum class StateFolder : std::uint8_t {
  kAbsent,
  kOurs,     ///< Of `layout.instance`, by the mark in it.
  kForeign,  ///< Anything else: a link, another user's, without the mark or with another one.
};
[[nodiscard]] Result<StateFolder> whose_state_folder(const Layout& layout);

/// Removes the state folder of `layout.instance`, whether it stands, is half made or half removed; nothing
/// when it is gone. Requires that nothing is mounted below.
[[nodiscard]] Status remove_state_folder(const Layout& layout);

}  // namespace laggard::lab::bench
