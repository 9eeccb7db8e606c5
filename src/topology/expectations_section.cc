#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "topology/system_reader.h"

namespace laggard::topology {

void SystemReader::read_peer_group(const TomlSection& section) {
  constexpr std::size_t kFewest = 3;
  section.allow_only({"name", "members"});
  const auto name = section.required_text("name");
  if (!section.has("members")) mistakes_.add(section.line(), "[[peer_groups]] needs 'members'");
  if (!name || !claim(name->value, "peer group", name->line)) return;
  NamedGroup group{.name = name->value, .members = {}, .line = name->line};
  for (const TomlText& text : section.texts("members")) {
    auto members = noted(names_.expand(text.value), text.line);
    if (!members) return;
    for (std::string& member : *members) {
      if (!claim(member, "peer group member", text.line) || !check_member(member, text.line)) return;
      group.members.push_back(std::move(member));
    }
  }
  if (section.has("members") && group.members.size() < kFewest) {
    mistakes_.add(name->line,
                  fmt::format("peer group '{}' has {} members, but at least {} are needed to tell "
                              "which one is odd",
                              group.name, group.members.size(), kFewest));
    return;
  }
  topology().groups.push_back(std::move(group));
}

bool SystemReader::check_member(const std::string& member, std::uint32_t line) {
  if (claimed_.contains(std::pair<std::string, std::string>{"attachment", member})) return true;
  const std::size_t slash = member.find('/');
  const auto host = hosts_.find(member.substr(0, slash));
  if (slash == std::string::npos || slash + 1 == member.size()) {
    mistakes_.add(
        line, fmt::format("'{}' is no attachment of this file; write other members as host/device", member));
    return false;
  }
  if (host != hosts_.end()) return true;
  mistakes_.add(line, fmt::format("'{}' is on no host of this file", member));
  return false;
}

namespace {

constexpr std::array<std::string_view, 7> kDays{"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
constexpr std::uint8_t kEveryDay = 0x7F;

/// `02:30` as time since midnight.
std::optional<Duration> time_of_day(std::string_view text) {
  const auto digit = [&](std::size_t i) { return text[i] >= '0' && text[i] <= '9' ? text[i] - '0' : 100; };
  if (text.size() != 5 || text[2] != ':') return std::nullopt;
  const int hours = 10 * digit(0) + digit(1);
  const int minutes = 10 * digit(3) + digit(4);
  if (hours > 23 || minutes > 59) return std::nullopt;
  return std::chrono::hours(hours) + std::chrono::minutes(minutes);
}

}  // namespace

/// The names must be of something: a component or part of this file.
bool SystemReader::read_work_places(const TomlSection& section, ExpectedWork& work) {
  const auto known = [&](const std::string& name) {
    const std::size_t slash = name.find('/');
    constexpr std::array kKinds{"attachment", "LUN", "array", "controller", "drawer", "network"};
    return hosts_.contains(name.substr(0, slash)) || std::ranges::any_of(kKinds, [&](const char* kind) {
             return claimed_.contains(std::pair<std::string, std::string>{kind, name});
           });
  };
  for (const TomlText& text : section.texts("where")) {
    auto names = noted(names_.expand(text.value), text.line);
    if (!names) return false;
    for (std::string& name : *names) {
      if (!known(name)) {
        mistakes_.add(text.line, fmt::format("'{}' is no host, part or attachment of this file", name));
        return false;
      }
      work.where.push_back(std::move(name));
    }
  }
  return true;
}

bool SystemReader::read_work_once(const TomlSection& section, ExpectedWork& work) {
  const auto from = section.required_text("from");
  const auto to = section.required_text("to");
  if (!from || !to) return false;
  const auto first = noted(parse_time(from->value), from->line);
  const auto last = noted(parse_time(to->value), to->line);
  if (!first || !last) return false;
  if (*first >= *last) {
    mistakes_.add(to->line, "'to' is not after 'from'");
    return false;
  }
  work.once = TimeSpan{*first, *last};
  return true;
}

bool SystemReader::read_work_weekly(const TomlSection& section, ExpectedWork& work) {
  const auto start = section.required_text("start");
  const auto length = section.required_text("length");
  if (!start || !length) return false;
  const auto time = time_of_day(start->value);
  if (!time) {
    mistakes_.add(start->line, fmt::format("'{}' is no time of the day such as 02:30 (UTC)", start->value));
    return false;
  }
  const auto duration = noted(parse_duration(length->value), length->line);
  if (!duration) return false;
  if (*duration <= Duration::zero() || *duration > std::chrono::hours(7 * 24)) {
    mistakes_.add(length->line, "'length' is between a second and a week");
    return false;
  }
  work.start = *time;
  work.length = *duration;
  for (const TomlText& day : section.texts("days")) {
    const auto found = std::ranges::find(kDays, std::string_view(day.value));
    if (found == kDays.end()) {
      mistakes_.add(day.line, fmt::format("'{}' is none of {}", day.value, fmt::join(kDays, ", ")));
      return false;
    }
    work.days |= static_cast<std::uint8_t>(1U << static_cast<unsigned>(found - kDays.begin()));
  }
  if (work.days == 0) work.days = kEveryDay;
  return true;
}

void SystemReader::read_expected_work(const TomlSection& section) {
  section.allow_only({"what", "where", "days", "start", "length", "from", "to"});
  const auto what = section.required_text("what");
  if (!what) return;
  ExpectedWork work;
  work.what = what->value;
  const bool once = section.has("from") || section.has("to");
  if (once && (section.has("days") || section.has("start") || section.has("length"))) {
    mistakes_.add(section.line(),
                  "[[expected_work]] is either once ('from', 'to') or weekly ('start', 'length')");
    return;
  }
  if (!read_work_places(section, work)) return;
  if (once ? read_work_once(section, work) : read_work_weekly(section, work)) {
    model_.expected_work.push_back(std::move(work));
  }
}

}  // namespace laggard::topology
