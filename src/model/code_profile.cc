#include "model/code_profile.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "model/dictionary.h"

namespace laggard {

std::string clean_name(std::string_view name, std::size_t longest) {
  std::string clean(name.substr(0, longest));
  std::ranges::transform(clean, clean.begin(), [](char c) {
    return c == ';' ? ':' : is_control(c) ? ' ' : c;
  });
  return std::string(trim(clean));
}

std::string_view program_of_thread(std::string_view comm) {
  // Behind the slash is the number of the processor, or what the thread was last given to do.
  constexpr std::array<std::string_view, 12> kFamilies{"cpuhp",   "idle_inject", "irq",     "ksoftirqd",
                                                       "ktimers", "ktimersoftd", "kworker", "migration",
                                                       "rcub",    "rcuc",        "swapper", "watchdog"};
  const std::size_t slash = comm.find('/');
  const bool is_nobodys = comm == "swapper" || comm.starts_with("rcu_") || comm.starts_with("rcuo") ||
                          (slash != std::string_view::npos &&
                           std::ranges::find(kFamilies, comm.substr(0, slash)) != kFamilies.end());
  return is_nobodys ? kNobody : comm;
}

bool is_idle_function(std::string_view function) {
  constexpr std::array<std::string_view, 14> kNames{
      "arch_cpu_idle", "cpu_do_idle",         "cpu_idle_poll", "cpuidle_enter",    "cpuidle_enter_state",
      "default_idle",  "default_idle_call",   "do_idle",       "native_halt",      "native_safe_halt",
      "poll_idle",     "pv_native_safe_halt", "xen_safe_halt", "cpuidle_idle_call"};
  // What processors' vendors wait by has a name for each way of waiting.
  constexpr std::array<std::string_view, 6> kFamilies{"acpi_idle_",     "acpi_processor_ffh_cstate",
                                                      "acpi_safe_halt", "amd_e400_idle",
                                                      "intel_idle",     "mwait_idle"};
  const std::string_view name = function.substr(0, function.find('.'));  // Without `.isra.0`, `.cold`.
  return std::ranges::find(kNames, name) != kNames.end() ||
         std::ranges::any_of(kFamilies, [&](std::string_view family) { return name.starts_with(family); });
}

std::string to_word(const FunctionName& name) {
  constexpr std::size_t kLongest = (Dictionary::kLongestWord - 2) / 3;
  return clean_name(name.program, kLongest) + ';' + clean_name(name.binary, kLongest) + ';' +
         clean_name(name.function, kLongest);
}

std::optional<FunctionName> function_name(std::string_view word) {
  const std::size_t first = word.find(';');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = word.find(';', first + 1);
  if (second == std::string_view::npos || word.find(';', second + 1) != std::string_view::npos) {
    return std::nullopt;
  }
  return FunctionName{.program = word.substr(0, first),
                      .binary = word.substr(first + 1, second - first - 1),
                      .function = word.substr(second + 1)};
}

namespace {

constexpr std::string_view kLeftOut = ";[...]";
/// Of one name, so that a single one does not push out all others.
constexpr std::size_t kLongestName = 512;

std::string frame_name(std::string_view name) {
  std::string clean = clean_name(name, kLongestName);
  return clean.empty() ? "[unknown]" : clean;
}

}  // namespace

std::string to_folded(std::string_view program, std::span<const std::string_view> frames) {
  std::string word = frame_name(program);
  const std::size_t room = Dictionary::kLongestWord - word.size() - kLeftOut.size();
  std::vector<std::string> inner;
  std::size_t used = 0;
  for (std::size_t i = frames.size(); i-- > 0;) {
    std::string name = frame_name(frames[i]);
    if (used + name.size() + 1 > room) {
      word += kLeftOut;
      break;
    }
    used += name.size() + 1;
    inner.push_back(std::move(name));
  }
  for (std::size_t i = inner.size(); i-- > 0;) word += ";" + inner[i];
  return word;
}

FoldedStack folded_stack(std::string_view word) {
  std::vector<std::string_view> names = split(word, ';');
  const std::string_view program = names.front();
  names.erase(names.begin());
  return {.program = program, .frames = std::move(names)};
}

}  // namespace laggard
