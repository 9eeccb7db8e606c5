// The bench's journal may be cut off anywhere by a crash. Whatever is in it, reading it ends in changes or in
// one error, and changes that were read are written the same way again. Campaign lists come from people.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "lab/bench/campaign.h"
#include "lab/bench/journal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto changes = laggard::lab::bench::parse_journal(text);
  if (changes) {
    std::string again;
    for (const laggard::lab::bench::Change& change : *changes) again += to_line(change);
    LAGGARD_CHECK(text.substr(0, again.size()) == again);
  }
  const auto runs = laggard::lab::bench::parse_campaign(text, {});
  if (runs) LAGGARD_CHECK(runs->size() <= size);
  return 0;
}
