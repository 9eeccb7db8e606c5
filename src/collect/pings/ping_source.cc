#include "collect/pings/ping_source.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/text.h"
#include "collect/pings/ping_backend.h"
#include "collect/pings/ping_listing.h"

namespace laggard::collect {

namespace {

constexpr std::size_t kMostTargets = 4096;  ///< A process each.
/// Longer than GlusterFS waits for a brick until it goes on without (42 s).
constexpr Duration kListing = std::chrono::seconds(60);

Result<Duration> duration_of(const EventSourceSetup& setup, std::string_view option, Duration least,
                             Duration most) {
  const std::string text = setup.option(option);
  const std::string where = "--" + std::string(option);
  auto duration = parse_duration(text);
  if (!duration) return fail(ErrorCode::kBadUse, where, text + " is no duration such as 10s");
  if (*duration >= least && *duration <= most) return duration;
  return fail(ErrorCode::kBadUse, where,
              text + " is not between " + to_text(least) + " and " + to_text(most));
}

std::string mount_of(const EventSourceSetup& setup, const PingBackend& backend) {
  const std::string mount = setup.option("mount");
  return mount.empty() ? std::string(backend.usual_mount) : mount;
}

/// Those that the user names.
Result<std::vector<PingTargetSpec>> named_targets(const EventSourceSetup& setup, const PingBackend& backend) {
  std::vector<PingTargetSpec> targets;
  const std::string mount = mount_of(setup, backend);
  for (const std::string& text : setup.options_of("target")) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
      return fail(ErrorCode::kBadUse, "--target", text + " is not NAME=PLACE, such as ost1=/mnt/ost1/pings");
    }
    PingTargetSpec target{.name = text.substr(0, equals), .place = text.substr(equals + 1), .mount = mount};
    if (Status good = backend.check(target); !good) return forward(good);
    if (std::ranges::find(targets, target.name, &PingTargetSpec::name) != targets.end()) {
      return fail(ErrorCode::kBadUse, "--target", target.name + " is given twice");
    }
    targets.push_back(std::move(target));
  }
  return targets;
}

/// All that the file system has, or those that the user names, which must be among them.
Result<std::vector<PingTargetSpec>> listed_targets(const EventSourceSetup& setup, const PingBackend& backend,
                                                   std::vector<PingTargetSpec> named) {
  const std::string mount = mount_of(setup, backend);
  if (Status good = backend.check({.name = {}, .place = {}, .mount = mount}); !good) return forward(good);
  auto listing = list_ping_targets(backend, mount, kListing);
  if (!listing) return forward(listing);
  for (const std::string& note : listing->notes) {
    if (setup.say) setup.say(note);
  }
  if (named.empty()) return std::move(listing->targets);
  for (PingTargetSpec& target : named) {
    const auto found = std::ranges::find(listing->targets, target.place, &PingTargetSpec::place);
    if (found != listing->targets.end()) {
      target.known = found->known;
      continue;
    }
    std::vector<std::string> places;
    for (const PingTargetSpec& one : listing->targets) places.push_back(one.place);
    constexpr std::size_t kShown = 4;
    return fail(ErrorCode::kBadUse, "--target",
                target.name + "=" + target.place + " is no part of " + mount + ", which has " +
                    first_few(places, kShown));
  }
  return named;
}

Result<std::vector<PingTargetSpec>> targets_of(const EventSourceSetup& setup, const PingBackend& backend) {
  auto targets_named = named_targets(setup, backend);
  if (!targets_named) return targets_named;
  if (backend.list == nullptr && !setup.option("mount").empty()) {
    return fail(ErrorCode::kBadUse, "--mount", "is not for the backend " + std::string(backend.name));
  }
  auto chosen = backend.list == nullptr ? std::move(targets_named)
                                        : listed_targets(setup, backend, std::move(*targets_named));
  if (!chosen) return chosen;
  std::vector<PingTargetSpec> targets = std::move(*chosen);
  if (targets.empty()) {
    return fail(ErrorCode::kBadUse, "--target",
                "is missing: say what to probe, such as ost1=/mnt/ost1/pings");
  }
  if (targets.size() > kMostTargets) {
    return fail(ErrorCode::kBadUse, "--target",
                "more than " + std::to_string(kMostTargets) + " targets; divide them among clients");
  }
  return targets;
}

