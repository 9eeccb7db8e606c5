#include "cmd/event_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/time.h"
#include "cmd/line_writer.h"
#include "model/syscall_event.h"
#include "report/json_writer.h"

namespace laggard::cmd {

namespace {

using report::JsonWriter;

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

std::string_view subject_of(const EventTable& events, const EventTable::Event& event) {
  return event.subject == kNoWord ? std::string_view() : events.words().text(event.subject);
}

void write_attributes(const EventTable& events, std::size_t e, JsonWriter& json) {
  for (const AttributeColumn& column : events.attributes()) {
    const std::optional<std::uint64_t> bits = column.bits(e);
    if (!bits) continue;
    if (column.form == AttributeForm::kInteger) {
      json.integer_member(column.key, static_cast<std::int64_t>(*bits));
    } else if (column.form == AttributeForm::kReal) {
      json.member(column.key, std::bit_cast<double>(*bits));
    } else {
      json.member(column.key, value_text(events, column.form, *bits));
    }
  }
}

void write_json(const EventTable& events, std::span<const std::uint32_t> which, std::string& text) {
  for (const std::uint32_t e : which) {
    const EventTable::Event event = events.event(e);
    JsonWriter json(JsonWriter::Style::kCompact);
    json.begin_object();
    json.member("time", event.time);
    json.member("host", events.host());
    json.member("kind", events.kind());
    json.member("subject", subject_of(events, event));
    json.member("what", events.words().text(event.what));
    if (event.duration) json.member("duration_s", to_seconds(*event.duration));
    json.key("attributes");
    json.begin_object();
    write_attributes(events, e, json);
    json.end_object();
    json.end_object();
    text += json.take();
    text += '\n';
  }
}

/// Seconds with six decimals, or with nine where six are not enough.
std::string seconds_text(Duration time) {
  const std::int64_t ns = time.count();
  constexpr std::int64_t kSecond = 1'000'000'000;
  constexpr std::int64_t kMicro = 1000;
  return ns % kMicro == 0 ? fmt::format("{}.{:06}", ns / kSecond, ns % kSecond / kMicro)
                          : fmt::format("{}.{:09}", ns / kSecond, ns % kSecond);
}

/// In the order in which they were begun: readers of traces expect that.
std::vector<std::uint32_t> by_begin(const EventTable& events, std::span<const std::uint32_t> which) {
  std::vector<std::uint32_t> order(which.begin(), which.end());
  const SyscallRows rows(events);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t e) { return rows.begun(e); });
  return order;
}

void write_strace(const EventTable& events, std::span<const std::uint32_t> which, std::string& text) {
  SyscallRows rows(events);
  const auto out = std::back_inserter(text);
  for (const std::uint32_t e : by_begin(events, which)) {
    const SyscallEvent call = rows.at(e);
    if (is_mark(call.end)) continue;
    if (call.lwp) fmt::format_to(out, "{} ", *call.lwp);
    fmt::format_to(out, "{} ", seconds_text(call.time.time_since_epoch()));
    const std::string_view blank = call.arguments.empty() ? "" : " ";
    if (call.end == SyscallEnd::kSignal) {
      fmt::format_to(out, "--- {}{}{} ---\n", call.name, blank, call.arguments);
    } else if (call.end == SyscallEnd::kExit) {
      fmt::format_to(out, "+++ {}{}{} +++\n", call.name, blank, call.arguments);
    } else if (call.result.empty()) {
      fmt::format_to(out, "{}({} <unfinished ...>\n", call.name, call.arguments);
    } else {
      fmt::format_to(out, "{}({}) = {}", call.name, call.arguments, call.result);
      if (call.took) fmt::format_to(out, " <{}>", seconds_text(*call.took));
      text += '\n';
    }
  }
}

/// A number for a host, which the format wants for a process.
std::int64_t number_of(const std::string& host) { return static_cast<std::int64_t>(checksum(host) >> 34U); }

void write_chrome(const EventTable& events, std::span<const std::uint32_t> which, std::string& text) {
  SyscallRows rows(events);
  const std::int64_t host = number_of(events.host());
  constexpr double kMicrosPerSecond = 1e6;
  JsonWriter name(JsonWriter::Style::kCompact);
  name.begin_object();
  name.member("ph", "M");
  name.member("name", "process_name");
  name.integer_member("pid", host);
  name.key("args");
  name.begin_object();
  name.member("name", events.host());
  name.end_object();
  name.end_object();
  text += ",\n" + name.take();
  for (const std::uint32_t e : by_begin(events, which)) {
    const SyscallEvent call = rows.at(e);
    if (is_mark(call.end)) continue;
    JsonWriter json(JsonWriter::Style::kCompact);
    json.begin_object();
    json.member("name", call.name);
    json.member("ph", call.took ? "X" : "i");
    json.member("ts", to_seconds(call.time.time_since_epoch()) * kMicrosPerSecond);
    if (call.took) {
      json.member("dur", to_seconds(*call.took) * kMicrosPerSecond);
    } else {
      json.member("s", "t");
    }
    json.integer_member("pid", host);
    json.integer_member("tid", call.lwp.value_or(0));
    json.key("args");
    json.begin_object();
    json.member("arguments", call.arguments);
    json.member("result", call.result);
    json.member("object", call.object);
    json.end_object();
    json.end_object();
    text += ",\n" + json.take();
  }
}

constexpr std::array kForms{
    EventForm{"csv", "", "time,host,kind,subject,what,duration_s,attributes\n", "", write_csv},
    EventForm{"json", "", "", "", write_json}, EventForm{"strace", kSyscallKind, "", "", write_strace},
    EventForm{"chrome", kSyscallKind,
              "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
              "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"args\":{\"name\":\"laggard\"}}",
              "\n]}\n", write_chrome}};

}  // namespace

std::span<const EventForm> event_forms() { return kForms; }

void write_csv(const EventTable& events, std::span<const std::uint32_t> which, std::string& text) {
  for (const std::uint32_t e : which) {
    const EventTable::Event event = events.event(e);
    text += fmt::format("{},{},{},{},{},{},{}\n", unix_time(event.time), csv_field(events.host()),
                        csv_field(events.kind()), csv_field(std::string(subject_of(events, event))),
                        csv_field(std::string(events.words().text(event.what))),
                        event.duration ? unix_time(WallTime{*event.duration}) : "",
                        csv_field(attributes_text(events, e)));
  }
}

}  // namespace laggard::cmd
