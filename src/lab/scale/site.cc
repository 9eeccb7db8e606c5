#include "lab/scale/site.h"

#include <fmt/format.h>

#include "base/error.h"

namespace laggard::lab::scale {

std::size_t SiteSpec::luns_per_array() const {
  std::size_t luns = 0;
  for (const LunSet& set : sets) luns += set.luns;
  return luns;
}

std::size_t SiteSpec::set_of(std::size_t lun) const {
  std::size_t set = 0;
  for (std::size_t end = sets.front().luns; lun >= end; end += sets[set].luns) {
    ++set;
    LAGGARD_CHECK(set < sets.size());
  }
  return set;
}

LunMask SiteSpec::all_luns() const {
  LunMask luns;
  for (std::size_t lun = 0; lun < luns_per_array(); ++lun) luns.set(lun);
  return luns;
}

LunMask SiteSpec::luns_of_owner(std::size_t controller) const {
  LunMask luns;
  for (std::size_t lun = 0; lun < luns_per_array(); ++lun) luns.set(lun, owner_of(lun) == controller);
  return luns;
}

ServerMask SiteSpec::servers_of(std::size_t controller) const {
  ServerMask servers;
  for (std::size_t s = 0; s < servers_per_array; ++s) servers.set(s, controller_of_server(s) == controller);
  return servers;
}

std::string SiteSpec::array_name(std::size_t array) const {
  return fmt::format("ddn{}", first_array + array);
}

std::string SiteSpec::controller_name(std::size_t array, std::size_t controller) const {
  return array_name(array) + (controller == 0 ? "a" : "b");
}

std::string SiteSpec::server_name(std::size_t array, std::size_t server) const {
  return fmt::format("fs{}", array * servers_per_array + server + 1);
}

std::string SiteSpec::lun_name(std::size_t array, std::size_t lun) const {
  return fmt::format("{}_lun{:03}", array_name(array), lun);
}

std::string SiteSpec::drawer_name(std::size_t array, std::size_t drawer) const {
  return array_name(array) + "-" + drawers[drawer].suffix;
}

std::string SiteSpec::attachment_name(std::size_t array, std::size_t lun, std::size_t server) const {
  const std::size_t number = array * servers_per_array + server + 1;
  if (!array_in_names) return fmt::format("{:02}.{}", lun, number);
  return fmt::format("{}.{:02}.{}", first_array + array, lun, number);
}

namespace {

/// DataDirect's S2A: 8+2 SATA disks, all of which move for each request of 256 KB, behind a couplet of
/// controllers whose loops are wide enough for rebuilds (T §6.4.2). Its manuals give some GB/s; times per
/// command are ours.
ArrayGeometry couplet() {
  ArrayGeometry array;
  array.group.disks = 10;
  array.group.parity = 2;
  array.group.strip_bytes = 32 << 10;
  array.group.disk = {
      .capacity_bytes = 1e12, .outer_bytes_per_second = 100e6, .inner_bytes_per_second = 50e6};
  array.command = std::chrono::microseconds(25);
  array.memory_bytes_per_second = 2.5e9;
  array.loop_bytes_per_second = 2.5e9;
  array.longest_write = 4 << 20;
  array.group.copy_piece_bytes = 4 << 20;  // So a terabyte takes nine hours.
  return array;
}

/// IBM's DS4300, of whose controllers one is in use, with disks of 10,000 rpm (ours). How
/// much it moves, and how eagerly it rebuilds, is *fitted* to the times that T §6.3 reports.
ArrayGeometry ds4300() {
  ArrayGeometry array;
  array.controllers = 1;
  array.memory_bytes_per_second = 150e6;
  array.loop_bytes_per_second = 155e6;
  array.group.disk = {.capacity_bytes = 50.75e9,
                      .outer_bytes_per_second = 75e6,
                      .inner_bytes_per_second = 45e6,
                      .track_seek_ms = 0.5,
                      .long_seek_ms = 8,
                      .rotation_ms = 60e3 / 10'000};
  return array;
}

}  // namespace

SiteSpec intrepid() {
  SiteSpec site;
  site.name = "Intrepid";
  site.arrays = 16;
  site.first_array = 6;
  site.servers_per_array = 8;
  site.sets = {{.name = "old", .luns = 48, .read_weight = 1, .write_weight = 1},
               {.name = "new", .luns = 24, .read_weight = 0.35, .write_weight = 1.6}};
  site.drawers = {{.suffix = "A", .first_lun = 18, .last_lun = 71, .disk = 0},
                  {.suffix = "D", .first_lun = 60, .last_lun = 70, .disk = 3},
                  {.suffix = "G", .first_lun = 0, .last_lun = 59, .disk = 6}};
  site.storage = couplet();
  return site;
}

SiteSpec surveyor() {
  SiteSpec site;
  site.name = "Surveyor";
  site.arrays = 1;
  site.servers_per_array = 4;
  site.sets = {{.name = "home", .luns = 4, .pool = 0, .double_peers = true},
               {.name = "scratch", .luns = 4, .pool = 1, .double_peers = true}};
  site.drawers = {{.suffix = "A", .first_lun = 0, .last_lun = 3}};
  site.array_in_names = false;
  site.storage = couplet();
  return site;
}

SiteSpec disk_failure_lab() {
  SiteSpec site;
  site.name = "T's laboratory";
  site.arrays = 8;
  site.servers_per_array = 2;
  site.sets = {{.name = "data", .luns = 4}};
  site.storage = ds4300();
  site.disk_back_after = 4200;
  return site;
}

std::string system_toml(const SiteSpec& site) {
  const std::size_t last_array = site.first_array + site.arrays - 1;
  const std::string arrays =
      site.arrays == 1 ? site.array_name(0) : fmt::format("ddn[{}-{}]", site.first_array, last_array);
  std::string toml = fmt::format("name = \"{}, simulated\"\n\n[[servers]]\nname = \"fs[1-{}]\"\n", site.name,
                                 site.servers());
  toml += fmt::format(
      "\n[[arrays]]\nname        = \"{}\"\ncontrollers = \"{{array}}a,{{array}}b\"\n"
      "servers     = \"fs[1-{}] by {}\"\n",
      arrays, site.servers(), site.servers_per_array);
  std::size_t first = 0;
  for (const LunSet& set : site.sets) {
    toml += fmt::format(
        "\n[[luns]]\narray      = \"{}\"\nname       = \"{{array}}_lun[{:03}-{:03}]\"\nset        = \"{}\"\n"
        "order      = \"rotate\"\ndevice     = \"{{lun}}\"\nattachment = \"{}{{lun#2}}.{{server#}}\"\n"
        "owner      = \"{{array}}b,{{array}}a\"\n",
        arrays, first, first + set.luns - 1, set.name, site.array_in_names ? "{array#}." : "");
    if (set.double_peers) toml += "double_peers = true\n";
    first += set.luns;
  }
  for (const DrawerSpec& drawer : site.drawers) {
    toml += fmt::format(
        "\n[[drawers]]\narray = \"{}\"\nname  = \"{{array}}-{}\"\nluns  = \"{{array}}_lun[{:03}-{:03}]\"\n",
        arrays, drawer.suffix, drawer.first_lun, drawer.last_lun);
  }
  return toml;
}

}  // namespace laggard::lab::scale
