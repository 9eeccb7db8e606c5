#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "lab/bench/journal.h"
#include "lab/bench/layout.h"
#include "lab/bench/machine.h"

namespace laggard::lab::bench {

/// Sentences for the user.
using Say = std::function<void(const std::string&)>;

/// What of a bench is on the machine, each proven to be its own. A mount: at one of the places of the state
/// folder that the bench mounts at, and of the kind that it mounts there. A loop device: its backing file is
/// in a modelled disk of the bench.
struct Remains {
  std::vector<Mount> mounts;             ///< In the order in which they were mounted.
  std::map<std::string, Backing> loops;  ///< `loop7`
};

/// Looks, touches nothing. An error names what is mounted or attached in the state folder and is not the
/// bench's: the folder cannot go while it is there, and it is not ours to take away.
[[nodiscard]] Result<Remains> find_remains(Machine& machine, const Layout& layout,
                                           std::span<const Change> changes);

/// Takes away what the bench `layout.instance` made outside of the state folder's files: processes, by the
/// mark they were started with; mounts and loop devices, as found by `find_remains`; network namespaces,
/// which are mounts too; memory groups, whose names have its id; and gives back the settings, those of a loop
/// device as long as it is the bench's, those of the machine if they are still what the bench made of them.
/// Doing it twice does no harm.
///
/// Processes come first, and the modelled disks are made fast, or unmounting would wait for megabytes at
/// the speed of a slow disk. What cannot be undone is told to `say`, and the rest goes on.
/// \return how much could not be undone; an error when nothing was touched
[[nodiscard]] Result<std::size_t> undo(Machine& machine, const Layout& layout,
                                       std::span<const Change> changes, const Say& say);

/// Undoes all of the bench that the journal is of, its state folder included, and removes the journal; an
/// error, and a journal that stays, when something could not be.
[[nodiscard]] Status take_down(Machine& machine, const Layout& layout, FileJournal& journal, const Say& say);

/// The file in a modelled disk's folder that sets its speed, and what can be written to it.
inline constexpr const char* kSpeedFile = "speed";
inline constexpr const char* kFast = "fast\n";
inline constexpr const char* kModelled = "modelled\n";

}  // namespace laggard::lab::bench
