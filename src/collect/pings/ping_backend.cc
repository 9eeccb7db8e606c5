#include "collect/pings/ping_backend.h"

#include <array>

#include "collect/pings/directory_target.h"
#include "collect/pings/gluster_target.h"

namespace laggard::collect {

std::span<const PingBackend> ping_backends() {
  static constexpr std::array kBackends{
      PingBackend{.name = "dirs", .check = &DirectoryTarget::check, .open = &DirectoryTarget::open},
      PingBackend{.name = "gluster",
                  .check = &GlusterTarget::check,
                  .open = &GlusterTarget::open,
                  .list = &GlusterTarget::list,
                  .prepares = true},
  };
  return kBackends;
}

}  // namespace laggard::collect
