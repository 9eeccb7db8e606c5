#include "collect/import/perf/perf_samples.h"

#include "base/text.h"

namespace laggard::collect {

namespace {

/// What perf writes between samples when it is asked to (--show-task-events, --show-lost-events).
constexpr std::string_view kOtherRecord = "PERF_RECORD_";

}  // namespace

void PerfSamples::add_frame(const PerfFrame& frame) {
  if (sample_.frames.size() >= kMostFrames) return;
  sample_.frames.push_back({.function = std::string(frame.function),
                            .object = std::string(frame.object),
                            .is_inlined = frame.is_inlined});
}

bool PerfSamples::add_frame(std::string_view line) {
  if (!open_) return false;
  // Indented lines without a function tell of sources and branches, which profiles have no use for.
  const bool is_indented = line.starts_with(' ') || line.starts_with('\t');
  const std::optional<PerfFrame> frame = parse_perf_frame(line);
  if (!frame || !is_indented) return is_indented;
  // An address in the first line was that of data then (-F addr).
  if (!sample_.has_chain) sample_.frames.clear();
  sample_.has_chain = true;
  add_frame(*frame);
  return true;
}

Status PerfSamples::begin(const PerfHead& head) {
  if (Status handed = finish(); !handed) return handed;
  if (head.rest.starts_with(kOtherRecord)) return {};
  sample_ = {.comm = std::string(head.comm),
             .moment = head.moment,
             .period = head.period,
             .event = std::string(head.event),
             .frames = {},
             .has_chain = false};
  open_ = true;
  any_ = true;
  if (const std::optional<PerfFrame> frame = parse_perf_frame(head.rest)) add_frame(*frame);
  return {};
}

Status PerfSamples::add(std::string_view line) {
  was_other_ = false;
  if (trim(line).empty()) return finish();
  if (line.starts_with('#')) {
    read_capture(line, capture_);
    return {};
  }
  // Only functions of a call chain are behind a tab; a thread's name may be padded with blanks.
  if (line.starts_with('\t') && add_frame(line)) return {};
  if (const std::optional<PerfHead> head = parse_perf_head(line)) return begin(*head);
  was_other_ = !add_frame(line);
  return {};
}

Status PerfSamples::finish() {
  if (!open_) return {};
  open_ = false;
  return take_(sample_);
}

}  // namespace laggard::collect
