#include "lab/cluster/fault_catalogue.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace laggard::lab {

namespace {

constexpr std::array<std::string_view, kStrengths> kStrengthNames{"mild", "medium", "strong"};

using enum Strikes;
using enum MadeBy;
using enum Strength;
using enum Under;

// What is needed on the bench; `laggard-lab bench --list` explains the words.
constexpr std::string_view kCable = "cable";
constexpr std::string_view kQuota = "cpu-group";
constexpr std::string_view kSwap = "swap";

// F's six come first: their order is that of its tables.
constexpr std::array kCatalogue{
    FaultRow{.name = "none", .strikes = kNobody, .made_by = kBoth, .does = "nothing"},
    FaultRow{.name = "disk-hog",
             .family = "disk",
             .resource = "storage",
             .made_by = kBoth,
             .usual = kStrong,
             .causes = "disk-hog",
             .parameters = {{{"load", "of the disk's rate", {0.25, 0.5, 1}}}},
             .does = "the server reads the unused partition through its block device (F §9)"},
    FaultRow{.name = "disk-busy",
             .family = "disk",
             .resource = "storage",
             .made_by = kBoth,
             .usual = kStrong,
             .causes = "disk-busy",
             .parameters = {{{"load", "of the disk's rate", {0.25, 0.5, 1}}}},
             .does = "the same is read from below the block device, whose counters do not see it (F §9)"},
    FaultRow{.name = "write-network-hog",
             .family = "traffic",
             .resource = "network",
             .made_by = kBoth,
             .under = kWrites,
             .usual = kStrong,
             .causes = "network-hog",
             .parameters = {{{"load", "of the port's rate", {0.25, 0.5, 1}}}},
             .does = "a third party sends zeros to the server (F §9)"},
    FaultRow{.name = "read-network-hog",
             .family = "traffic",
             .resource = "network",
             .made_by = kBoth,
             .under = kReads,
             .usual = kStrong,
             .causes = "network-hog",
             .parameters = {{{"load", "of the port's rate", {0.25, 0.5, 1}}}},
             .does = "the server sends zeros to a third party (F §9)"},
    FaultRow{.name = "receive-pktloss",
             .family = "link",
             .resource = "network",
             .made_by = kBoth,
             .under = kWrites,
             .causes = "packet-loss",
             .parameters = {{{"loss", "of packets", {0.01, 0.05, 0.2}}}},
             .does = "the server loses packets that arrive (F §9: 5 %)"},
    FaultRow{.name = "send-pktloss",
             .family = "link",
             .resource = "network",
             .made_by = kBoth,
             .under = kReads,
             .causes = "packet-loss",
             .parameters = {{{"loss", "of packets", {0.01, 0.05, 0.2}}}},
             .does = "all clients lose packets from the server (F §9: 5 %)"},

    FaultRow{.name = "link-rate",
             .family = "link",
             .resource = "network",
             .made_by = kBoth,
             .causes = "slow-link",
             .parameters = {{{"rate", "of the port's rate", {0.5, 0.2, 0.05}}}},
             .does = "the server's port falls back to a lower speed, both ways"},
    FaultRow{.name = "link-rate-in",
             .family = "link",
             .resource = "network",
             .made_by = kBoth,
             .under = kWrites,
             .causes = "slow-link asymmetric-link",
             .parameters = {{{"rate", "of the port's rate", {0.5, 0.2, 0.05}}}},
             .does = "only what the server receives is slower"},
    FaultRow{.name = "link-rate-out",
             .family = "link",
             .resource = "network",
             .made_by = kBoth,
             .under = kReads,
             .causes = "slow-link asymmetric-link",
             .parameters = {{{"rate", "of the port's rate", {0.5, 0.2, 0.05}}}},
             .does = "only what the server sends is slower"},
    FaultRow{.name = "link-latency",
             .family = "link",
             .resource = "network",
             .made_by = kBoth,
             .causes = "slow-link high-latency-link",
             .parameters = {{{"delay", "ms each way", {2, 20, 100}}}},
             .does = "packets to and from the server take longer",
             .needs = kCable},
    FaultRow{.name = "link-jitter",
             .family = "link",
             .resource = "network",
             .made_by = kBoth,
             .causes = "slow-link high-latency-link jittery-link packet-loss",
             .parameters = {{{"jitter", "ms at most, each way", {5, 20, 80}}}},
             .does = "packets to and from the server take longer by chance, and overtake each other",
             .needs = kCable},
    FaultRow{.name = "link-corrupt",
             .family = "link",
             .resource = "network",
             .made_by = kBoth,
             .causes = "packet-loss lossy-link corrupting-link",
             .parameters = {{{"corrupted", "of packets", {0.005, 0.03, 0.15}}}},
             .does = "bits of packets to and from the server flip, which their receiver detects",
             .needs = kCable},
    FaultRow{.name = "link-duplicate",
             .family = "link",
             .resource = "network",
             .made_by = kBoth,
             .causes = "slow-link duplicating-link",
             .parameters = {{{"duplicated", "of packets", {0.1, 0.5, 1}}}},
             .does = "packets to and from the server arrive twice",
             .needs = kCable},
    FaultRow{.name = "link-flap",
             .family = "link",
             .resource = "network",
             .made_by = kBoth,
             .causes = "flapping-link packet-loss",
             .parameters = {{{"down", "s", {0.5, 1.5, 4}}, {"every", "s", {15, 15, 15}}}},
             .does = "the server's port goes down again and again"},
    FaultRow{.name = "link-mtu",
             .family = "link",
             .resource = "network",
             .made_by = kBoth,
             .causes = "slow-link mtu",
             .parameters = {{{"mtu", "bytes", {576, 296, 150}}}},
             .does = "the path to and from the server carries small packets only"},

    FaultRow{.name = "switch-rate",
             .family = "switch",
             .resource = "network",
             .strikes = kSwitch,
             .made_by = kBoth,
             .causes = "slow-link slow-switch",
             .parameters = {{{"rate", "of its servers' ports together", {0.5, 0.2, 0.05}}}},
             .does = "the uplink of the second switch is slower, and so all servers on it"},
    FaultRow{.name = "switch-loss",
             .family = "switch",
             .resource = "network",
             .strikes = kSwitch,
             .made_by = kBoth,
             .causes = "packet-loss lossy-link slow-switch",
             .parameters = {{{"loss", "of packets", {0.01, 0.05, 0.2}}}},
             .does = "the second switch loses packets of all its servers, both ways"},

    FaultRow{.name = "cpu-quota",
             .family = "daemon",
             .resource = "processor",
             .made_by = kBoth,
             .causes = "slow-cpu cpu-starved cpu-throttled",
             .parameters = {{{"quota", "% of a core", {3, 2, 1}}}},
             .does = "the server's daemon may use a small part of a core",
             .needs = kQuota},
    FaultRow{.name = "cpu-neighbour",
             .family = "daemon",
             .resource = "processor",
             .made_by = kBoth,
             .causes = "slow-cpu cpu-starved",
             .parameters = {{{"programs", "that never pause", {4, 16, 64}}}},
             .does = "programs of a neighbour compute on the one core that the server's daemon may use"},
    FaultRow{.name = "daemon-stop",
             .family = "daemon",
             .resource = "processor",
             .made_by = kBoth,
             .causes = "stalls stopped-daemon slow-cpu cpu-starved",
             .parameters = {{{"stopped", "s", {0.3, 1, 3}}, {"every", "s", {3, 5, 6}}}},
             .does = "the server's daemon stops in bursts (SIGSTOP)"},
    FaultRow{.name = "memory-limit",
             .family = "daemon",
             .resource = "memory",
             .causes = "memory-pressure swapping",
             .parameters = {{{"limit", "MB for cache and daemon", {32, 16, 8}}}},
             .does = "the server has so little memory that it loses its cache and swaps to its own disk",
             .needs = kSwap,
             .needs_files = true},
    FaultRow{.name = "verbose-log",
             .family = "daemon",
             .resource = "storage",
             .made_by = kBoth,
             .under = kWrites,
             .causes = "disk-hog verbose-logging",
             .parameters = {{{"written", "of the disk's rate", {0.05, 0.2, 0.7}}}},
             .does = "something logs in detail to the server's file system",
             .needs_files = true},

    FaultRow{.name = "disk-slow",
             .family = "disk",
             .resource = "storage",
             .made_by = kBoth,
             .causes = "slow-disk disk-busy",
             .parameters = {{{"slower", "times", {1.5, 2, 5}}}},
             .does = "every request takes the server's disk longer"},
    FaultRow{.name = "disk-stall",
             .family = "disk",
             .resource = "storage",
             .made_by = kBoth,
             .causes = "stalls slow-disk disk-busy",
             .parameters = {{{"stall", "s", {0.5, 1, 3}}, {"every", "s", {15, 15, 15}}}},
             .does = "the server's disk stands still again and again"},
    FaultRow{.name = "disk-rare-stall",
             .family = "disk",
             .resource = "storage",
             .made_by = kBoth,
             .causes = "stalls slow-disk disk-busy",
             .parameters = {{{"stall", "s", {3, 10, 20}}, {"every", "s", {420, 420, 420}}}},
             .does = "the server's disk stands still for long, every seven minutes"},
    FaultRow{
        .name = "disk-retry",
        .family = "disk",
        .resource = "storage",
        .made_by = kBoth,
        .causes = "slow-disk disk-busy disk-errors stalls",
        .parameters = {{{"failed", "of requests", {0.002, 0.01, 0.05}}, {"retry", "ms", {500, 500, 500}}}},
        .does = "requests fail at the server's disk, which repeats them by itself"},
    FaultRow{.name = "disk-region",
             .family = "disk",
             .resource = "storage",
             .made_by = kBoth,
             .under = kReads,
             .causes = "slow-disk disk-busy",
             .parameters = {{{"slower", "times", {3, 6, 12}}, {"region", "of the disk", {0.25, 0.25, 0.25}}}},
             .does = "a part of the server's disk, in strips all over it, is slow"},
    FaultRow{.name = "disk-full",
             .family = "disk",
             .resource = "storage",
             .under = kWrites,
             .causes = "full-disk slow-disk disk-busy",
             .parameters = {{{"left", "MB", {128, 16, 0}}}},
             .does = "the server's file system fills up",
             .needs_files = true},
    FaultRow{.name = "read-ahead",
             .family = "disk",
             .resource = "storage",
             .under = kReads,
             .causes = "read-ahead slow-disk disk-busy",
             .parameters = {{{"read-ahead", "KB", {32, 8, 0}}}},
             .does = "the server's block device reads ahead less than its peers' (128 KB)",
             .needs_files = true},

    FaultRow{.name = "slow-client",
             .family = "client",
             .resource = "network",
             .strikes = kClient,
             .made_by = kBoth,
             .causes = "slow-client slow-link",
             .parameters = {{{"rate", "of a server's port", {1, 0.3, 0.1}}}},
             .does = "a client's port is slow"},
    FaultRow{.name = "metadata-neighbour",
             .family = "client",
             .resource = "metadata",
             .strikes = kClient,
             .made_by = kBoth,
             .causes = "metadata-load busy-client",
             .parameters = {{{"programs", "of small files", {4, 12, 32}}}},
             .does = "another job of a client makes and removes small files"},
};

}  // namespace

