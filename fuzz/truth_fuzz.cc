// What scoring reads: the truth of a run, that of a production day, and a diagnosis. The truth of a run must
// write and read back; a score needs nothing but files that could be read.
#include <cstdint>
#include <string_view>

#include "lab/cluster/truth.h"
#include "lab/scale/truth.h"
#include "lab/score/scale_score.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto truth = laggard::lab::parse_truth(text, "fuzz");
  if (truth && !laggard::lab::parse_truth(laggard::lab::to_json(*truth), "again")) __builtin_trap();
  // A truth, a line of dashes, and a diagnosis that is scored against it.
  const std::size_t parted = text.find("\n---\n");
  const std::string_view second = parted == std::string_view::npos ? text : text.substr(parted + 5);
  const auto day = laggard::lab::scale::parse_scale_truth(text.substr(0, parted), "fuzz");
  const auto diagnosis = laggard::lab::parse_diagnosis(second, "fuzz");
  if (!day || !diagnosis) return 0;
  const laggard::lab::ScaleScore score = laggard::lab::score_scale(*day, *diagnosis, {});
  if (score.problems.size() != day->incidents.size()) __builtin_trap();
  return 0;
}
