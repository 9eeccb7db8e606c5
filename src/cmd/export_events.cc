#include "cmd/export_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace laggard::cmd {

namespace {

std::string value_text(const EventTable& events, AttributeForm form, std::uint64_t bits) {
  switch (form) {
    case AttributeForm::kInteger:
      return fmt::format("{}", static_cast<std::int64_t>(bits));
    case AttributeForm::kReal:
      return fmt::format("{}", std::bit_cast<double>(bits));
    case AttributeForm::kWord:
      return std::string(events.words().text(Word{static_cast<std::uint32_t>(bits)}));
  }
  return "";
}

std::string attributes_text(const EventTable& events, std::size_t e) {
  std::string text;
  for (const AttributeColumn& column : events.attributes()) {
    const std::optional<std::uint64_t> bits = column.bits(e);
    if (!bits) continue;
    text +=
        fmt::format("{}{}={}", text.empty() ? "" : " ", column.key, value_text(events, column.form, *bits));
  }
  return text;
}

/// Seconds with as many decimals as there are; empty where there is no duration.
std::string duration_text(const std::optional<Duration>& duration) {
  return duration ? unix_time(WallTime{*duration}) : "";
}

Status write_events(const EventTable& events, const std::string& subjects, LineWriter& out) {
  for (std::size_t e = 0; e < events.size(); ++e) {
    const EventTable::Event event = events.event(e);
    const std::string subject =
        event.subject == kNoWord ? "" : std::string(events.words().text(event.subject));
    if (!glob_match(subjects, subject)) continue;
    Status written = out.write(fmt::format(
        "{},{},{},{},{},{},{}\n", unix_time(event.time), csv_field(events.host()), csv_field(events.kind()),
        csv_field(subject), csv_field(std::string(events.words().text(event.what))),
        duration_text(event.duration), csv_field(attributes_text(events, e))));
    if (!written) return written;
  }
  return {};
}

Status check_wanted(const std::vector<std::string>& wanted, const std::set<std::string>& there,
                    const std::string& option, std::string_view what) {
  for (const std::string& name : wanted) {
    if (there.contains(name)) continue;
    const std::vector<std::string> names(there.begin(), there.end());
    constexpr std::size_t kMost = 10;
    return fail(ErrorCode::kNotFound, option,
                names.empty() ? std::string("there are no events in the recording")
                              : fmt::format("there are no events of {} {} in the recording; it has {}", what,
                                            name, first_few(names, kMost)));
  }
  return {};
}

}  // namespace

Status export_events(ObservationSource& source, const ObservationRequest& request,
                     const std::string& subjects, LineWriter& out) {
  auto streams = source.observations();
  if (!streams) return forward(streams);
  std::set<std::string> kinds;
  std::set<std::string> hosts;
  for (const ObservationStream& stream : *streams) {
    if (stream.shape != ObservationShape::kEvents) continue;
    kinds.insert(stream.kind);
    hosts.insert(stream.host);
  }
  if (Status known = check_wanted(request.kinds, kinds, "--events", "kind"); !known) return known;
  if (Status known = check_wanted(request.hosts, hosts, "--host", "host"); !known) return known;
  auto reader = source.read_events(request);
  if (!reader) return forward(reader);
  if (Status begun = out.write("time,host,kind,subject,what,duration_s,attributes\n"); !begun) return begun;
  for (;;) {
    auto events = (*reader)->next();
    if (!events) return forward(events);
    if (!*events) return {};
    if (Status written = write_events(**events, subjects, out); !written) return written;
  }
}

}  // namespace laggard::cmd
