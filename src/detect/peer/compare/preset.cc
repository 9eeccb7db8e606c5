#include "detect/peer/compare/preset.h"

#include <array>

namespace laggard::detect {

namespace {

using std::chrono::seconds;

// F §10.1: WinSize 64, WinShift 32, k 3, a 5-point moving average of 1-s samples.
constexpr Preset kLab{"lab", std::nullopt, {seconds(1), 64, 32, 5, 3}, TrainingForm::kFiltered, 2, 1, 1,
                      6,     0.25};
// T §3.3: 1 s -> 15 s, 60/30, a 15-sample moving average. T §5.6 looked into persistence above 100. Ours:
// faulty alarms nobody yet, and a window is 15 minutes, so one in which it is 4 times over its threshold, or
// two in which it is twice, will do; and what servers do on their own (T §5.8.2) is less than a request per
// second.
constexpr Preset kProduction{
    "production", seconds(15), {seconds(15), 60, 30, 15, 3}, TrainingForm::kSingle, 2, 100, 1, 2};
// Ours: F's parameters at a quarter of the length, so that a fault of half a minute fills k windows. A surge
// of work may fill them, too; five are most of a minute.
constexpr Preset kQuick{"quick", std::nullopt, {seconds(1), 16, 8, 5, 3}, TrainingForm::kFiltered, 2, 1, 5};

constexpr std::array kPresets{kLab, kProduction, kQuick};

}  // namespace

std::string_view to_name(TrainingForm form) {
  switch (form) {
    case TrainingForm::kFiltered:
      return "filtered";
    case TrainingForm::kSingle:
      return "single";
  }
  return "";
}

std::optional<TrainingForm> training_form(std::string_view name) {
  if (name == "filtered") return TrainingForm::kFiltered;
  if (name == "single") return TrainingForm::kSingle;
  return std::nullopt;
}

std::span<const Preset> presets() { return kPresets; }

const Preset* find_preset(std::string_view name) {
  for (const Preset& preset : kPresets) {
    if (preset.name == name) return &preset;
  }
  return nullptr;
}

const Preset* preset_beside(std::string_view name) {
  if (name == kLab.name) return find_preset(kQuick.name);
  return name == kQuick.name ? find_preset(kLab.name) : nullptr;
}

const Preset& preset_for_length(Duration length, Duration interval) {
  if (length >= std::chrono::hours(1)) return kProduction;
  const WindowSpec& lab = kLab.windows;
  const std::size_t two_filters = lab.size + (2 * lab.k - 1) * lab.shift;
  return length >= interval * static_cast<std::int64_t>(two_filters) ? kLab : kQuick;
}

}  // namespace laggard::detect
