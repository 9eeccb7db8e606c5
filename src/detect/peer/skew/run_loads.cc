#include "detect/peer/skew/run_loads.h"

#include "base/error.h"

namespace laggard::detect {

RunLoads::RunLoads(const Grouping& grouping, const ClockOptions& options)
    : watched_(options.reach > 0),
      circles_(make_circles(grouping)),
      loads_(circles_, [this](const CellRuns::Run& run, std::span<const double> rows) {
        run_ = run;
        rows_.assign(rows.begin(), rows.end());
      }) {}

std::size_t RunLoads::row(const Grouping& grouping, const ClockOptions& options) {
  return options.reach > 0 ? make_circles(grouping).row() : 0;
}

void RunLoads::attach(JudgedRun& judged) const {
  if (!watched_) return;
  LAGGARD_CHECK(judged.run.begin >= run_.begin && judged.run.end <= run_.end);
  const auto first = static_cast<std::size_t>(judged.run.begin - run_.begin) * circles_.row();
  const auto count = static_cast<std::size_t>(judged.run.end - judged.run.begin) * circles_.row();
  const std::span<const double> rows = std::span(rows_).subspan(first, count);
  judged.loads.assign(rows.begin(), rows.end());
}

}  // namespace laggard::detect
