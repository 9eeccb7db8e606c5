#include "lab/bench/cpu_share.h"

#include <array>

#include "base/text.h"

namespace laggard::lab::bench {

std::optional<CpuTimes> parse_cpu_times(std::string_view stat) {
  stat = stat.substr(0, stat.find('\n'));
  if (take_word(stat) != "cpu") return std::nullopt;
  constexpr std::size_t kFields = 8;
  std::array<std::uint64_t, kFields> ticks{};
  CpuTimes times;
  for (std::uint64_t& tick : ticks) {
    const auto value = to_number<std::uint64_t>(take_word(stat));
    if (!value) return std::nullopt;
    tick = *value;
    times.all += tick;
  }
  times.busy = times.all - ticks[3] - ticks[4];
  return times;
}

std::optional<double> busy_share(const CpuTimes& from, const CpuTimes& to) {
  if (to.all <= from.all || to.busy < from.busy) return std::nullopt;
  return static_cast<double>(to.busy - from.busy) / static_cast<double>(to.all - from.all);
}

std::optional<std::uint64_t> parse_process_ticks(std::string_view stat) {
  // The name, in parentheses, may hold anything; after it come state and 10 numbers, then the four times.
  const std::size_t end = stat.rfind(')');
  if (end == std::string_view::npos) return std::nullopt;
  stat.remove_prefix(end + 1);
  for (int i = 0; i < 11; ++i) (void)take_word(stat);
  std::uint64_t sum = 0;
  for (int i = 0; i < 4; ++i) {
    const auto value = to_number<std::uint64_t>(take_word(stat));
    if (!value) return std::nullopt;
    sum += *value;
  }
  return sum;
}

}  // namespace laggard::lab::bench