std::string_view to_name(Strength strength) { return kStrengthNames[static_cast<std::size_t>(strength)]; }

std::optional<Strength> strength_of(std::string_view name) {
  for (std::size_t i = 0; i < kStrengths; ++i) {
    if (kStrengthNames[i] == name) return static_cast<Strength>(i);
  }
  return std::nullopt;
}

std::string_view to_name(Strikes strikes) {
  switch (strikes) {
    case kNobody:
      return {};
    case kServer:
      return "server";
    case kSwitch:
      return "switch";
    case kClient:
      return "client";
  }
  return {};
}

std::span<const FaultRow> fault_catalogue() { return kCatalogue; }

const FaultRow& about(FaultKind kind) {
  LAGGARD_CHECK(kind.row() < kCatalogue.size());
  return kCatalogue[kind.row()];
}

std::string_view to_name(FaultKind kind) { return about(kind).name; }

std::optional<FaultKind> fault_of(std::string_view name) {
  for (std::size_t i = 0; i < kCatalogue.size(); ++i) {
    if (kCatalogue[i].name == name) return FaultKind(i);
  }
  return std::nullopt;
}

std::optional<FaultKind> simulated_fault_of(std::string_view name) {
  const std::optional<FaultKind> kind = fault_of(name);
  return kind && about(*kind).made_by == kBoth ? kind : std::nullopt;
}

