// The lab's own files: what happened in a run, which runs there shall be, and what a bench has changed on the
// machine. The first byte chooses the reader.
#include <cstdint>
#include <string>
#include <string_view>

#include "lab/bench/campaign.h"
#include "lab/bench/journal.h"
#include "lab/cluster/truth.h"

namespace {

void read_truth(std::string_view text) {
  const auto truth = laggard::lab::parse_truth(text, "fuzz");
  if (truth && !laggard::lab::parse_truth(laggard::lab::to_json(*truth), "again")) __builtin_trap();
}

void read_journal(std::string_view text) {
  const auto changes = laggard::lab::bench::parse_journal(text);
  if (!changes) return;
  std::string again;
  for (const auto& change : *changes) again += laggard::lab::bench::to_line(change);
  if (laggard::lab::bench::parse_journal(again) != *changes) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 't') read_truth(text);
  if (data[0] == 'j') read_journal(text);
  if (data[0] == 'c') (void)laggard::lab::bench::parse_campaign(text, {});
  return 0;
}
