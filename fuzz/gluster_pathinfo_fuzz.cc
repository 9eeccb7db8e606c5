// Where files lie is told by servers, in a text that holds names of users; whatever it is, what is read from
// it is made of its own words.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "collect/pings/gluster_layout.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(laggard::collect::gluster_hash(text));
  const auto info = laggard::collect::parse_gluster_pathinfo(text);
  if (!info) return 0;
  LAGGARD_CHECK(!info->bricks.empty());
  for (const auto& brick : info->bricks) {
    LAGGARD_CHECK(text.find("<POSIX(" + brick.path + "):" + brick.host + ":/") != std::string_view::npos);
  }
  for (const auto& range : info->layout) {
    LAGGARD_CHECK(range.last > 0);
    LAGGARD_CHECK(text.find(range.subvolume) != std::string_view::npos);
  }
  return 0;
}
