// Monitors answer in JSON that holds names of hosts and disks; whatever it is, what is read from it is whole.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "collect/pings/ceph_answers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  using namespace laggard::collect;
  static_cast<void>(parse_ceph_place(text));
  static_cast<void>(ceph_place_command(text, text));
  if (const auto osds = parse_ceph_osds(text)) {
    std::int64_t last = 0;
    for (const CephOsd& osd : *osds) {
      LAGGARD_CHECK(osd.id >= last);
      LAGGARD_CHECK(parse_osd_name(osd.place()) == osd.id);
      LAGGARD_CHECK(osd.target_name().starts_with(osd.host));
      last = osd.id;
    }
  }
  if (const auto down = parse_ceph_down(text)) {
    for (const std::int64_t osd : down->in) LAGGARD_CHECK(down->all.contains(osd));
  }
  return 0;
}
