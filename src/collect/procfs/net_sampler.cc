#include "collect/procfs/net_sampler.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "collect/procfs/unmatched.h"

namespace laggard::collect {

namespace {

using namespace std::chrono_literals;

/// Addresses move between hosts on failover.
constexpr Duration kDescribeEvery = 60s;

std::vector<TableCounter> all_counters() {
  std::vector<TableCounter> counters = net_counters();
  for (TableCounter& counter : link_counters()) counters.push_back(std::move(counter));
  return counters;
}

}  // namespace

Result<std::unique_ptr<NetSampler>> NetSampler::open(const std::filesystem::path& root, std::string host,
                                                     NetOptions options, Notices& notices) {
  Result<ProcFile> file = ProcFile::open(root / "proc/net/dev");
  if (!file) return forward(file);
  return std::unique_ptr<NetSampler>(
      new NetSampler(std::move(*file), root, std::move(host), std::move(options), notices));
}

NetSampler::NetSampler(ProcFile file, std::filesystem::path root, std::string host, NetOptions options,
                       Notices& notices)
    : file_(std::move(file)),
      root_(std::move(root)),
      options_(std::move(options)),
      notices_(&notices),
      batch_(std::move(host), DeviceKind::kNet, all_counters(), kLinkCounters) {}

bool NetSampler::wanted(const std::string& name) const {
  if (options_.globs.empty()) return name != "lo";
  return std::any_of(options_.globs.begin(), options_.globs.end(),
                     [&](const std::string& glob) { return glob_match(glob, name); });
}

void NetSampler::sample(Clock& clock) {
  const WallTime time = sample_time(clock);
  Result<std::string_view> read = file_.read();
  present_ = 0;
  if (!read) {
    notices_->once("network interfaces are not recorded for now: " + read.error().message());
    return;
  }
  std::string_view text = *read;
  batch_.begin_row(time);
  tracker_.begin_pass();
  while (!text.empty()) {
    const std::optional<NetLine> line = split_net_line(take_line(text));
    if (!line) continue;
    const DeviceTracker::Found found = tracker_.find(line->name);
    if (found.is_new) found.device->wanted = wanted(found.device->name);
    if (found.device->wanted) record(*found.device, line->counters);
  }
  const bool changed = tracker_.end_pass();
  if (!std::exchange(looked_, true)) look_for_unmatched();
  const MonoTime now = clock.mono();
  if (changed || now >= look_at_) {
    look_at_ = now + kLookEvery;
    look_at_links();
  }
  if (!changed && now < describe_at_) return;
  describe_at_ = now + kDescribeEvery;
  describe();
}

void NetSampler::look_for_unmatched() {
  if (options_.globs.empty()) return;
  std::vector<std::string> names;
  for (const TrackedDevice* device : tracker_.devices()) names.emplace_back(device->name);
  say_what_matches_nothing(options_.globs, std::move(names), "--net", *notices_);
}

void NetSampler::record(TrackedDevice& device, std::string_view counters) {
  if (!batch_.has(device.slot)) device.slot = batch_.add(device.name);
  const std::span<std::uint64_t> cells = batch_.cells(device.slot);
  std::uint32_t mask = read_net_counters(counters, cells.first<kNetCounters>());
  const auto link = links_.find(device.name);
  if (mask != 0 && link != links_.end()) {
    std::ranges::copy(link->second.values, cells.subspan(kNetCounters).begin());
    mask |= link->second.present << kNetCounters;
  }
  batch_.set_present(device.slot, mask);
  if (mask == 0) {
    notices_->once(file_.path() + ": the line of " + device.name + " has fewer than 12 numbers: left out");
  } else {
    ++present_;
  }
}

bool NetSampler::is_in_sys(const std::string& name) const {
  if (!options_.index) return true;
  const Result<std::string> index = read_file(root_ / "sys/class/net" / name / "ifindex");
  return index && to_number<unsigned>(trim(*index)) == options_.index(name);
}

void NetSampler::look_at_links() {
  links_.clear();
  for (const TrackedDevice* device : tracker_.devices()) {
    if (!device->wanted) continue;
    if (options_.link) {
      links_.emplace(device->name, options_.link(device->name));
    } else if (is_in_sys(device->name)) {
      links_.emplace(device->name, read_link_state(root_ / "sys/class/net" / device->name));
    }
  }
}

Facts NetSampler::facts(const std::string& name, const AddressesByInterface& addresses) {
  Facts facts;
  if (const auto found = addresses.find(name); found != addresses.end()) {
    std::string text;
    for (const std::string& address : found->second) text += (text.empty() ? "" : ",") + address;
    facts.emplace_back("address", std::move(text));
  }
  const std::filesystem::path device = root_ / "sys/class/net" / name;
  if (!is_in_sys(name)) return facts;
  if (const Result<std::string> mac = read_file(device / "address"); mac && !trim(*mac).empty()) {
    facts.emplace_back("mac", trim(*mac));
  }
  // Reading the speed of an interface that is down fails; -1 means unknown.
  if (const Result<std::string> speed = read_file(device / "speed"); speed) {
    if (const auto mbit = to_number<std::uint32_t>(trim(*speed)); mbit && *mbit < 0xffffffffU) {
      facts.emplace_back("speed-mbit", std::to_string(*mbit));
    }
  }
  // Traffic over a link of a bond is counted at the bond as well, so the bond is the component.
  std::error_code error;
  if (std::filesystem::exists(device / "bonding_slave", error)) {
    const std::string bond = std::filesystem::read_symlink(device / "master", error).filename().string();
    const TrackedDevice* top = tracker_.get(bond);
    if (!error && top != nullptr && top->wanted) facts.emplace_back("top", bond);
  }
  return facts;
}

void NetSampler::describe() {
  forget_the_gone(told_, tracker_);
  const AddressesByInterface addresses = options_.addresses ? options_.addresses() : AddressesByInterface{};
  std::map<std::string, Facts> all;
  std::map<std::string, std::string> paths;
  for (const TrackedDevice* device : tracker_.devices()) {
    if (!device->wanted) continue;
    Facts& found = all[device->name] = facts(device->name, addresses);
    if (!found.empty() && found.back().first == "top") {
      std::string& links = paths[found.back().second];
      links += (links.empty() ? "" : ",") + device->name;
    }
  }
  for (auto& [bond, links] : paths) all[bond].emplace_back("paths", std::move(links));
  for (auto& [name, found] : all) {
    const auto [told, first] = told_.try_emplace(name);
    if (!first && told->second == found) continue;
    const Facts before = std::exchange(told->second, found);
    add_ended(found, before);
    DeviceInfo info;
    info.host = batch_.host();
    info.kind = DeviceKind::kNet;
    info.device = name;
    info.facts = std::move(found);
    news_.push_back(std::move(info));
  }
}

std::vector<DeviceInfo> NetSampler::take_facts() { return std::exchange(news_, {}); }

AddressesByInterface local_addresses() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return {};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, ::freeifaddrs);
  AddressesByInterface found;
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr) continue;
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (entry->ifa_addr->sa_family == AF_INET) {
      sockaddr_in address{};
      std::memcpy(&address, entry->ifa_addr, sizeof address);
      ::inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
    } else if (entry->ifa_addr->sa_family == AF_INET6) {
      sockaddr_in6 address{};
      std::memcpy(&address, entry->ifa_addr, sizeof address);
      ::inet_ntop(AF_INET6, &address.sin6_addr, text.data(), text.size());
    } else {
      continue;
    }
    found[entry->ifa_name].emplace_back(text.data());
  }
  for (auto& [name, addresses] : found) std::sort(addresses.begin(), addresses.end());
  return found;
}

}  // namespace laggard::collect
