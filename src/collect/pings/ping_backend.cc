#include "collect/pings/ping_backend.h"

#include <array>

#include "collect/pings/ceph_target.h"
#include "collect/pings/directory_target.h"
#include "collect/pings/gluster_target.h"
#include "collect/pings/gpfs_target.h"
#include "collect/pings/lustre_target.h"
#include "collect/pings/moosefs_target.h"

namespace laggard::collect {

std::span<const PingBackend> ping_backends() {
  static constexpr std::array kBackends{
      PingBackend{.name = "dirs",
                  .pins = "to a directory or mount for each, as far as that goes",
                  .check = &DirectoryTarget::check,
                  .open = &DirectoryTarget::open},
      PingBackend{.name = "gluster",
                  .pins = "to a brick, or a set of replicas, by names that hash to it",
                  .check = &GlusterTarget::check,
                  .open = &GlusterTarget::open,
                  .list = &GlusterTarget::list,
                  .prepares = true},
      PingBackend{.name = "ceph",
                  .pins = "to the primary OSD of an object, and in a pool of size 1 to it alone",
                  .check = &CephTarget::check,
                  .open = &CephTarget::open,
                  .list = &CephTarget::list,
                  .usual_mount = "laggard-pings",
                  .prepares = true},
      PingBackend{.name = "lustre",
                  .pins = "to an OST, or an MDT, by the layout of a directory",
                  .check = &LustreBackend::check,
                  .open = &LustreBackend::open,
                  .list = &LustreBackend::list,
                  .prepares = true},
      PingBackend{.name = "gpfs",
                  .pins = "to a pool, over all of its NSDs, by a directory whose files are placed there",
                  .check = &GpfsBackend::check,
                  .open = &GpfsBackend::open,
                  .prepares = true},
      PingBackend{.name = "moosefs",
                  .pins = "to a chunkserver with a label of its own, by a storage class",
                  .check = &MooseFsBackend::check,
                  .open = &MooseFsBackend::open,
                  .list = &MooseFsBackend::list,
                  .prepares = true},
  };
  return kBackends;
}

}  // namespace laggard::collect
