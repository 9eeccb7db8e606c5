#include "cmd/export_events.h"

#include <fmt/format.h>

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace laggard::cmd {

namespace {

/// The events whose subjects match.
std::vector<std::uint32_t> chosen(const EventTable& events, const std::string& subjects) {
  std::vector<std::uint32_t> which;
  for (std::uint32_t e = 0; e < events.size(); ++e) {
    const Word subject = events.subjects()[e];
    const std::string name = subject == kNoWord ? "" : std::string(events.words().text(subject));
    if (glob_match(subjects, name)) which.push_back(e);
  }
  return which;
}

Status check_wanted(const std::vector<std::string>& wanted, const std::set<std::string>& there,
                    const std::string& option, std::string_view what) {
  for (const std::string& name : wanted) {
    if (there.contains(name)) continue;
    const std::vector<std::string> names(there.begin(), there.end());
    constexpr std::size_t kMost = 10;
    const std::string_view shape = what.substr(0, what.find(' '));
    return fail(ErrorCode::kNotFound, option,
                names.empty() ? fmt::format("there are no {} in the recording", shape)
                              : fmt::format("there are no {} {} in the recording; it has {}", what, name,
                                            first_few(names, kMost)));
  }
  return {};
}

}  // namespace

Status check_recorded(ObservationSource& source, ObservationShape shape, const ObservationRequest& request) {
  auto streams = source.observations();
  if (!streams) return forward(streams);
  std::set<std::string> kinds;
  std::set<std::string> hosts;
  for (const ObservationStream& stream : *streams) {
    if (stream.shape != shape) continue;
    kinds.insert(stream.kind);
    hosts.insert(stream.host);
  }
  const std::string name = shape == ObservationShape::kEvents ? "events" : "profiles";
  if (Status known = check_wanted(request.kinds, kinds, "--" + name, name + " of kind"); !known) return known;
  return check_wanted(request.hosts, hosts, "--host", name + " of host");
}

Status export_events(ObservationSource& source, const ObservationRequest& request,
                     const std::string& subjects, const EventForm& form, LineWriter& out) {
  if (Status known = check_recorded(source, ObservationShape::kEvents, request); !known) return known;
  auto reader = source.read_events(request);
  if (!reader) return forward(reader);
  if (Status begun = out.write(form.begin); !begun) return begun;
  std::string text;
  for (;;) {
    auto events = (*reader)->next();
    if (!events) return forward(events);
    if (!*events) return out.write(form.end);
    text.clear();
    form.write(**events, chosen(**events, subjects), text);
    if (Status written = out.write(text); !written) return written;
  }
}

}  // namespace laggard::cmd
