#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "topology/import/saved_text.h"
#include "topology/import/site_map.h"
#include "topology/sketch.h"

namespace laggard::topology {

// Importers of topology: the saved output of a file system's own tools -> a system as far as those tools know
// it. docs/formats/topology.md says for each which commands to save, what is taken and what is not.
//
// All of them: text that does not fit is one error with file and line; what could not be known, and what was
// assumed instead, is in the notes of the sketch; the site map is applied.

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

// Sentences that all importers of topology write into the system file.

/// Names for a comment: folded, and cut where nobody would read on.
[[nodiscard]] std::string listed(std::span<const std::string> names);

/// The first comment of the file.
[[nodiscard]] std::string imported_from(std::string_view filesystem);

/// What no file system's tools know.
[[nodiscard]] std::string missing_in_general();

}  // namespace laggard::topology
