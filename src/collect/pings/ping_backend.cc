#include "collect/pings/ping_backend.h"

#include <array>

#include "collect/pings/directory_target.h"

namespace laggard::collect {

std::span<const PingBackend> ping_backends() {
  static constexpr std::array kBackends{
      PingBackend{"dirs", &DirectoryTarget::check, &DirectoryTarget::open},
  };
  return kBackends;
}

}  // namespace laggard::collect
