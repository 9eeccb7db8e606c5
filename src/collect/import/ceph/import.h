#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "collect/import/import.h"
#include "collect/import/topology/saved_text.h"
#include "collect/import/topology/site_map.h"
#include "model/series_source.h"

namespace laggard::collect {

/// Where a cluster's OSDs are.
struct CephPlaces {
  /// `ceph osd metadata`, or `ceph device ls`, with `-f json`; `ceph osd tree` says nothing more here.
  std::vector<SavedText> osds;
  SiteMap map{};  ///< What the recordings call the hosts.
};

/// Imports what Ceph's OSDs did by themselves into a sink: from saved snapshots of the placement groups
/// (pg_states.h), packed or not, the level `ceph_work` of the disk that an OSD keeps its data on. A snapshot
/// gives a sample for each OSD whose disk is known, 0 for those that did nothing; OSDs of one disk do what
/// all of them do.
///
/// A file that is bad is reported in the result and the next one is read; what stood before the bad place is
/// imported. Fails as a whole when no OSD's disk is known, or the sink does.
[[nodiscard]] Result<ImportResult> import_ceph_work(std::span<const std::filesystem::path> files,
                                                    const CephPlaces& places, TableSink& sink,
                                                    ImportObserver& observer);

}  // namespace laggard::collect
