#include "cmd/profile_frames.h"

#include "model/code_profile.h"

namespace laggard::cmd {

namespace {

constexpr std::string_view kUnknown = "[unknown]";

std::string name_of(const FunctionName& function) {
  if (!function.function.empty()) return std::string(function.function);
  if (function.binary.empty()) return std::string(kUnknown);
  return function.binary.starts_with('[') ? std::string(function.binary)
                                          : "[" + std::string(function.binary) + "]";
}

ProfileFrame plain_frame(std::string_view name) {
  return {.name = std::string(name.empty() ? kUnknown : name), .binary = {}};
}

}  // namespace

std::vector<ProfileFrame> frames_of(std::string_view kind, std::string_view word) {
  if (kind == kStacksKind) {
    const FoldedStack stack = folded_stack(word);
    std::vector<ProfileFrame> frames{plain_frame(stack.program)};
    for (const std::string_view function : stack.frames) frames.push_back(plain_frame(function));
    return frames;
  }
  const std::optional<FunctionName> function = function_name(word);
  if (!function) return {plain_frame(word)};
  return {plain_frame(function->program),
          {.name = name_of(*function), .binary = std::string(function->binary)}};
}

}  // namespace laggard::cmd
