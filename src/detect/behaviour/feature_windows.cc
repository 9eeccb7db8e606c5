#include "detect/behaviour/feature_windows.h"

#include <algorithm>
#include <utility>

#include "model/code_profile.h"

namespace laggard::detect {

void FeatureWindows::begin_anew() {
  words_ = {};
  is_kept_.clear();
  slots_.clear();
  ++generation_;
}

void FeatureWindows::add(const ProfileTable& profile) {
  // Whoever makes up functions without end costs everybody the windows at hand, and no more.
  if (!words_.has_room_for(profile.words())) begin_anew();
  WordMap words(profile.words(), words_);
  auto& slots = slots_[profile.host()];
  for (std::size_t p = 0; p < profile.size(); ++p) {
    const ProfileTable::Period& period = profile.periods()[p];
    const WallTime begin = floor_to(period.start + period.length / 2, kShift);
    if (taken_ && begin < *taken_ - kWindow + kShift) continue;
    const double worth = period.each == Duration::zero() ? 1 : to_seconds(period.each);
    Slot& slot = slots[begin];
    slot.covered += period.length;
    slot.grain = worth;
    for (std::size_t i = 0; i < profile.seen(p).size(); ++i) {
      slot.sums[words(profile.seen(p)[i]).value] += static_cast<double>(profile.counts(p)[i]) * worth;
    }
  }
}

void FeatureWindows::keep_functions(const std::vector<std::unordered_map<std::uint32_t, double>>& sums) {
  is_kept_.resize(words_.size(), 0);
  for (const auto& of_host : sums) {
    for (const auto& [word, sum] : of_host) {
      if (sum >= floor_) is_kept_[word] = 1;
    }
  }
}

void FeatureWindows::add_programs(FeatureWindow& window,
                                  const std::unordered_map<std::uint32_t, double>& sums) const {
  ProgramSums& programs = window.programs.emplace_back();
  ProgramSums& rest = window.rest.emplace_back();
  const auto add = [](ProgramSums& to, std::string_view program, double sum) {
    const auto known = to.find(program);
    if (known == to.end()) {
      to.emplace(program, sum);
    } else {
      known->second += sum;
    }
  };
  for (const auto& [word, sum] : sums) {
    const auto name = function_name(words_.text(Word{word}));
    if (!name) continue;
    add(programs, name->program, sum);
    if (is_kept_[word] == 0) add(rest, name->program, sum);
  }
}

FeatureWindow FeatureWindows::window(WallTime end) {
  FeatureWindow window{.span = {end - kWindow, end}, .hosts = {}, .functions = {}, .values = {}};
  std::vector<std::unordered_map<std::uint32_t, double>> sums;
  for (const auto& [host, slots] : slots_) {
    Duration covered{};
    std::unordered_map<std::uint32_t, double> of_host;
    for (auto slot = slots.lower_bound(end - kWindow); slot != slots.end() && slot->first < end; ++slot) {
      covered += slot->second.covered;
      window.grain = std::max(window.grain, slot->second.grain);
      for (const auto& [word, sum] : slot->second.sums) of_host[word] += sum;
    }
    if (to_seconds(covered) < kCovered * to_seconds(kWindow)) continue;
    window.hosts.push_back(host);
    sums.push_back(std::move(of_host));
  }
  keep_functions(sums);
  for (const auto& of_host : sums) add_programs(window, of_host);
  for (std::uint32_t word = 0; word < is_kept_.size(); ++word) {
    if (is_kept_[word] != 0) window.functions.push_back(Word{word});
  }
  window.values.reserve(window.hosts.size() * window.functions.size());
  for (const auto& of_host : sums) {
    for (const Word function : window.functions) {
      const auto found = of_host.find(function.value);
      window.values.push_back(found == of_host.end() ? 0 : found->second);
    }
  }
  return window;
}

std::optional<WallTime> FeatureWindows::next() const {
  std::optional<WallTime> first;
  for (const auto& [host, slots] : slots_) {
    if (!slots.empty()) first = std::min(first.value_or(WallTime::max()), slots.begin()->first + kShift);
  }
  return first && taken_ ? std::max(*first, *taken_ + kShift) : first;
}

void FeatureWindows::forget_before(WallTime begin) {
  for (auto& [host, slots] : slots_) slots.erase(slots.begin(), slots.lower_bound(begin));
  std::erase_if(slots_, [](const auto& host) { return host.second.empty(); });
}

std::vector<FeatureWindow> FeatureWindows::take(WallTime until) {
  std::vector<FeatureWindow> windows;
  for (std::optional<WallTime> end = next(); end && *end <= until; end = next()) {
    FeatureWindow taken = window(*end);
    if (!taken.hosts.empty()) windows.push_back(std::move(taken));
    taken_ = *end;
    forget_before(*end - kWindow + kShift);
  }
  return windows;
}

FeatureWindow FeatureWindows::by_program(const FeatureWindow& window) {
  FeatureWindow programs{.span = window.span, .hosts = window.hosts, .functions = {}, .values = {}};
  programs.grain = window.grain;
  std::map<std::string_view, Word> columns;
  for (const auto& of_host : window.programs) {
    for (const auto& [program, sum] : of_host) columns.try_emplace(program, kNoWord);
  }
  for (auto& [program, word] : columns) {
    // Where there is no room for another word, the dictionary is begun anew with the next profile.
    const auto interned = words_.intern(program);
    if (!interned) continue;
    word = *interned;
    programs.functions.push_back(word);
  }
  for (const auto& of_host : window.programs) {
    for (const auto& [program, word] : columns) {
      if (word == kNoWord) continue;
      programs.values.push_back(sum_of(of_host, program));
    }
  }
  return programs;
}

}  // namespace laggard::detect
