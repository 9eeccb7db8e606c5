#include "lab/bench/started_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace laggard::lab::bench {

Status StartedPrograms::start(const std::string& host, Command command, std::string_view log) {
  const Result<int> process = site_->start(host, std::move(command), log);
  if (!process) return tl::unexpected<Error>(process.error());
  processes_.push_back({host, *process});
  return {};
}

void StartedPrograms::stop() {
  for (const HostProcess& one : processes_) {
    site_->machine().stop(one.process, ending_.signal, ending_.patience);
  }
  processes_.clear();
}

Status StartedPrograms::check(std::string_view what) const {
  const auto ended = std::ranges::count_if(
      processes_, [&](const HostProcess& one) { return !site_->machine().running(one.process); });
  if (ended == 0) return {};
  return fail(ErrorCode::kUnavailable, site_->layout().logs().string(),
              fmt::format("{} of {} {} ended early; their logs are there", ended, processes_.size(), what));
}

}  // namespace laggard::lab::bench
