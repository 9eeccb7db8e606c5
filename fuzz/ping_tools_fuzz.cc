// What programs of file systems print of targets and of where files lie; what is read is made of their words.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "collect/pings/gpfs_target.h"
#include "collect/pings/lustre_target.h"
#include "collect/pings/moosefs_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  using namespace laggard::collect;
  for (const LustrePart& part : parse_lfs_targets(text).active) {
    LAGGARD_CHECK(text.find(part.name + "_UUID") != std::string_view::npos);
    LAGGARD_CHECK(parse_lustre_part(part.name) == part);
  }
  const auto master = parse_moosefs_master(text);
  LAGGARD_CHECK(!master || !(master->host.empty() || master->port.empty()));
  const auto servers = parse_moosefs_servers(text);
  LAGGARD_CHECK(moosefs_targets(servers, "/m").targets.size() <= servers.size());
  for (const std::string& copy : parse_moosefs_copies(text))
    LAGGARD_CHECK(text.find(copy) != std::string_view::npos);
  if (const auto pool = parse_mmlsattr_pool(text)) LAGGARD_CHECK(text.find(*pool) != std::string_view::npos);
  if (const auto place = parse_gpfs_place(text)) LAGGARD_CHECK(place->directory.starts_with('/'));
  return 0;
}