Result<std::vector<PingOperation>> operations_of(const EventSourceSetup& setup) {
  std::vector<PingOperation> operations;
  for (const std::string& text : setup.options_of("operation")) {
    const auto known = std::ranges::find(kPingOperations, text, [](PingOperation o) { return to_name(o); });
    if (known == kPingOperations.end()) {
      return fail(ErrorCode::kBadUse, "--operation", text + " is none of CrWr, WrEx and RmEx");
    }
    if (std::ranges::find(operations, *known) == operations.end()) operations.push_back(*known);
  }
  return operations;
}

Result<const PingBackend*> backend_of(const EventSourceSetup& setup) {
  const std::string name = setup.option("backend");
  std::string names;
  for (const PingBackend& backend : ping_backends()) {
    if (backend.name == name) return &backend;
    names += (names.empty() ? "" : ", ") + std::string(backend.name);
  }
  return fail(ErrorCode::kBadUse, "--backend", name + " is none of " + names);
}

/// `dirs, to a directory …; gluster, to a brick …`
std::string how_backends_pin() {
  std::string text = "How requests are pinned";
  for (const PingBackend& backend : ping_backends())
    text.append(&backend == ping_backends().data() ? ": " : "; ")
        .append(backend.name)
        .append(", ")
        .append(backend.pins);
  return text;
}

}  // namespace

std::span<const EventSourceOption> PingSource::options() {
  static const std::string how_pinned = how_backends_pin();
  static const std::array all{
      EventSourceOption{"target",
                        "What to probe: a part's name in the system file and where it is; else, "
                        "with --mount, all",
                        "NAME=PLACE,...", "", true},
      EventSourceOption{"backend", how_pinned, "NAME", "dirs", false},
      EventSourceOption{"mount",
                        "Where the file system is that the targets are parts of; of Ceph the pool, or "
                        "USER@POOL (laggard-pings)",
                        "DIR|POOL", "", false},
      EventSourceOption{"operation", "What to try: create and write, write, remove", "OP,...",
                        "CrWr,WrEx,RmEx", true},
      EventSourceOption{"interval", "Between two rounds, 1s to 10m", "TIME", "60s", false},
      EventSourceOption{"slo", "A probe that takes longer has failed", "TIME", "1s", false},
  };
  return all;
}

Result<PingPlan> ping_plan(const EventSourceSetup& setup) {
  PingPlan plan;
  auto backend = backend_of(setup);
  if (!backend) return forward(backend);
  auto targets = targets_of(setup, **backend);
  if (!targets) return forward(targets);
  plan.targets = std::move(*targets);
  auto operations = operations_of(setup);
  if (!operations) return forward(operations);
  plan.operations = std::move(*operations);
  auto interval = duration_of(setup, "interval", std::chrono::seconds(1), PingSource::kLongestInterval);
  if (!interval) return forward(interval);
  plan.interval = *interval;
  auto deadline = duration_of(setup, "slo", std::chrono::milliseconds(1), plan.interval);
  if (!deadline) return forward(deadline);
  plan.deadline = *deadline;
  plan.prepares = (*backend)->prepares;
  return plan;
}

Result<std::unique_ptr<EventSource>> PingSource::open(const EventSourceSetup& setup) {
  auto plan = ping_plan(setup);
  if (!plan) return forward(plan);
  auto backend = backend_of(setup);
  if (!backend) return forward(backend);
  auto runner = PingProcesses::start_all(**backend, plan->targets, setup.host);
  if (!runner) return forward(runner);
  return std::unique_ptr<EventSource>(new PingSource(std::move(*runner), std::move(*plan), setup.say));
}

Status PingSource::read(Clock& clock, ObservationBatch& batch, std::size_t most) {
  static_cast<void>(most);  // A round is bounded by the number of targets.
  rounds_.step(clock, batch);
  return {};
}

}  // namespace laggard::collect
