#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/file.h"
#include "lab/bench/layout.h"

namespace laggard::lab::bench {

/// An error when any user could redirect a folder that we are about to write into: it or a folder on its path
/// is writable by all (like /tmp), and the next one belongs to another user. The owner of a folder that is
/// not writable by all is trusted, because the user who runs the bench has chosen it.
[[nodiscard]] Status check_out_folder(const std::filesystem::path& folder);

/// The file that marks a run's folder as made by the run and incomplete, so that it may be removed.
inline constexpr const char* kUnfinished = "unfinished";

/// Opens the folder `name` in the folder `parent` itself, neither through a link nor what is mounted on it.
/// \param where  names it in errors
[[nodiscard]] Result<Fd> open_folder(int parent, const std::string& name, const std::filesystem::path& where);

/// Removes the folder `name` in the folder `parent` with its contents and nothing else, whatever other
/// processes do meanwhile: links are removed, not followed, and a mount, beyond which nothing is removed, is
/// an error. \param where  names it in errors
[[nodiscard]] Status remove_tree(int parent, const std::string& name, const std::filesystem::path& where);

/// An error unless other users cannot change what the names in a folder refer to: it must be root's or ours,
/// and others must not write to it or (as in /tmp) only add to it.
[[nodiscard]] Status check_root(const std::filesystem::path& root);

/// Makes the state folder of `layout.instance`, with its mark and the folders `log` and `net`, readable only
/// by us. An error when anything of its name exists: it is never taken over.
[[nodiscard]] Status make_state_folder(const Layout& layout);

enum class StateFolder : std::uint8_t {
  kAbsent,
  kOurs,     ///< Of `layout.instance`, by the mark in it.
  kForeign,  ///< Anything else: a link, another user's, without the mark or with another one.
};
[[nodiscard]] Result<StateFolder> whose_state_folder(const Layout& layout);

/// Removes the state folder of `layout.instance`, whether it is complete, half made or half removed; does
/// nothing when it is gone. Requires that nothing is mounted in it.
[[nodiscard]] Status remove_state_folder(const Layout& layout);

}  // namespace laggard::lab::bench
