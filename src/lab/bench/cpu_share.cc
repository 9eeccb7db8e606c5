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
  times.stolen = ticks[7];
  return times;
}

namespace {

std::optional<double> share(std::uint64_t from, std::uint64_t to, std::uint64_t all_from,
                            std::uint64_t all_to) {
  if (all_to <= all_from || to < from) return std::nullopt;
  return static_cast<double>(to - from) / static_cast<double>(all_to - all_from);
}

}  // namespace

std::optional<double> busy_share(const CpuTimes& from, const CpuTimes& to) {
  return share(from.busy, to.busy, from.all, to.all);
}

std::optional<double> stolen_share(const CpuTimes& from, const CpuTimes& to) {
  return share(from.stolen, to.stolen, from.all, to.all);
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
