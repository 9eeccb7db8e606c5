#include "cmd/export_profiles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>

#include "base/text.h"
#include "cmd/export_events.h"
#include "model/code_profile.h"

namespace laggard::cmd {

namespace {

/// The periods whose subjects match.
std::vector<std::uint32_t> chosen(const ProfileTable& table, const std::string& subjects) {
  std::vector<std::uint32_t> which;
  for (std::uint32_t p = 0; p < table.size(); ++p) {
    const Word subject = table.periods()[p].subject;
    if (glob_match(subjects, subject == kNoWord ? "" : std::string(table.words().text(subject)))) {
      which.push_back(p);
    }
  }
  return which;
}

/// Hosts whose stacks were recorded.
Result<std::set<std::string>> hosts_with_stacks(ObservationSource& source) {
  auto streams = source.observations();
  if (!streams) return forward(streams);
  std::set<std::string> hosts;
  for (const ObservationStream& stream : *streams) {
    if (stream.shape == ObservationShape::kProfiles && stream.kind == kStacksKind) hosts.insert(stream.host);
  }
  return hosts;
}

}  // namespace

Result<const ProfileForm*> profile_form(const std::string& format, const std::vector<std::string>& kinds) {
  const auto forms = profile_forms();
  const auto form = std::ranges::find(forms, format, &ProfileForm::name);
  if (form == forms.end()) {
    std::vector<std::string_view> names;
    for (const ProfileForm& known : forms) names.push_back(known.name);
    return fail(ErrorCode::kBadUse, "--format",
                fmt::format("'{}' is none of {}, which profiles have", format, fmt::join(names, ", ")));
  }
  if (form->is_of_code && kinds.size() > 1) {
    return fail(
        ErrorCode::kBadUse, "--format",
        fmt::format("{} adds up what it is given; choose one kind of {}", format, fmt::join(kinds, ", ")));
  }
  if (!form->kind.empty() && kinds != std::vector<std::string>{std::string(form->kind)}) {
    return fail(
        ErrorCode::kBadUse, "--format",
        fmt::format("{} is a form of the kind {} alone (--profiles {})", form->name, form->kind, form->kind));
  }
  return &*form;
}

Status export_profiles(ObservationSource& source, ObservationRequest request, const std::string& subjects,
                       const ProfileForm& form, ProfileWriter& writer) {
  if (Status known = check_recorded(source, ObservationShape::kProfiles, request); !known) return known;
  std::set<std::string> with_stacks;
  if (form.is_of_code && request.kinds.front() == kSamplesKind) {
    auto hosts = hosts_with_stacks(source);
    if (!hosts) return forward(hosts);
    with_stacks = std::move(*hosts);
    request.kinds.emplace_back(kStacksKind);
  }
  auto reader = source.read_profiles(request);
  if (!reader) return forward(reader);
  for (;;) {
    auto table = (*reader)->next();
    if (!table) return forward(table);
    if (!*table) return writer.finish();
    if ((*table)->kind() == kSamplesKind && with_stacks.contains((*table)->host())) continue;
    if (Status added = writer.add(**table, chosen(**table, subjects)); !added) return added;
  }
}

}  // namespace laggard::cmd
