#pragma once

#include <functional>
#include <span>
#include <string>

#include "lab/bench/journal.h"
#include "lab/bench/machine.h"

namespace laggard::lab::bench {

/// Undoes changes, the last one first. What is already undone, or was never done because we were killed
/// between the entry and the change, is passed over: undoing twice does no harm.
///
/// Processes come first, and the modelled disks are made fast, or unmounting would wait for megabytes at
/// the speed of a slow disk. A change that cannot be undone is told to `say`, and the others go on.
/// \return how many could not be undone.
std::size_t undo(Machine& machine, std::span<const Change> changes,
                 const std::function<void(const std::string&)>& say);

/// Undoes what a journal says and empties it; an error, and a journal that stays, when something could not
/// be.
[[nodiscard]] Status take_down(Machine& machine, FileJournal& journal,
                               const std::function<void(const std::string&)>& say);

/// The file in a modelled disk's folder that sets its speed, and what can be written to it.
inline constexpr const char* kSpeedFile = "speed";
inline constexpr const char* kFast = "fast\n";
inline constexpr const char* kModelled = "modelled\n";

/// The namespace that the modelled disks live in ends like this: what is in it has to outlive the mounts.
inline constexpr const char* kDisksNetwork = "-disks";

}  // namespace laggard::lab::bench
