#include "collect/pings/moosefs_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "collect/pings/directory_target.h"

namespace laggard::collect {

namespace {

constexpr long kFuse = 0x65735546;  ///< As statfs tells it; MooseFS has no number of its own.

bool is_label(std::string_view text) { return text.size() == 1 && text[0] >= 'A' && text[0] <= 'Z'; }

/// Whom the client behind a mount asks: of `.params`, which the root of a mount has and no listing shows.
/// (`.masterinfo` beside it names the client's own proxy, which lists no chunkservers.)
std::optional<MooseFsMaster> find_master(std::filesystem::path directory) {
  for (;; directory = directory.parent_path()) {
    if (const auto parameters = read_file(directory / ".params")) {
      if (auto master = parse_moosefs_master(*parameters)) return master;
    }
    if (directory == directory.parent_path()) return std::nullopt;
  }
}

}  // namespace

std::optional<MooseFsMaster> parse_moosefs_master(std::string_view text) {
  MooseFsMaster master;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    const std::string_view name = take_word(line);
    if (name == "mfsmaster:") master.host = take_word(line);
    if (name == "mfsport:") master.port = take_word(line);
  }
  if (master.host.empty() || master.port.empty()) return std::nullopt;
  return master;
}

std::vector<MooseFsServer> parse_moosefs_servers(std::string_view text) {
  constexpr std::string_view kRow = "chunk servers:";
  constexpr std::size_t kLabels = 3;
  std::vector<MooseFsServer> servers;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    if (!line.starts_with(kRow) || line.size() == kRow.size()) continue;
    line.remove_prefix(kRow.size());
    const auto cells = split(line.substr(1), line[0]);
    if (cells.size() <= kLabels || cells[0].empty()) continue;
    MooseFsServer server{.address = fmt::format("{}:{}", trim(cells[0]), trim(cells[1])), .labels = {}};
    for (const std::string_view label : split(cells[kLabels], ',')) {
      if (is_label(trim(label))) server.labels.emplace_back(trim(label));
    }
    servers.push_back(std::move(server));
  }
  return servers;
}

std::vector<std::string> parse_moosefs_copies(std::string_view text) {
  std::vector<std::string> copies;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    if (take_word(line) != "copy" || !take_word(line).ends_with(':')) continue;
    copies.emplace_back(take_word(line));
  }
  return copies;
}

PingListing moosefs_targets(const std::vector<MooseFsServer>& servers, const std::string& mount) {
  std::map<std::string, int> users;
  for (const MooseFsServer& server : servers) {
    for (const std::string& label : server.labels) ++users[label];
  }
  PingListing listing;
  std::vector<std::string> left_out;
  for (const MooseFsServer& server : servers) {
    const auto own =
        std::ranges::find_if(server.labels, [&](const auto& label) { return users[label] == 1; });
    if (own == server.labels.end()) {
      left_out.push_back(server.address);
      continue;
    }
    const std::string host = server.address.substr(0, server.address.rfind(':'));
    const bool is_alone = std::ranges::count_if(servers, [&](const MooseFsServer& other) {
                            return other.address.starts_with(host + ":");
                          }) == 1;
    listing.targets.push_back(
        {.name = is_alone ? host : server.address, .place = *own, .mount = mount, .known = server.address});
  }
  constexpr std::size_t kShown = 8;
  if (!left_out.empty()) {
    listing.notes.push_back(fmt::format(
        "{}: not probed, since they have no label of their own (LABELS in mfschunkserver.cfg): {}", mount,
        first_few(left_out, kShown)));
  }
  return listing;
}

int MooseFsPin::make(const std::filesystem::path& directory) {
  if (const int error = make_directory_on(kFuse, directory); error != 0) return error;
  const std::string storage_class = "laggard-pings-" + target_.place;
  // Fails where it is there already, and where it cannot be made it cannot be set either.
  static_cast<void>(run_tool(std::array{tool("mfsscadmin"), target_.mount, std::string("create"),
                                        std::string("-m"), std::string("s"), target_.place, storage_class}));
  const auto set = run_tool(std::array{tool("mfssetsclass"), storage_class, directory.string()});
  // Removed files would be kept for a day.
  const auto kept = run_tool(std::array{tool("mfssettrashtime"), std::string("0"), directory.string()});
  return set && kept ? 0 : EREMOTEIO;
}

int MooseFsPin::check(const std::filesystem::path& file) {
  const auto said = run_tool(std::array{tool("mfsfileinfo"), file.string()});
  if (!said) return EREMOTEIO;
  const auto copies = parse_moosefs_copies(*said);
  if (copies.empty()) return EBADMSG;
  return std::ranges::all_of(copies, [&](const auto& copy) { return copy == target_.known; }) ? 0 : EXDEV;
}

Status MooseFsBackend::check(const PingTargetSpec& target) {
  if (!target.mount.starts_with('/'))
    return fail(ErrorCode::kBadUse, "--mount", "is needed: where MooseFS is mounted, such as /mnt/mfs");
  if (target.place.empty() || is_label(target.place)) return {};
  return fail(ErrorCode::kBadUse, "--target",
              target.name + "=" + target.place + " names no label of a chunkserver: A to Z");
}

std::unique_ptr<PingTarget> MooseFsBackend::open(const PingTargetSpec& target,
                                                 const PingBackendSetup& setup) {
  return std::make_unique<DirectoryTarget>(pinned_directory(target, setup.owner), setup,
                                           std::make_unique<MooseFsPin>(target));
}

Result<PingListing> MooseFsBackend::list(const std::string& mount) {
  const auto master = find_master(mount);
  if (!master) return fail(ErrorCode::kUnavailable, mount, "is not on a mounted MooseFS");
  const auto said =
      run_tool(std::array{std::string("mfscli"), std::string("-H"), master->host, std::string("-P"),
                          master->port, std::string("-p"), std::string("-SCS")});
  if (!said) {
    if (said.error().code != ErrorCode::kNotFound) return tl::unexpected<Error>(said.error());
    return fail(ErrorCode::kUnavailable, "mfscli",
                "is not on this machine: it says which chunkservers there are; on Debian the package "
                "moosefs-cli");
  }
  PingListing listing = moosefs_targets(parse_moosefs_servers(*said), mount);
  if (!listing.targets.empty()) return listing;
  return fail(ErrorCode::kUnavailable, mount,
              "no chunkserver of it has a label of its own: give each one (LABELS in mfschunkserver.cfg)");
}

}  // namespace laggard::collect
