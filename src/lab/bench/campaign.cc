#include "lab/bench/campaign.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <string>

#include "base/text.h"
#include "lab/bench/folders.h"

namespace laggard::lab::bench {

namespace {

struct Line {
  Workload workload;
  FaultKind fault;
  std::size_t server;
};

/// Pairs in which F can see the fault: losses at the receiver where data flows to servers, at the sender
/// where it flows from them (methods of scoring, "observable pairs").
constexpr std::array<Line, 16> kPaper{{
    {Workload::kDdWrite, FaultKind::kNone, 1},
    {Workload::kDdRead, FaultKind::kDiskBusy, 4},
    {Workload::kDdWrite, FaultKind::kDiskHog, 7},
    {Workload::kPostmark, FaultKind::kReadNetworkHog, 2},
    {Workload::kIozoneRead, FaultKind::kSendLoss, 5},
    {Workload::kIozoneWrite, FaultKind::kReceiveLoss, 8},
    {Workload::kDdRead, FaultKind::kNone, 1},
    {Workload::kIozoneRead, FaultKind::kWriteNetworkHog, 3},
    {Workload::kIozoneWrite, FaultKind::kDiskBusy, 6},
    {Workload::kIozoneRead, FaultKind::kDiskHog, 9},
    {Workload::kPostmark, FaultKind::kNone, 1},
    {Workload::kDdWrite, FaultKind::kReceiveLoss, 1},
    {Workload::kDdRead, FaultKind::kSendLoss, 6},
    {Workload::kIozoneWrite, FaultKind::kReadNetworkHog, 4},
    {Workload::kDdWrite, FaultKind::kWriteNetworkHog, 5},
    {Workload::kIozoneRead, FaultKind::kNone, 1},
}};

/// The names of all workloads, with commas.
std::string workloads() {
  std::vector<std::string_view> all;
  for (std::size_t i = 0; i < kWorkloads; ++i) all.push_back(to_name(static_cast<Workload>(i)));
  return fmt::format("{}", fmt::join(all, ", "));
}

Result<RunSpec> parse_run(std::string_view line, std::size_t number, const RunSpec& pattern) {
  const std::string where = fmt::format("line {}", number);
  RunSpec run = pattern;
  const std::string_view workload = take_word(line);
  const std::string_view fault = take_word(line);
  const std::string_view server = take_word(line);
  const std::optional<Workload> does = workload_of(workload);
  if (!does) {
    return fail(ErrorCode::kBadInput, where,
                fmt::format("\"{}\" is none of the workloads {}", workload, workloads()));
  }
  Result<std::vector<FaultPlace>> faults = parse_faults(fault, server);
  if (!faults) return fail(ErrorCode::kBadInput, where, faults.error().what);
  run.workload = *does;
  run.faults = std::move(*faults);
  if (!trim(line).empty()) {
    return fail(ErrorCode::kBadInput, where, fmt::format("\"{}\" is one word too many", trim(line)));
  }
  return run;
}

/// Folder names: a run that comes a second time is `NAME-2`.
std::vector<std::string> folder_names(const std::vector<RunSpec>& runs, const Layout& layout) {
  std::map<std::string, int> seen;
  std::vector<std::string> names;
  for (const RunSpec& run : runs) {
    const std::string name = name_of(run, layout);
    const int times = ++seen[name];
    names.push_back(times == 1 ? name : fmt::format("{}-{}", name, times));
  }
  return names;
}

}  // namespace

std::vector<RunSpec> syscall_campaign(const Layout& layout) {
  // S trains with dd alone, which therefore comes first.
  constexpr std::array kLoads{Workload::kDdRead, Workload::kDdWrite, Workload::kIozoneRead,
                              Workload::kIozoneWrite, Workload::kPostmark};
  constexpr std::array kFaults{FaultKind::kDiskHog,         FaultKind::kDiskBusy,
                               FaultKind::kWriteNetworkHog, FaultKind::kReadNetworkHog,
                               FaultKind::kReceiveLoss,     FaultKind::kSendLoss};
  constexpr std::size_t kRounds = 3;
  constexpr std::size_t kControls = 2;
  std::vector<RunSpec> runs;
  for (const Workload workload : kLoads) {
    for (std::size_t i = 0; i < kControls; ++i) runs.push_back({.workload = workload});
  }
  std::size_t struck = 0;
  for (std::size_t round = 0; round < kRounds; ++round) {
    for (const FaultKind fault : kFaults) {
      for (const Workload workload : kLoads) {
        // 4 and most numbers of servers have no common factor: all are struck in turn.
        struck += 4;
        runs.push_back(
            {.workload = workload, .faults = {{{fault, about(fault).usual}, {struck % layout.servers + 1}}}});
      }
    }
  }
  return runs;
}

std::vector<RunSpec> paper_campaign(const Layout& layout) {
  std::vector<RunSpec> runs;
  for (const Line& line : kPaper) {
    RunSpec run;
    run.workload = line.workload;
    if (line.fault != FaultKind::kNone) {
      run.faults = {{{line.fault, about(line.fault).usual}, {1 + (line.server - 1) % layout.servers}}};
    }
    runs.push_back(run);
  }
  return runs;
}

Result<std::vector<RunSpec>> parse_campaign(std::string_view text, const RunSpec& pattern) {
  std::vector<RunSpec> runs;
  std::size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    line = trim(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    Result<RunSpec> run = parse_run(line, number, pattern);
    if (!run) return forward(run);
    runs.push_back(*run);
  }
  return runs;
}

Result<std::size_t> run_campaign(const Session& session, const std::vector<RunSpec>& runs,
                                 const std::filesystem::path& out) {
  for (const RunSpec& run : runs) {
    if (Status possible = check(run, session.layout); !possible) return forward(possible);
  }
  Machine& machine = session.machine;
  const std::vector<std::string> names = folder_names(runs, session.layout);
  std::size_t failed = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::filesystem::path folder = out / names[i];
    if (machine.exists(folder / "truth.json")) continue;
    if (machine.exists(folder)) {
      if (!machine.exists(folder / kUnfinished)) {
        return fail(ErrorCode::kBadUse, folder.string(),
                    "is in the way of a run and was not made by one that was interrupted; move it away");
      }
      if (Status removed = machine.remove_folder(folder); !removed) return forward(removed);
    }
    Session part = session;
    part.observer.progress = [&](double fraction, std::string_view doing) {
      session.observer.progress((static_cast<double>(i) + fraction) / static_cast<double>(runs.size()),
                                fmt::format("run {} of {}, {}: {}", i + 1, runs.size(), names[i], doing));
    };
    const Status done = run_once(part, runs[i], folder);
    if (session.observer.stopped()) {
      return fail(ErrorCode::kUnavailable, out.string(), "interrupted; the same command goes on");
    }
    if (done) continue;
    ++failed;
    session.say(fmt::format("{} failed: {}", names[i], done.error().message()));
  }
  return failed;
}

}  // namespace laggard::lab::bench
