#include "collect/import/code_samples.h"

#include <fmt/format.h>

#include "base/text.h"
#include "model/code_profile.h"

namespace laggard::collect {

namespace {

/// Perf writes `:4513` for a thread whose name it never saw; numbers are different on every machine.
bool is_nameless(std::string_view thread) {
  return thread.empty() || (thread.starts_with(':') && to_number<std::int64_t>(thread.substr(1)));
}

}  // namespace

Status CodeSamples::put(const CodeSample& sample) {
  const std::string_view program =
      is_nameless(sample.thread) ? "[unknown]" : program_of_thread(sample.thread);
  if (program == kNobody && is_idle_function(sample.function)) {
    idle_ += sample.count;
    return {};
  }
  if (sample.thread.starts_with("swapper") && sample.function.empty()) maybe_idle_ += sample.count;
  const std::string function =
      to_word({.program = program, .binary = sample.binary, .function = sample.function});
  ProfileImport::Count count{.kind = kSamplesKind,
                             .start = sample.start,
                             .length = sample.length,
                             .word = function,
                             .count = sample.count,
                             .each = sample.each};
  if (Status put = import_.put(sample.host, count); !put) return put;
  import_.count_sample(sample.host, sample.time);
  if (sample.stack.empty()) return {};
  const std::string stack = to_folded(program, sample.stack);
  count.kind = kStacksKind;
  count.word = stack;
  return import_.put(sample.host, count);
}

void CodeSamples::notice_idle() {
  if (idle_ > 0) {
    import_.notice(fmt::format("{} {} left out: the processor was idle", with_separators(idle_),
                               idle_ == 1 ? "sample was" : "samples were"));
  }
  if (maybe_idle_ > 0) {
    import_.notice(fmt::format(
        "{} {} no function of swapper, so that idle time may be among them; have perf script run as "
        "root with kernel.kptr_restrict=0",
        with_separators(maybe_idle_), maybe_idle_ == 1 ? "sample names" : "samples name"));
  }
}

}  // namespace laggard::collect
