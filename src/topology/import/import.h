#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "topology/import/saved_text.h"
#include "topology/import/site_map.h"
#include "topology/sketch.h"

namespace laggard::topology {

// Importers of topology turn the saved output of a file system's own tools into a system, as far as those
// tools know it. docs/formats/topology.md lists for each the commands to save, what is used and what is not.
//
// They have in common: malformed text is one error with file and line; the notes of the sketch say what could
// not be known and what was assumed instead; the site map is applied.

/// IBM GPFS (Spectrum Scale, Storage Scale): mmlsnsd, mmlscluster, mmlsdisk.
[[nodiscard]] Result<SystemSketch> import_gpfs(std::span<const SavedText> files, const SiteMap& map);

/// Lustre: `lctl dl`, `lctl list_nids`, `lctl get_param`, `lfs osts`, or copies of /proc/fs/lustre.
[[nodiscard]] Result<SystemSketch> import_lustre(std::span<const SavedText> files, const SiteMap& map);

/// Ceph: `ceph osd tree`, `ceph osd metadata`, `ceph device ls`, each with -f json.
[[nodiscard]] Result<SystemSketch> import_ceph(std::span<const SavedText> files, const SiteMap& map);

/// GlusterFS: `gluster volume info --xml`, `gluster volume status all detail --xml`.
[[nodiscard]] Result<SystemSketch> import_gluster(std::span<const SavedText> files, const SiteMap& map);

/// MooseFS: `mfscli -SCS -SHD`.
[[nodiscard]] Result<SystemSketch> import_moosefs(std::span<const SavedText> files, const SiteMap& map);

// For the importers: sentences that all of them write into the system file.

/// Names for a comment: folded, and cut when the list gets long.
[[nodiscard]] std::string listed(std::span<const std::string> names);

/// The first comment of the file.
[[nodiscard]] std::string imported_from(std::string_view filesystem);

/// What no file system's tools know and an operator has to add.
[[nodiscard]] std::string missing_in_general();

}  // namespace laggard::topology
