#include "cmd/progress.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/terminal_text.h"
#include "base/text.h"

namespace laggard::cmd {

namespace {
constexpr Duration kQuietAtFirst = std::chrono::seconds(1);
constexpr Duration kBetweenUpdates = std::chrono::milliseconds(200);
constexpr int kBarWidth = 30;
}  // namespace

Progress::Progress(std::string_view doing, Clock& clock)
    : doing_(doing),
      clock_(clock),
      started_(clock.mono()),
      shown_(started_),
      terminal_(::isatty(STDERR_FILENO) == 1) {}

void Progress::update(double fraction, std::string_view detail) {
  if (!terminal_) return;
  const MonoTime now = clock_.mono();
  if (now - started_ < kQuietAtFirst || now - shown_ < kBetweenUpdates) return;
  shown_ = now;
  visible_ = true;
  fraction = std::clamp(fraction, 0.0, 1.0);
  const int filled = static_cast<int>(fraction * kBarWidth);
  const double spent = to_seconds(now - started_);
  const std::string left = fraction > 0.02 ? fmt::format("{:.0f} s left", spent / fraction - spent) : "";
  std::fputs(fmt::format("\r\x1b[K{} {:3.0f} % [{:#<{}}{:-<{}}] {} {}", doing_, 100 * fraction, "", filled,
                         "", kBarWidth - filled, left, printable(detail))
                 .c_str(),
             stderr);
  std::fflush(stderr);
}

void Progress::clear() {
  if (!visible_) return;
  visible_ = false;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

SampleProgress::SampleProgress(std::string_view doing, Clock& clock)
    : clock_(clock), started_(clock.mono()), line_(doing, clock) {}

void SampleProgress::update(double fraction, std::uint64_t samples, std::string_view where) {
  const double rate = static_cast<double>(samples) / std::max(to_seconds(clock_.mono() - started_), 1e-3);
  line_.update(fraction, fmt::format("{} samples, {} a second, {}", with_separators(samples),
                                     with_separators(static_cast<std::uint64_t>(rate)), where));
}

void SampleProgress::notice(std::string_view sentence) {
  line_.clear();
  std::fputs(fmt::format("laggard: note: {}\n", printable(sentence)).c_str(), stderr);
}

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

RecordDisplay::RecordDisplay(std::string out)
    : out_(std::move(out)), terminal_(::isatty(STDERR_FILENO) == 1) {}

void RecordDisplay::measure() {
  if (terminal_) bytes_ = bytes_below(out_);
}

void RecordDisplay::write(std::string last, int wait_ms) {
  // A pipe that can be written to takes this much without waiting (PIPE_BUF).
  constexpr std::size_t kPiece = 4096;
  std::string text = unsaid_ + std::move(last);
  const std::size_t lines = unsaid_.size();
  std::size_t done = 0;
  pollfd poll{STDERR_FILENO, POLLOUT, 0};
  while (done < text.size() && ::poll(&poll, 1, wait_ms) > 0) {
    const ssize_t put = ::write(STDERR_FILENO, text.data() + done, std::min(kPiece, text.size() - done));
    if (put <= 0) {
      done = text.size();  // Nobody will ever read it.
      break;
    }
    done += static_cast<std::size_t>(put);
  }
  unsaid_.erase(0, std::min(done, lines));
}

void RecordDisplay::say(const std::string& sentence) {
  constexpr std::size_t kMostUnsaid = 64 << 10;
  const std::lock_guard lock(mutex_);
  if (unsaid_.size() > kMostUnsaid) return;
  unsaid_ += fmt::format("{}laggard: note: {}\n", line_shown_ ? "\r\033[K" : "", printable(sentence));
  line_shown_ = false;
  write({}, 0);
}

/// Once when it begins, and again when it becomes another one or ends.
void RecordDisplay::show_refusal(const std::optional<Error>& refusal) {
  const std::optional<std::string> what = refusal ? std::optional(refusal->what) : std::nullopt;
  if (what == refusal_) return;
  refusal_ = what;
  say(refusal ? refusal->message() + "; samples wait in memory" : out_ + ": can be written again");
}

void RecordDisplay::show(const collect::RecordProgress& progress) {
  show_refusal(progress.outbox.refusal);
  if (!terminal_ || (shown_ && progress.elapsed - *shown_ < kBetweenLines)) return;
  shown_ = progress.elapsed;
  const std::lock_guard lock(mutex_);
  write(fmt::format("\r\033[K{}", sentence(progress)), 0);
  line_shown_ = true;
}

void RecordDisplay::finish(const collect::RecordProgress& progress, std::uint64_t lost) {
  constexpr int kLastWaitMs = 1000;
  bytes_ = bytes_below(out_);
  std::string text = sentence(progress);
  if (progress.outbox.rows_dropped > 0) {
    text += fmt::format("; {} dropped while the disk hung", progress.outbox.rows_dropped);
  }
  if (lost > 0) text += fmt::format("; {} lost while nothing could be written", lost);
  if (progress.clock_steps > 0) text += fmt::format("; steps of the clock: {}", progress.clock_steps);
  if (progress.suspensions > 0) text += fmt::format("; times suspended: {}", progress.suspensions);
  const std::lock_guard lock(mutex_);
  write(fmt::format("{}recorded {} in {}\n", line_shown_ ? "\r\033[K" : "", text, printable(out_)),
        kLastWaitMs);
}

std::string RecordDisplay::sentence(const collect::RecordProgress& progress) const {
  std::string gaps = fmt::format("{} {}", progress.gaps, progress.gaps == 1 ? "gap" : "gaps");
  if (progress.gaps > 0) gaps += fmt::format(" ({} ticks missed)", progress.missed_ticks);
  return fmt::format("{}: {} samples of {} devices, {}, {}",
                     to_text(std::chrono::duration_cast<std::chrono::seconds>(progress.elapsed)),
                     progress.samples, progress.devices, human_bytes(bytes_.load()), gaps);
}

}  // namespace laggard::cmd
