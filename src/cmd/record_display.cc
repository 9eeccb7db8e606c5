#include "cmd/record_display.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace laggard::cmd {

namespace {

using namespace std::chrono_literals;

constexpr Duration kBetweenLines = 200ms;

std::uint64_t bytes_below(const std::filesystem::path& folder) {
  std::uint64_t sum = 0;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code gone;
    const std::uintmax_t size = it->is_regular_file(gone) ? it->file_size(gone) : 0;
    if (!gone) sum += size;
  }
  return sum;
}

}  // namespace

RecordDisplay::RecordDisplay(std::string out, Duration refresh_size)
    : out_(std::move(out)), refresh_size_(refresh_size), terminal_(::isatty(STDERR_FILENO) == 1) {}

void RecordDisplay::say(const std::string& sentence) {
  std::fprintf(stderr, "%slaggard: note: %s\n", line_shown_ ? "\r\033[K" : "", sentence.c_str());
  line_shown_ = false;
}

void RecordDisplay::show(const collect::RecordProgress& progress) {
  if (progress.outbox.disk_full != was_full_) {
    was_full_ = progress.outbox.disk_full;
    say(out_ + (was_full_ ? ": the disk is full; samples wait in memory" : ": there is room again"));
  }
  if (!terminal_ || (shown_ && progress.elapsed - *shown_ < kBetweenLines)) return;
  shown_ = progress.elapsed;
  if (!measured_ || progress.elapsed - *measured_ >= refresh_size_) {
    measured_ = progress.elapsed;
    bytes_ = bytes_below(out_);
  }
  std::fprintf(stderr, "\r\033[K%s", sentence(progress).c_str());
  std::fflush(stderr);
  line_shown_ = true;
}

void RecordDisplay::finish(const collect::RecordProgress& progress, std::uint64_t lost) {
  bytes_ = bytes_below(out_);
  std::string text = sentence(progress);
  if (progress.outbox.rows_dropped > 0) {
    text += fmt::format("; {} dropped while the disk hung", progress.outbox.rows_dropped);
  }
  if (lost > 0) text += fmt::format("; {} lost while the disk was full", lost);
  if (progress.clock_steps > 0) text += fmt::format("; steps of the clock: {}", progress.clock_steps);
  std::fprintf(stderr, "%srecorded %s in %s\n", line_shown_ ? "\r\033[K" : "", text.c_str(), out_.c_str());
}

std::string RecordDisplay::sentence(const collect::RecordProgress& progress) const {
  std::string gaps = fmt::format("{} {}", progress.gaps, progress.gaps == 1 ? "gap" : "gaps");
  if (progress.gaps > 0) gaps += fmt::format(" ({} ticks missed)", progress.missed_ticks);
  return fmt::format("{}: {} samples of {} devices, {}, {}",
                     to_text(std::chrono::duration_cast<std::chrono::seconds>(progress.elapsed)),
                     progress.samples, progress.devices, human_bytes(bytes_), gaps);
}

}  // namespace laggard::cmd