std::vector<std::string> simulated_fault_names() {
  std::vector<std::string> names;
  for (const FaultRow& fault : kCatalogue) {
    if (fault.made_by == kBoth) names.emplace_back(fault.name);
  }
  return names;
}

double value_of(FaultKind kind, Strength strength, std::string_view parameter) {
  const auto& all = about(kind).parameters;
  const auto* const found =
      std::find_if(all.begin(), all.end(), [&](const FaultParameter& p) { return p.name == parameter; });
  LAGGARD_CHECK(found != all.end());
  return found->values[static_cast<std::size_t>(strength)];
}

std::optional<SizedFault> sized_fault_of(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::optional<FaultKind> kind = fault_of(text.substr(0, colon));
  if (!kind) return std::nullopt;
  if (colon == std::string_view::npos) return SizedFault{*kind, about(*kind).usual};
  const std::optional<Strength> strength = strength_of(text.substr(colon + 1));
  if (!strength) return std::nullopt;
  return SizedFault{*kind, *strength};
}

bool is_right_cause(std::string_view fault, std::string_view cause) {
  const std::optional<FaultKind> kind = fault_of(fault);
  if (!kind) return fault == cause;
  const std::vector<std::string_view> right = split(about(*kind).causes, ' ');
  return !cause.empty() && std::find(right.begin(), right.end(), cause) != right.end();
}

}  // namespace laggard::lab
