#include "detect/peer/judge/judged_run.h"

#include <algorithm>
#include <iterator>

namespace laggard::detect {

void GapClock::note(const CellRuns::Run& run) {
  const std::int64_t lost = last_ ? run.begin - *last_ - 1 : 0;
  if (lost > longest_) {
    resumptions_.push_back({run.begin, lost + (resumptions_.empty() ? 0 : resumptions_.back().lost)});
  }
  last_ = run.end - 1;
}

void GapClock::place(JudgedRun& judged, const Grid& grid) {
  note(judged.run);
  for (std::vector<JudgedWindow>* windows : {&judged.windows, &judged.beside}) {
    for (JudgedWindow& one : *windows) one.window.position = position(grid.cell(one.window.start));
  }
}

void GapClock::take(JudgedRun& judged, const Grid& grid,
                    const std::function<void(std::size_t group, const WindowJudgement&)>& sink) {
  place(judged, grid);
  for (JudgedWindow& one : judged.windows) {
    sink(one.group, one.window);
    one.window = {};
  }
}

std::int64_t GapClock::position(std::int64_t cell) const {
  const auto after = std::upper_bound(resumptions_.begin(), resumptions_.end(), cell,
                                      [](std::int64_t c, const Resumption& r) { return c < r.cell; });
  const std::int64_t here = after == resumptions_.begin() ? cell : cell - std::prev(after)->lost;
  // A window may start in the gap that its samples follow.
  return after == resumptions_.end() ? here : std::min(here, after->cell - after->lost);
}

std::int64_t GapClock::cell_at(std::int64_t position) const {
  const auto before = std::find_if(resumptions_.rbegin(), resumptions_.rend(),
                                   [&](const Resumption& r) { return position >= r.cell - r.lost; });
  return before == resumptions_.rend() ? position : position + before->lost;
}

}  // namespace laggard::detect
