#include "topology/discover.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <vector>

#include "base/node_set.h"
#include "base/terminal_text.h"
#include "base/text.h"
#include "topology/group_builder.h"
#include "topology/recorded_host.h"
#include "topology/system_text.h"

namespace laggard::topology {

namespace {

class Discovery {
 public:
  Discovery(const Inventory& inventory, const GroupingOptions& options)
      : options_(options), recorded_(recorded_hosts(inventory)) {}

  Result<std::string> write();

 private:
  void find_hosts();
  void find_addresses(const SeriesResolver& resolver);
  void write_servers();
  void write_entry(const std::vector<const HostText*>& hosts);
  void write_clients();
  void write_shared_disks();
  [[nodiscard]] std::size_t unplaced_addresses(const SeriesResolver& resolver) const;

  const GroupingOptions& options_;
  std::vector<RecordedHost> recorded_;
  std::vector<HostText> servers_;
  std::vector<HostText> clients_;
  std::vector<std::string> inexpressible_;
  bool storage_ = false;
  std::size_t unplaced_ = 0;
  std::string out_;
};

/// The same decision as make_groups without a file.
void Discovery::find_hosts() {
  std::vector<std::vector<const DeviceInfo*>> disks;
  std::vector<std::vector<const DeviceInfo*>> nets;
  for (const RecordedHost& host : recorded_) {
    disks.push_back(host.disks);
    nets.push_back(host.nets);
  }
  disks = devices_in_use(disks, options_.min_activity);
  nets = devices_in_use(nets, options_.min_activity);
  storage_ = std::any_of(disks.begin(), disks.end(), [](const auto& of_host) { return !of_host.empty(); });
  for (std::size_t h = 0; h < recorded_.size(); ++h) {
    HostText host{.name = recorded_[h].name, .devices = {}, .addresses = {}};
    if (!expressible(host.name) || host.name.find('/') != std::string::npos) {
      inexpressible_.push_back(host.name);
      continue;
    }
    for (const DeviceInfo* disk : disks[h]) {
      const bool fits = expressible(disk->device);
      if (fits) host.devices.push_back(disk->device);
      if (!fits) inexpressible_.push_back(host.name + "/" + disk->device);
    }
    const bool server = storage_ ? !disks[h].empty() : !nets[h].empty();
    (server ? servers_ : clients_).push_back(std::move(host));
  }
}

/// Counts the addresses that servers talk to and that belong to no recorded host.
std::size_t Discovery::unplaced_addresses(const SeriesResolver& resolver) const {
  std::set<std::string> unknown;
  for (const RecordedHost& host : recorded_) {
    for (const DeviceInfo* socket : host.sockets) {
      const auto place = resolver.place(host.name, socket->device);
      const auto ends = parse_socket(socket->device);
      if (!place || place->from_client || !ends) continue;
      if (resolver.endpoint(ends->peer).party == SeriesResolver::Party::kUnknown) unknown.insert(ends->peer);
    }
  }
  return unknown.size();
}

void Discovery::find_addresses(const SeriesResolver& resolver) {
  unplaced_ = unplaced_addresses(resolver);
  for (std::vector<HostText>* list : {&servers_, &clients_}) {
    for (HostText& host : *list) {
      const auto index = resolver.host(host.name);
      if (index) host.addresses = resolver.addresses_of(*index);
      std::erase_if(host.addresses, [](const std::string& address) { return !is_ip_address(address); });
      std::sort(host.addresses.begin(), host.addresses.end(), natural_less);
    }
  }
}

void Discovery::write_entry(const std::vector<const HostText*>& hosts) {
  out_ += "\n[[servers]]\n" + name_line(hosts);
  out_ += hosts.front()->devices.empty() ? "# No storage device under load.\n" : device_lines(hosts);
  if (options_.peers == DiskPeers::kRank) out_ += key_line("peers", {"rank"});
  if (options_.peers == DiskPeers::kHost) out_ += key_line("peers", {"host"});
  if (options_.peers == DiskPeers::kAll) out_ += key_line("peers", {"all"});
  out_ += address_line(hosts);
}

void Discovery::write_servers() {
  out_ += storage_
              ? fmt::format(
                    "\n# {} with a storage device under load (active in at least {:g} % of its samples).\n"
                    "# The devices are those in use; all others were left out.",
                    counted(servers_.size(), "host"), 100 * options_.min_activity)
              : "\n# No storage device was under load: these hosts have network traffic.";
  for (const auto& hosts : shared_entries(servers_)) write_entry(hosts);
}

void Discovery::write_clients() {
  if (clients_.empty()) return;
  std::vector<const HostText*> hosts;
  for (const HostText& client : clients_) hosts.push_back(&client);
  out_ +=
      storage_ ? "\n# Hosts without a storage device under load.\n" : "\n# Hosts without network traffic.\n";
  out_ += "[[clients]]\n" + name_line(hosts);
  if (unplaced_ == 0) {
    out_ += address_line(hosts);
    return;
  }
  out_ += fmt::format(
      "# Without addresses: the servers also talk to {} of hosts that were not recorded, and would not\n"
      "# be compared on those connections if the clients were listed by address.\n",
      unplaced_ == 1 ? std::string("1 address") : fmt::format("{} addresses", unplaced_));
}

/// The same WWN on several servers is one LUN. A recording does not show which server comes first.
void Discovery::write_shared_disks() {
  std::map<std::string_view, std::set<std::string>> seen;
  for (const RecordedHost& host : recorded_) {
    for (const DeviceInfo* disk : host.disks) {
      const std::string_view wwn = fact(*disk, "wwn");
      if (!wwn.empty()) seen[wwn].insert(host.name + "/" + disk->device);
    }
  }
  std::erase_if(seen, [](const auto& entry) { return entry.second.size() < 2; });
  if (seen.empty()) return;
  const std::set<std::string>& first = seen.begin()->second;
  const std::vector<std::string> example(first.begin(), first.end());
  out_ += fmt::format(
      "\n# {} {} a WWN that several servers show, such as {}: shared storage. Describe it as [[luns]]\n"
      "# with the servers in their order of priority, or its attachments are compared as if they were\n"
      "# disks of their own.\n",
      counted(seen.size(), "device"), seen.size() == 1 ? "has" : "have", fold_for_message(example));
}

Result<std::string> Discovery::write() {
  GroupBuilder builder(options_);
  find_hosts();
  if (servers_.empty()) {
    return fail(
        ErrorCode::kBadInput, "",
        "no storage device and no network interface of the recording was under load, so that no host can be "
        "told to be a server");
  }
  for (const HostText& host : servers_)
    builder.resolver().add_host(host.name, SeriesResolver::Party::kServer);
  for (const HostText& host : clients_)
    builder.resolver().add_host(host.name, SeriesResolver::Party::kClient);
  learn_addresses(recorded_, builder);
  find_addresses(builder.resolver());
  out_ =
      "# A first description of the system, from a recording. Correct it where you know better; "
      "docs/formats/system.md\n"
      "# explains every key, `laggard system check` finds mistakes.\n";
  write_servers();
  write_clients();
  write_shared_disks();
  out_ +=
      "\n# A recording cannot tell upgrade sets (set = \"old\"), controllers, arrays and drawers; add what "
      "there is.\n"
      "# Interfaces with traffic are compared by rank; [[networks]] would name them.\n";
  if (!inexpressible_.empty()) {
    const std::string names = printable(fmt::format("{}", fmt::join(inexpressible_, "  ")));
    out_ += fmt::format("# Left out, because a node set cannot hold these names: {}\n", names);
  }
  return out_;
}

}  // namespace

Result<std::string> discover_system(const Inventory& inventory, const GroupingOptions& options) {
  return Discovery(inventory, options).write();
}

}  // namespace laggard::topology
