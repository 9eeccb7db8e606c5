#include "lab/bench/disk_ailment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"

namespace laggard::lab::bench {

namespace {

struct Member {
  std::string_view name;
  double DiskAilment::*value;
  double least;
  double most;
};

constexpr double kLongest = 3600;
constexpr std::array kMembers{
    Member{"slower", &DiskAilment::slower, 1, 1000},
    Member{"region", &DiskAilment::region, 0, 1},
    Member{"stall", &DiskAilment::stall, 0, kLongest},
    Member{"every", &DiskAilment::every, 0, kLongest},
    Member{"failed", &DiskAilment::failed, 0, 1},
    Member{"retry", &DiskAilment::retry, 0, 1e3 * kLongest},
};

}  // namespace

bool set_ailment(DiskAilment& ailment, std::string_view name, double value) {
  const auto* const member =
      std::find_if(kMembers.begin(), kMembers.end(), [&](const Member& m) { return m.name == name; });
  if (member == kMembers.end() || !(value >= member->least && value <= member->most)) return false;
  ailment.*(member->value) = value;
  return true;
}

std::string to_text(const DiskAilment& ailment) {
  std::string text;
  for (const Member& member : kMembers) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", member.name, ailment.*(member.value));
  }
  return text;
}

std::optional<DiskAilment> parse_ailment(std::string_view text) {
  DiskAilment ailment;
  text = trim(text);
  while (!text.empty()) {
    const std::string_view word = take_word(text);
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::optional<double> value = to_number<double>(word.substr(equals + 1));
    if (!value || !set_ailment(ailment, word.substr(0, equals), *value)) return std::nullopt;
  }
  return ailment;
}

double ailing_ms(const DiskAilment& ailment, const HealthyRequest& request) {
  const auto strip = static_cast<double>(DiskAilment::kStripBytes);
  const auto place = static_cast<double>(request.offset % DiskAilment::kStripBytes);
  const bool slow = ailment.region <= 0 || place < ailment.region * strip;
  return request.ms * (slow ? ailment.slower : 1) + (request.chance < ailment.failed ? ailment.retry : 0);
}

double standstill_ms(const DiskAilment& ailment, double ms) {
  if (ailment.stall <= 0) return 0;
  const double since = ms / 1e3 - DiskAilment::kFirstStall;
  if (since < 0) return 0;
  const double into = ailment.every > 0 ? std::fmod(since, ailment.every) : since;
  return std::max(0.0, 1e3 * (ailment.stall - into));
}

}  // namespace laggard::lab::bench
