#include "lab/production/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "lab/sim/random.h"

namespace laggard::lab::production {

namespace {

constexpr std::size_t kNarrowPairs = Site::kPairs - Site::kWidePairs;
constexpr std::size_t kFirstWideServer = 2 * kNarrowPairs;
/// Targets of the file systems before the third, which has all others (K Fig. 10: home and projects are
/// small).
constexpr std::size_t kSmallFileSystem = 36;
constexpr std::array kFileSystemNames{"home", "projects", "scratch"};

/// The number that a name ends with, counted from 0.
std::size_t number_in(std::string_view name) {
  const std::size_t digits = name.find_first_of("0123456789");
  std::size_t number = 1;
  std::from_chars(name.data() + digits, name.data() + name.size(), number);
  return number - 1;
}

double around(Random& random, double middle, double factor) {
  return middle * std::pow(factor, random.uniform(-1, 1));
}

}  // namespace

const char* file_system_name(std::size_t file_system) { return kFileSystemNames[file_system]; }

Site::Site(std::uint64_t seed, std::optional<double> silent) {
  Random random = Random(seed).fork("site");
  SiteParameters& p = parameters_;
  constexpr double kOften = 1.5;
  p.disk_load = around(random, p.disk_load, kOften);
  p.server_load = around(random, p.server_load, kOften);
  p.load_spread = around(random, p.load_spread, 1.3);
  p.wander_spread = around(random, p.wander_spread, 1.3);
  p.wander_minutes = around(random, p.wander_minutes, 3);
  p.bursts_per_hour = around(random, p.bursts_per_hour, 2);
  p.burst_seconds = around(random, p.burst_seconds, kOften);
  p.slow_share = around(random, p.slow_share, 2);
  p.latency_ms = around(random, p.latency_ms, 2);
  p.requests = around(random, p.requests, 2);
  p.idle_jobs = around(random, p.idle_jobs, 2);
  p.noise_errors = around(random, p.noise_errors, 2);
  p.noise_warnings = around(random, p.noise_warnings, 2);
  p.silent = around(random, p.silent, 2);
  if (silent) p.silent = *silent;
}

std::size_t Site::server_of(std::size_t target) {
  return target < kFirstWideServer ? target : kFirstWideServer + (target - kFirstWideServer) / 2;
}

std::vector<std::size_t> Site::targets_of(std::size_t server) {
  if (server < kFirstWideServer) return {server};
  const std::size_t first = kFirstWideServer + 2 * (server - kFirstWideServer);
  return {first, first + 1};
}

std::size_t Site::file_system_of(std::size_t target) {
  return std::min(target / kSmallFileSystem, std::size_t{2});
}

std::pair<std::size_t, std::size_t> Site::routers_of(std::size_t group) {
  return {group * kGroupSize, std::min((group + 1) * kGroupSize, kRouters)};
}

Part Site::target(std::size_t target) { return {PartKind::kLun, fmt::format("ost{:03}", target + 1)}; }
Part Site::server(std::size_t server) { return {PartKind::kServer, fmt::format("oss{:03}", server + 1)}; }
Part Site::metadata_server(std::size_t metadata) {
  return {PartKind::kMetadataServer, fmt::format("mds{}", metadata + 1)};
}
Part Site::router(std::size_t router) { return {PartKind::kRouter, fmt::format("lnet{:03}", router + 1)}; }
Part Site::rack(std::size_t rack) { return {PartKind::kDrawer, fmt::format("rack{:02}", rack + 1)}; }
Part Site::client(ClientKind kind, std::size_t client) {
  switch (kind) {
    case ClientKind::kLogin:
      return {PartKind::kClient, fmt::format("login{}", client + 1)};
    case ClientKind::kService:
      return {PartKind::kClient, fmt::format("nid{:02}", client + 1)};
    case ClientKind::kImportExport:
      return {PartKind::kClient, fmt::format("ie{:02}", client + 1)};
  }
  return {};
}

std::vector<Part> Site::alike(const Part& part) {
  std::vector<Part> parts;
  if (part.kind == PartKind::kServer) {
    const std::vector<std::size_t> targets = targets_of(number_in(part.name));
    if (targets.size() == 1) parts.push_back(target(targets.front()));
  } else if (part.kind == PartKind::kLun) {
    const std::size_t server = server_of(number_in(part.name));
    if (targets_of(server).size() == 1) parts.push_back(Site::server(server));
  } else if (part.kind == PartKind::kRouter) {
    const auto [first, last] = routers_of(number_in(part.name) / kGroupSize);
    for (std::size_t r = first; r < last; ++r) {
      if (router(r).name != part.name) parts.push_back(router(r));
    }
  }
  return parts;
}

std::string Site::system_toml() {
  std::string text = "name = \"production\"\n";
  text += fmt::format("[[servers]]\nname = \"oss[001-{}]\"\n", kServers);
  for (std::size_t f = 0; f < kFileSystems; ++f) {
    text += fmt::format("[[servers]]\nname = \"mds[{}-{}]\"\nrole = \"metadata\"\nset = \"{}\"\n", 2 * f + 1,
                        2 * f + 2, file_system_name(f));
  }
  text += fmt::format("[[clients]]\nname = \"login[1-{}],nid[01-{}],ie[01-{}]\"\n", kLogins, kServiceNodes,
                      kImportNodes);
  for (std::size_t t = 0; t < kTargets; ++t) {
    const std::size_t own = server_of(t);
    text += fmt::format("[[luns]]\nname = \"{}\"\nservers = \"{},{}\"\ndevice = \"{{lun}}\"\nset = \"{}\"\n",
                        target(t).name, server(own).name, server(partner_of(own)).name,
                        file_system_name(file_system_of(t)));
  }
  for (std::size_t r = 0; r < kRacks; ++r) {
    text += fmt::format("[[drawers]]\nname = \"{}\"\ncalled = \"rack\"\nluns = \"ost[{:03}-{:03}]\"\n",
                        rack(r).name, r * kTargetsPerRack + 1, (r + 1) * kTargetsPerRack);
  }
  std::vector<std::string> behind(kGroups);
  for (std::size_t s = 0; s < kServers; ++s) (behind[group_of_server(s)] += ',') += server(s).name;
  for (std::size_t m = 0; m < kMetadataServers; ++m) {
    (behind[group_of_metadata(m)] += ',') += metadata_server(m).name;
  }
  for (std::size_t g = 0; g < kGroups; ++g) {
    const auto [first, last] = routers_of(g);
    text += fmt::format(
        "[[routes]]\nname = \"lnets{:03}\"\nover = \"lnet[{:03}-{:03}]\"\nfrom = \"nid[01-{}]\"\nto = "
        "\"{}\"\n",
        g + 1, first + 1, last, kServiceNodes, behind[g].substr(1));
  }
  return text;
}

}  // namespace laggard::lab::production
