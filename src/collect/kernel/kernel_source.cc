#include "collect/kernel/kernel_source.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/text.h"

namespace laggard::collect {

namespace {

/// Each is a program in the kernel, and most of them would be a lot of time.
constexpr std::size_t kMostFunctions = 64;

/// The recorder's own.
Result<std::uint32_t> network_namespace(const std::filesystem::path& root) {
  const std::filesystem::path place = root / "proc/self/ns/net";
  struct stat found {};
  if (::stat(place.c_str(), &found) != 0)
    return fail_errno(errno, place.string(), "the network namespace cannot be looked at");
  return static_cast<std::uint32_t>(found.st_ino);
}

}  // namespace

std::span<const EventSourceOption> KernelSource::options() {
  static constexpr std::array<EventSourceOption, 3> kOptions{
      {{.name = "tracepoint",
        .help = "Tracepoints whose events are counted; of sockets those of this network namespace",
        .type = "NAME,...",
        .initial = "tcp_retransmit_skb",
        .many = true},
       {.name = "function",
        .help = "Functions whose calls are counted and timed",
        .type = "NAME,...",
        .initial = "",
        .many = true},
       CallPeriods::kInterval}};
  return kOptions;
}

Result<std::unique_ptr<EventSource>> KernelSource::open(const EventSourceSetup& setup) {
  const auto interval = CallPeriods::interval_of(setup);
  if (!interval) return tl::unexpected<Error>(interval.error());
  auto network = network_namespace(setup.root);
  if (!network) return forward(network);
  const auto tracepoints = setup.options_of("tracepoint");
  const auto functions = setup.options_of("function");
  if (tracepoints.size() + functions.size() > kMostFunctions) {
    return fail(ErrorCode::kBadUse, "--function",
                fmt::format("names more than {} functions and tracepoints", kMostFunctions));
  }
  std::unique_ptr<KernelSource> source(new KernelSource(setup, *interval));
  const auto add = [&](const std::string& name, Result<std::unique_ptr<KernelCounter>> counter) -> Status {
    if (!counter) return forward(counter);
    source->functions_.push_back(
        {.word = to_word(FunctionName{.program = kNobody, .binary = kNobody, .function = name}),
         .counter = std::move(*counter)});
    return {};
  };
  for (const std::string& name : tracepoints) {
    if (Status added = add(name, KernelCounter::of_tracepoint(name, *network)); !added) return forward(added);
  }
  for (const std::string& name : functions) {
    if (Status added = add(name, KernelCounter::of_function(name)); !added) return forward(added);
  }
  return source;
}

void KernelSource::tell(WallTime now, ObservationBatch& batch) {
  constexpr std::uint64_t kMicrosecond = 1000;
  CallPeriods::Changes changes;
  std::uint64_t untimed = 0;
  for (Function& function : functions_) {
    const KernelCount counted = function.counter->counted();
    // What is less than a microsecond waits until there is more.
    const std::uint64_t microseconds = (counted.ns - function.told.ns) / kMicrosecond;
    function.told.ns += microseconds * kMicrosecond;
    changes[function.word] = {.calls = counted.calls - std::exchange(function.told.calls, counted.calls),
                              .microseconds = microseconds};
    untimed += counted.lost - std::exchange(function.told.lost, counted.lost);
  }
  const auto period = periods_.end_period(changes, now, batch);
  if (period && untimed > 0) {
    batch.profiles.back().add_loss({.from = period->from,
                                    .to = period->to,
                                    .count = untimed,
                                    .reason = "calls whose begin could not be kept"});
  }
}

Status KernelSource::read(Clock& clock, ObservationBatch& batch, std::size_t most) {
  static_cast<void>(most);
  const WallTime now = clock.wall();
  if (periods_.is_due(now)) tell(now, batch);
  return {};
}

void KernelSource::finish(Clock& clock, ObservationBatch& batch) {
  tell(clock.wall(), batch);
  if (say_) say_(fmt::format("{} calls counted", with_separators(periods_.calls())));
}

}  // namespace laggard::collect
