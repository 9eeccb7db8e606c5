#include "lab/bench/run_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/text.h"

namespace laggard::lab::bench {

namespace {

using namespace std::chrono_literals;

std::string known_faults() {
  std::vector<std::string_view> names;
  for (const FaultRow& fault : fault_catalogue()) names.push_back(fault.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

Result<std::vector<std::size_t>> parse_numbers(std::string_view text) {
  std::vector<std::size_t> numbers;
  for (const std::string_view word : split(text, ',')) {
    const std::optional<std::size_t> number = to_number<std::size_t>(trim(word));
    if (!number) {
      return fail(ErrorCode::kBadInput, {}, fmt::format("\"{}\" is not a server's number", trim(word)));
    }
    numbers.push_back(*number);
  }
  return numbers;
}

std::string host_of(const Layout& layout, Strikes strikes, std::size_t number) {
  return strikes == Strikes::kClient ? layout.client(number) : layout.server(number);
}

}  // namespace

Result<std::vector<FaultPlace>> parse_faults(std::string_view faults, std::string_view where) {
  const std::vector<std::string_view> names = split(faults, '+');
  const std::vector<std::string_view> places = split(where, '+');
  if (places.size() != 1 && places.size() != names.size()) {
    return fail(ErrorCode::kBadInput, {},
                fmt::format("there are {} faults for {} lists of servers", names.size(), places.size()));
  }
  std::vector<FaultPlace> parsed;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::optional<SizedFault> fault = sized_fault_of(trim(names[i]));
    if (!fault) {
      return fail(
          ErrorCode::kBadInput, {},
          fmt::format("\"{}\" is none of the faults {}, nor one of them with :mild, :medium or :strong "
                      "behind it",
                      trim(names[i]), known_faults()));
    }
    if (fault->kind == FaultKind::kNone) continue;
    if (about(fault->kind).strikes == Strikes::kSwitch) {
      parsed.push_back({*fault, {1}});
      continue;
    }
    Result<std::vector<std::size_t>> numbers = parse_numbers(places.size() == 1 ? places[0] : places[i]);
    if (!numbers) return forward(numbers);
    parsed.push_back({*fault, std::move(*numbers)});
  }
  return parsed;
}

std::string name_of(const std::vector<FaultPlace>& faults, const Layout& layout) {
  if (faults.empty()) return "none";
  std::string text;
  for (const FaultPlace& place : faults) {
    const FaultRow& row = about(place.fault.kind);
    text += fmt::format("{}{}", text.empty() ? "" : "+", row.name);
    if (place.fault.strength != row.usual) text += fmt::format("-{}", to_name(place.fault.strength));
    if (row.strikes == Strikes::kSwitch) continue;
    for (const std::size_t number : place.numbers) {
      text += fmt::format("-{}", host_of(layout, row.strikes, number));
    }
  }
  return text;
}

std::string name_of(const RunSpec& run, const Layout& layout) {
  return fmt::format("{}-{}", to_name(run.workload), name_of(run.faults, layout));
}

std::vector<std::size_t> faulty_servers(const std::vector<FaultPlace>& faults, const Layout& layout) {
  std::set<std::size_t> sick;
  for (const FaultPlace& place : faults) {
    const Strikes strikes = about(place.fault.kind).strikes;
    if (strikes == Strikes::kServer) sick.insert(place.numbers.begin(), place.numbers.end());
    if (strikes != Strikes::kSwitch) continue;
    for (std::size_t i = 1; i <= layout.servers; ++i) {
      if (layout.is_on_second_switch(i)) sick.insert(i);
    }
  }
  return {sick.begin(), sick.end()};
}

bool is_possible(FaultKind kind, const Layout& layout) {
  return layout.has_bricks() || !about(kind).needs_files;
}

namespace {

Status check_number(const FaultRow& row, std::size_t number, const Layout& layout) {
  const bool client = row.strikes == Strikes::kClient;
  const std::size_t most = client ? layout.clients : layout.servers;
  if (number >= 1 && number <= most) return {};
  return fail(ErrorCode::kBadUse, "--server",
              fmt::format("{} is not one of the {} {}", number, most, client ? "clients" : "servers"));
}

/// Two faults of one family change the same settings of a host.
Status check_places(const RunSpec& run, const Layout& layout) {
  std::set<std::pair<std::string, std::string_view>> seen;
  for (const FaultPlace& place : run.faults) {
    const FaultRow& row = about(place.fault.kind);
    if (!is_possible(place.fault.kind, layout)) {
      return fail(ErrorCode::kBadUse, "--fault",
                  fmt::format("{} needs a file system on the server's disk, and {} has the disk to itself",
                              row.name, to_name(layout.file_system)));
    }
    if (row.strikes == Strikes::kSwitch && layout.on_second_switch() == 0) {
      return fail(ErrorCode::kBadUse, "--fault",
                  fmt::format("{} needs a second switch, which six servers or more have", row.name));
    }
    for (const std::size_t number : place.numbers) {
      if (Status there = check_number(row, number, layout); !there) return there;
      const std::string host =
          row.strikes == Strikes::kSwitch ? "the switch" : host_of(layout, row.strikes, number);
      if (!seen.emplace(host, row.family).second) {
        return fail(ErrorCode::kBadUse, "--fault",
                    fmt::format("two faults of the {} would undo each other on {}", row.family, host));
      }
    }
  }
  return {};
}

}  // namespace

Status check(const RunSpec& run, const Layout& layout) {
  if (run.total < 1s) return fail(ErrorCode::kBadUse, "--seconds", "a run takes a second at least");
  if (run.faults.empty()) return {};
  if (Status placed = check_places(run, layout); !placed) return placed;
  if (2 * faulty_servers(run.faults, layout).size() >= layout.servers) {
    return fail(ErrorCode::kBadUse, "--server", "half of the servers or more cannot be told from the others");
  }
  if (run.fault_after + run.fault_for > run.total) {
    return fail(ErrorCode::kBadUse, "--fault-seconds",
                fmt::format("a fault from {} for {} does not fit into {}", to_text(run.fault_after),
                            to_text(run.fault_for), to_text(run.total)));
  }
  return {};
}

}  // namespace laggard::lab::bench
