#include "lab/bench/throughput.h"

#include <algorithm>

#include "base/text.h"

namespace laggard::lab::bench {

std::uint64_t port_bytes(std::string_view net_dev, std::string_view ports) {
  constexpr int kBetweenReceivedAndSent = 7;
  std::uint64_t sum = 0;
  for (std::string_view line : split(net_dev, '\n')) {
    line = trim(line);
    const std::size_t colon = line.find(':');
    if (line.substr(0, ports.size()) != ports || colon == std::string_view::npos) continue;
    line.remove_prefix(colon + 1);
    sum += to_number<std::uint64_t>(take_word(line)).value_or(0);
    for (int i = 0; i < kBetweenReceivedAndSent; ++i) (void)take_word(line);
    sum += to_number<std::uint64_t>(take_word(line)).value_or(0);
  }
  return sum;
}

void Throughput::settle(MonoTime from) {
  std::erase_if(readings_, [&](const Reading& reading) { return reading.at < from; });
}

std::optional<Pace> Throughput::pace() const {
  constexpr double kMega = 1e6;
  std::vector<double> bins;
  for (std::size_t i = 1; i < readings_.size(); ++i) {
    const double seconds = to_seconds(readings_[i].at - readings_[i - 1].at);
    // A port that was replaced counts anew.
    if (seconds <= 0 || readings_[i].bytes < readings_[i - 1].bytes) continue;
    bins.push_back(static_cast<double>(readings_[i].bytes - readings_[i - 1].bytes) / kMega / seconds);
  }
  if (bins.empty()) return std::nullopt;
  Pace pace;
  pace.bins = bins.size();
  for (const double bin : bins) pace.mean_mb_per_second += bin / static_cast<double>(bins.size());
  std::sort(bins.begin(), bins.end());
  const std::size_t middle = bins.size() / 2;
  pace.median_mb_per_second = bins.size() % 2 == 1 ? bins[middle] : (bins[middle - 1] + bins[middle]) / 2;
  return pace;
}

std::optional<double> lost(const Paces& paces, double Pace::*figure) {
  if (!paces.before || !paces.during || !((*paces.before).*figure > 0)) return std::nullopt;
  return 1 - (*paces.during).*figure / (*paces.before).*figure;
}

}  // namespace laggard::lab::bench
