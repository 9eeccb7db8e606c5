#include "lab/bench/catalogue_text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "lab/cluster/fault_catalogue.h"

namespace laggard::lab::bench {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kNeeds{
    Need{"cable", "/dev/net/tun", "TAP devices and packet sockets: a program in place of netem"},
    Need{"cpu-group", "/proc/sys/kernel/sched_cfs_bandwidth_slice_us",
         "CFS bandwidth control (CONFIG_CFS_BANDWIDTH)"},
    Need{"swap", "/proc/swaps", "swapping to a file (CONFIG_SWAP)"},
};

bool is_here(const Need& need) { return ::access(std::string(need.file).c_str(), F_OK) == 0; }

std::string values_text(const FaultRow& fault) {
  std::string text;
  for (const FaultParameter& parameter : fault.parameters) {
    if (parameter.name.empty()) continue;
    const auto& [mild, medium, strong] = parameter.values;
    const bool one = mild == medium && medium == strong;
    text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", parameter.name,
                        one ? fmt::format("{}", mild) : fmt::format("{}/{}/{}", mild, medium, strong),
                        parameter.unit);
  }
  return text;
}

Json strengths_json(const FaultRow& fault) {
  Json json = Json::object();
  for (std::size_t s = 0; s < kStrengths; ++s) {
    Json& values = json[std::string(to_name(static_cast<Strength>(s)))] = Json::object();
    for (const FaultParameter& parameter : fault.parameters) {
      if (!parameter.name.empty()) values[std::string(parameter.name)] = parameter.values[s];
    }
  }
  return json;
}

}  // namespace

const Need* need_of(std::string_view word) {
  const auto* const found =
      std::find_if(kNeeds.begin(), kNeeds.end(), [&](const Need& need) { return need.word == word; });
  return found == kNeeds.end() ? nullptr : found;
}

Status check_needs(Machine& machine, const std::vector<FaultPlace>& faults) {
  for (const FaultPlace& place : faults) {
    const FaultRow& row = about(place.fault.kind);
    const Need* need = need_of(row.needs);
    if (need == nullptr || machine.exists(need->file)) continue;
    return fail(ErrorCode::kNotFound, std::string(need->file),
                fmt::format("is not there, and {} needs it: {}", row.name, need->what));
  }
  return {};
}

std::string catalogue_table() {
  std::string text = fmt::format("{:<19} {:<7} {:<7} {}\n", "fault", "strikes", "usual",
                                 "strengths: mild/medium/strong; what it does");
  for (const FaultRow& fault : fault_catalogue()) {
    if (fault.strikes == Strikes::kNobody) continue;
    text += fmt::format("{:<19} {:<7} {:<7} {}\n{:<35} {}{}\n", fault.name, to_name(fault.strikes),
                        to_name(fault.usual), values_text(fault), "", fault.does,
                        fault.needs.empty() ? "" : fmt::format(" [{}]", fault.needs));
  }
  text += "\nNeeded:\n";
  for (const Need& need : kNeeds) {
    text += fmt::format("[{}] {}{}\n", need.word, need.what,
                        is_here(need) ? "" : fmt::format("; this kernel lacks it: no {}", need.file));
  }
  return text;
}

std::string catalogue_json() {
  Json faults = Json::array();
  for (const FaultRow& fault : fault_catalogue()) {
    if (fault.strikes == Strikes::kNobody) continue;
    Json json;
    json["name"] = fault.name;
    json["family"] = fault.family;
    json["resource"] = fault.resource;
    json["strikes"] = to_name(fault.strikes);
    json["usual"] = to_name(fault.usual);
    json["does"] = fault.does;
    json["causes"] = split(fault.causes, ' ');
    json["strengths"] = strengths_json(fault);
    json["units"] = Json::object();
    for (const FaultParameter& parameter : fault.parameters) {
      if (!parameter.name.empty()) json["units"][std::string(parameter.name)] = parameter.unit;
    }
    const Need* need = need_of(fault.needs);
    json["needs"] = need != nullptr ? Json(need->what) : Json(nullptr);
    json["possible"] = need == nullptr || is_here(*need);
    json["simulated"] = fault.made_by == MadeBy::kBoth;
    faults.push_back(std::move(json));
  }
  return Json{{"schema", "laggard.faults/1"}, {"faults", faults}}.dump(1) + "\n";
}

}  // namespace laggard::lab::bench
