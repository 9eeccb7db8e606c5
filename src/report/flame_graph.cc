#include "report/flame_graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/html_parts.h"
#include "report/quantity.h"

namespace laggard::report {

namespace {

using Frame = FlamesPayload::Frame;

constexpr double kFlamesWidth = 960;
constexpr double kFlamesRow = 19;
/// What is narrower than that is not to be seen, let alone pointed at.
constexpr double kLeastFlame = 0.3;
/// Of the colour, where the difference is the largest: text upon it is still read, on a dark page, too.
constexpr double kDeepest = 0.5;

/// What the frames of both graphs have in common.
struct FlameScale {
  std::size_t rows = 0;
  double furthest = 0;  ///< The largest difference of a frame.
};

FlameScale scale_of(const FlamesPayload& flames) {
  FlameScale scale;
  for (const Frame& frame : flames.frames) {
    scale.rows = std::max(scale.rows, frame.depth + 1);
    scale.furthest = std::max(scale.furthest, std::abs(frame.own - frame.peers));
  }
  return scale;
}

/// `dd;[kernel];submit_bio: 4.02 % CPU, median peer 0 % CPU`
std::string told_of(const Frame& frame, std::span<const std::string_view> path, std::string_view unit) {
  const std::string name = path.empty() ? frame.name : fmt::format("{}", fmt::join(path, ";"));
  return fmt::format("{}: {}, median peer {}", name, humanise(frame.own, unit), humanise(frame.peers, unit));
}

struct FlameBox {
  double x = 0;
  double y = 0;
  double width = 0;
};

std::string box_markup(const FlameBox& box, std::string_view attributes) {
  return fmt::format(R"(<rect{} x="{:.2f}" y="{:.1f}" width="{:.2f}" height="{:.1f}"/>)", attributes, box.x,
                     box.y, box.width, kFlamesRow);
}

/// How far apart, as a colour over that of what is alike; none where nobody would see it. Its depth goes with
/// the root of the difference, since next to a program that runs nowhere else the rest would all look alike.
std::string tint(const Frame& frame, const FlameBox& box, double furthest) {
  constexpr double kLeastSeen = 0.02;
  const double apart = furthest > 0 ? (frame.own - frame.peers) / furthest : 0;
  if (!(std::abs(apart) >= kLeastSeen)) return "";
  return box_markup(box, fmt::format(R"( class="{}" fill-opacity="{:.2f}")", apart > 0 ? "more" : "less",
                                     kDeepest * std::sqrt(std::abs(apart))));
}

/// The name, as far as there is room for it.
std::string label(const Frame& frame, const FlameBox& box) {
  constexpr double kLetter = 6.65;  // Of a monospaced font of 11 px.
  constexpr double kMargin = 4;
  constexpr std::size_t kFewest = 4;
  const auto room = static_cast<std::size_t>(std::max(0.0, (box.width - 2 * kMargin) / kLetter));
  std::string name = shortened(frame.name, room);
  if (name != cleaned(frame.name)) name = room < kFewest ? "" : shortened(frame.name, room - 1);
  return name.empty() ? "" : svg_text(box.x + kMargin, box.y + kFlamesRow - 6, name);
}

/// Whose values are the widths.
using Side = double Frame::*;

std::string graph(const FlamesPayload& flames, const FlameScale& scale, Side side) {
  const double per_unit = kFlamesWidth / (flames.frames.front().*side);
  std::string out = "<div class=\"scroll\">" +
                    svg_begin({kFlamesWidth, kFlamesRow * static_cast<double>(scale.rows)}, "flames");
  std::vector<double> free_from(scale.rows + 1, 0.0);  // By depth, where the next frame begins.
  std::vector<std::string_view> path;
  for (const Frame& frame : flames.frames) {
    const FlameBox box{.x = free_from[frame.depth],
                       .y = kFlamesRow * static_cast<double>(scale.rows - 1 - frame.depth),
                       .width = per_unit * (frame.*side)};
    free_from[frame.depth] += box.width;
    free_from[frame.depth + 1] = box.x;
    path.resize(std::min(path.size(), frame.depth == 0 ? 0 : frame.depth - 1));
    if (frame.depth > 0) path.push_back(frame.name);
    if (box.width < kLeastFlame) continue;
    out += fmt::format("<g><title>{}</title>{}{}{}</g>\n", html_escape(told_of(frame, path, flames.unit)),
                       box_markup(box, ""), tint(frame, box, scale.furthest), label(frame, box));
  }
  return out + "</svg></div>\n";
}

std::string sentence(std::string_view text, double whole, std::string_view unit) {
  return fmt::format("<p class=\"muted\">{} {}.</p>\n", text, html_escape(humanise(whole, unit)));
}

}  // namespace

std::string drawing(const FlamesPayload& flames) {
  if (flames.frames.empty()) return "";
  const Frame& whole = flames.frames.front();
  const FlameScale scale = scale_of(flames);
  std::string out;
  if (whole.own > 0) {
    out += sentence("Red is more than the median peer, blue is less. The whole width is its own", whole.own,
                    flames.unit);
    out += graph(flames, scale, &Frame::own);
  }
  if (whole.peers > 0) {
    out += sentence("In the same colours, the whole width is the median peer’s", whole.peers, flames.unit);
    out += graph(flames, scale, &Frame::peers);
  }
  return out;
}

}  // namespace laggard::report
