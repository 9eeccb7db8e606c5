#pragma once

#include <cstdint>
#include <filesystem>

#include "base/error.h"
#include "lab/bench/layout.h"

namespace laggard::lab::bench {

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
