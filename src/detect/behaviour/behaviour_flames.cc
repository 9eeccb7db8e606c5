#include "detect/behaviour/behaviour_flames.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "detect/behaviour/behaviour_evidence.h"
#include "model/code_profile.h"

namespace laggard::detect {

namespace {

/// What has no parts of its own: a function, or of a program what is in no function.
struct FlameLeaf {
  std::array<std::string_view, 3> path;  ///< Program, binary, function.
  std::size_t depth = 0;                 ///< How many names of the path it has.
  double own = 0;
  double peers = 0;

  [[nodiscard]] std::span<const std::string_view> names() const { return std::span(path).first(depth); }
};

std::string_view or_unknown(std::string_view name) { return name.empty() ? "[unknown]" : name; }

/// Sorted so that the parts of a frame are together, after what the frame has alone.
std::vector<FlameLeaf> leaves_of(std::span<const BehaviourFollower::Differing> functions,
                                 std::span<const RestOfProgram> rest, const Dictionary& words) {
  std::vector<FlameLeaf> leaves;
  for (const BehaviourFollower::Differing& one : functions) {
    const auto name = function_name(words.text(one.function));
    if (!name) continue;
    leaves.push_back({{or_unknown(name->program), or_unknown(name->binary), or_unknown(name->function)},
                      3,
                      one.own,
                      one.peers});
  }
  if (leaves.empty()) return leaves;
  for (const RestOfProgram& one : rest) {
    leaves.push_back({{or_unknown(one.program), {}, {}}, 1, one.own, one.peers});
  }
  std::ranges::sort(leaves, {}, &FlameLeaf::path);
  return leaves;
}

/// All frames, from leaves in their order.
std::vector<FlamesPayload::Frame> frames_of(std::span<const FlameLeaf> leaves, double per_window) {
  std::vector<FlamesPayload::Frame> frames{{.name = "all", .depth = 0, .own = 0, .peers = 0}};
  std::vector<std::size_t> above{0};  // The frames that the last leaf is in, itself included.
  std::span<const std::string_view> last;
  for (const FlameLeaf& leaf : leaves) {
    const auto names = leaf.names();
    const auto shared = static_cast<std::size_t>(std::ranges::mismatch(names, last).in1 - names.begin());
    above.resize(1 + shared);
    for (std::size_t depth = shared; depth < names.size(); ++depth) {
      above.push_back(frames.size());
      frames.push_back({.name = std::string(names[depth]), .depth = depth + 1, .own = 0, .peers = 0});
    }
    for (const std::size_t frame : above) {
      frames[frame].own += leaf.own / per_window;
      frames[frame].peers += leaf.peers / per_window;
    }
    last = names;
  }
  return frames;
}

std::string_view what_is_counted(std::string_view kind) {
  if (kind == kSamplesKind) return "CPU time";
  return kind == kCallTimeKind || kind == kKernelTimeKind ? "time of calls" : "calls";
}

}  // namespace

std::optional<Payload> behaviour_flames(std::string_view kind,
                                        std::span<const BehaviourFollower::Differing> functions,
                                        std::span<const RestOfProgram> rest, const Dictionary& words) {
  const BehaviourUnit unit = behaviour_unit(kind);
  const std::vector<FlameLeaf> leaves = leaves_of(functions, rest, words);
  std::vector<FlamesPayload::Frame> frames = frames_of(leaves, unit.per_window);
  const FlamesPayload::Frame whole = frames.front();
  if (!(whole.own > 0) && !(whole.peers > 0)) return std::nullopt;
  // What is in a small frame is no larger, so that what is left is a tree again.
  std::erase_if(frames, [&](const FlamesPayload::Frame& frame) {
    return frame.depth > 0 && !(frame.own > 0 && frame.own >= kLeastShareOfFlames * whole.own) &&
           !(frame.peers > 0 && frame.peers >= kLeastShareOfFlames * whole.peers);
  });
  return Payload{fmt::format("{} by program, binary and function", what_is_counted(kind)),
                 FlamesPayload{.unit = std::string(unit.name), .frames = std::move(frames)}};
}

}  // namespace laggard::detect
