#include <fmt/format.h>

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

}  // namespace laggard::topology
