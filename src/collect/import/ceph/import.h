#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "collect/import/import.h"
#include "collect/import/unpack.h"
#include "model/ceph_work.h"
#include "model/series_source.h"

namespace laggard::collect {

/// Imports what Ceph's OSDs did by themselves into a sink: from saved snapshots of the placement groups
/// (pg_states.h), packed or not, the level `ceph_work` of the disk that an OSD keeps its data on. A snapshot
/// gives a sample for each OSD whose disk is known, 0 for those that did nothing; OSDs of one disk do what
/// all of them do.
///
/// A file that is bad is reported in the result and the next one is read; what stood before the bad place is
/// imported. Fails as a whole when the sink does.
[[nodiscard]] Result<ImportResult> import_ceph_work(std::span<const std::filesystem::path> files,
                                                    const OsdDisks& osds, TableSink& sink,
                                                    ImportObserver& observer,
                                                    const UnpackLimits& limits = {});

}  // namespace laggard::collect
