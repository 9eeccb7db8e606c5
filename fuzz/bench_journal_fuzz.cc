// The bench's journal may be cut off anywhere by a crash, or planted by somebody who wants it obeyed.
// Whatever is in it, reading it ends in an instance and changes of the closed list, or in one error; what was
// read is written the same way again, and no change leads out of the places that a bench changes. Campaign
// lists come from people.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "lab/bench/campaign.h"
#include "lab/bench/journal.h"
#include "lab/bench/machine.h"

namespace {

namespace bench = laggard::lab::bench;

void check_change(const bench::Change& change) {
  LAGGARD_CHECK(is_sound(change));
  const std::string path = path_of(change.setting, change.loop).native();
  LAGGARD_CHECK(path.find("..") == std::string::npos && path.find('\0') == std::string::npos);
  if (is_of_machine(change.setting)) return;
  LAGGARD_CHECK(path.rfind("/sys/block/loop", 0) == 0 && std::count(path.begin(), path.end(), '/') == 5);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto journal = bench::parse_journal(text);
  if (journal) {
    std::string again = to_line(journal->instance);
    for (const bench::Change& change : journal->changes) {
      check_change(change);
      again += to_line(change);
    }
    LAGGARD_CHECK(text.substr(0, again.size()) == again);
    LAGGARD_CHECK(text.find('\n', again.size()) == std::string_view::npos);
  }
  LAGGARD_CHECK(bench::parse_mounts(text).size() <= size);
  const auto runs = bench::parse_campaign(text, {});
  if (runs) LAGGARD_CHECK(runs->size() <= size);
  return 0;
}
