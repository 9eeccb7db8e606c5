// Saved output of file systems' tools, and site maps: any bytes end in one sentence or in a system file that
// reads back without a mistake. The first line of an input names the importer, a form feed begins the next
// file.
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "topology/import/import.h"
#include "topology/sketch.h"
#include "topology/system_file.h"

namespace {

using laggard::topology::SavedText;
using Importer = laggard::Result<laggard::topology::SystemSketch> (*)(
    std::span<const laggard::topology::SavedText>, const laggard::topology::SiteMap&);

struct Named {
  std::string_view name;
  Importer import;
};
constexpr std::array kImporters{
    Named{"gpfs", laggard::topology::import_gpfs}, Named{"lustre", laggard::topology::import_lustre},
    Named{"ceph", laggard::topology::import_ceph}, Named{"gluster", laggard::topology::import_gluster},
    Named{"moosefs", laggard::topology::import_moosefs}};

void check_sentence(const laggard::Error& error) {
  LAGGARD_CHECK(!error.what.empty() && error.message().find('\n') == std::string::npos);
}

void check_import(Importer import, const std::vector<laggard::topology::SavedText>& files) {
  const auto sketch = import(files, {});
  if (!sketch) {
    check_sentence(sketch.error());
    return;
  }
  const auto text = laggard::topology::write_system(*sketch);
  if (!text) {
    check_sentence(text.error());
  } else {
    LAGGARD_CHECK(laggard::topology::read_system(*text, "written").mistakes.empty());
  }
}

void check_map(std::string_view text) {
  const auto map = laggard::topology::parse_site_map(text, "site.toml");
  if (!map) {
    check_sentence(map.error());
    return;
  }
  laggard::topology::SystemSketch sketch;
  sketch.luns.push_back({.name = "a_lun1", .paths = {{"s1", "sda"}, {"s2", "sda"}}});
  sketch.servers = {{.name = "s1"}, {.name = "s2"}};
  laggard::topology::apply_site_map(*map, sketch);
  const auto written = laggard::topology::write_system(sketch);
  if (!written) check_sentence(written.error());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view chosen = input.substr(0, input.find('\n'));
  input.remove_prefix(std::min(chosen.size() + 1, input.size()));
  if (chosen == "map") check_map(input);
  std::vector<laggard::topology::SavedText> files;
  for (std::size_t at = 0; at <= input.size();) {
    const std::size_t end = std::min(input.find('\f', at), input.size());
    files.push_back({.path = "saved", .text = std::string(input.substr(at, end - at)), .host = "oss1"});
    at = end + 1;
  }
  for (const Named& importer : kImporters) {
    if (importer.name == chosen) check_import(importer.import, files);
  }
  return 0;
}
