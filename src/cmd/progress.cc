#include "cmd/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

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

}  // namespace laggard::cmd
