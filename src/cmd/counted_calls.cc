#include "cmd/counted_calls.h"

#include <fmt/format.h>

#include <utility>

#include "derive/notable_calls.h"
#include "model/syscall_event.h"

namespace laggard::cmd {

namespace {

/// The first error of several, all of which are done.
void join(Status& all, Status one) {
  if (all && !one) all = std::move(one);
}

}  // namespace

CountedCalls::CountedCalls(ObservationSink& to, Options options)
    : to_(to), options_(std::move(options)), counts_(options_.host, options_.rules) {
  if (options_.wanted) wanted_ = options_.wanted();
}

void CountedCalls::keep_others(const EventTable& calls, std::span<const std::uint32_t> notable) {
  if (!options_.wanted) return;
  std::vector<std::uint32_t> rest;
  rest.reserve(calls.size() - notable.size());
  std::size_t next = 0;
  for (std::uint32_t e = 0; e < calls.size(); ++e) {
    if (next < notable.size() && notable[next] == e) {
      ++next;
    } else {
      rest.push_back(e);
    }
  }
  EventTable others(calls.host(), std::string(derive::kOtherCallsKind));
  others.set_boot(calls.boot());
  others.append_from(calls, rest);
  others_.add(std::move(others));
}

Status CountedCalls::append_others() {
  if (!options_.wanted) return {};
  const std::optional<WallTime> wanted = options_.wanted();
  if (wanted == std::exchange(wanted_, wanted) || !wanted) return {};
  Status all;
  for (const EventTable& others : others_.take()) join(all, to_.append(others));
  return all;
}

Status CountedCalls::append_calls(const EventTable& calls) {
  if (options_.keeps_all || calls.size() == 0) {
    kept_ += calls.size();
    return to_.append(calls);
  }
  EventTable kept(calls.host(), calls.kind());
  kept.set_boot(calls.boot());
  kept.set_bookmark(calls.bookmark());
  const std::vector<std::uint32_t> notable = derive::notable_calls(calls);
  kept.append_from(calls, notable);
  kept_ += notable.size();
  // A host of which nothing is told would seem to be silent. (An empty table has room.)
  if (notable.empty()) static_cast<void>(SyscallAppender(kept).append(idle_mark(calls.times().back())));
  for (const Loss& loss : calls.losses()) kept.add_loss(loss);
  keep_others(calls, notable);
  Status all = to_.append(kept);
  join(all, append_others());
  return all;
}

Status CountedCalls::append(const EventTable& table) {
  if (table.kind() != kSyscallKind || table.empty()) return to_.append(table);
  counts_.add(table);
  Status all;
  // Counts first: who follows the recording takes them for complete up to the last call that it sees.
  for (const EventTable& counts : counts_.take(derive::CallCounts::known_until(table.extent().to))) {
    join(all, to_.append(counts));
  }
  join(all, append_calls(table));
  return all;
}

std::vector<std::string> CountedCalls::sentences(std::uint64_t counted) const {
  std::vector<std::string> sentences{fmt::format("{} counted, {} kept", counted, kept_)};
  constexpr std::uint64_t kMany = 1000;
  const derive::CallCounts::Transferred& transferred = counts_.transferred();
  if (!options_.keeps_all && transferred.storage == 0 && transferred.other_files >= kMany) {
    sentences.push_back(
        fmt::format("none of {} reads and writes of files was of storage; --system FILE, by its table "
                    "[syscalls], says what storage is",
                    transferred.other_files));
  }
  return sentences;
}

Status CountedCalls::finish() {
  Status all;
  for (const EventTable& counts : counts_.take_all()) join(all, to_.append(counts));
  return all;
}

}  // namespace laggard::cmd
