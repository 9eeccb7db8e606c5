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

/// Prints a sentence for the user.
using Say = std::function<void(const std::string&)>;

/// What is left of a bench on the machine, each thing proven to belong to it: a mount, because it is at one
/// of the bench's mount points and of the type that the bench mounts there; a loop device, because its
/// backing file is in a modelled disk of the bench.
struct Remains {
  std::vector<Mount> mounts;             ///< In the order in which they were mounted.
  std::map<std::string, Backing> loops;  ///< `loop7`
};

/// Only looks. An error names what is mounted or attached in the state folder without belonging to the bench:
/// the folder cannot be removed while it is there, and it is not ours to remove.
[[nodiscard]] Result<Remains> find_remains(Machine& machine, const Layout& layout,
                                           std::span<const Change> changes);

/// Removes what the bench `layout.instance` made besides the files of the state folder: processes, by the
/// mark that they were started with; mounts and loop devices, as found by `find_remains`; network namespaces,
/// which are mounts too; memory groups, whose names contain its id. Restores settings: those of a loop device
/// as long as it is the bench's, those of the machine if they still have the bench's value. Idempotent.
///
/// Processes come first, and the modelled disks are made fast, or unmounting would wait for megabytes at the
/// speed of a slow disk. What cannot be undone is reported through `say`, and the rest continues. \return how
/// much could not be undone; an error when nothing was touched
[[nodiscard]] Result<std::size_t> undo(Machine& machine, const Layout& layout,
                                       std::span<const Change> changes, const Say& say);

/// Undoes everything of the bench that the journal belongs to, its state folder included, and removes the
/// journal. When something could not be undone, it fails and keeps the journal.
[[nodiscard]] Status take_down(Machine& machine, const Layout& layout, FileJournal& journal, const Say& say);

/// The file in a modelled disk's folder that sets its speed, and what can be written to it.
inline constexpr const char* kSpeedFile = "speed";
inline constexpr const char* kFast = "fast\n";
inline constexpr const char* kModelled = "modelled\n";

}  // namespace laggard::lab::bench
