// Texts of perf script of any version and fields: any bytes end as samples whose names fit into profiles, or
// as one error.
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "collect/import/perf/perf_object.h"
#include "collect/import/perf/perf_samples.h"
#include "model/code_profile.h"
#include "model/dictionary.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  laggard::collect::PerfSamples samples([](const laggard::collect::ScriptSample& sample) -> laggard::Status {
    LAGGARD_CHECK(sample.frames.size() <= laggard::collect::PerfSamples::kMostFrames);
    LAGGARD_CHECK(sample.moment >= laggard::Duration::zero());
    std::vector<std::string_view> functions;
    for (const auto& frame : sample.frames) {
      functions.emplace_back(frame.function);
      const std::string binary = laggard::collect::binary_name(frame.object);
      const std::string word = laggard::to_word(
          {.program = laggard::program_of_thread(sample.comm), .binary = binary, .function = frame.function});
      LAGGARD_CHECK(word.size() <= laggard::Dictionary::kLongestWord && laggard::function_name(word));
    }
    LAGGARD_CHECK(laggard::to_folded(sample.comm, functions).size() <= laggard::Dictionary::kLongestWord);
    return {};
  });
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
    if (!laggard::collect::check_perf_script(line)) break;
    if (!samples.add(line)) break;
  }
  static_cast<void>(samples.finish());
  return 0;
}
