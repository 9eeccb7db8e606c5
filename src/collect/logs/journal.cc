#include "collect/logs/journal.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"

namespace laggard::collect {

namespace {

using Json = nlohmann::json;

constexpr std::array<std::pair<std::string_view, std::string JournalEntry::*>, 9> kJournalFields{
    {{"__CURSOR", &JournalEntry::cursor},
     {"__REALTIME_TIMESTAMP", &JournalEntry::time},
     {"_HOSTNAME", &JournalEntry::host},
     {"SYSLOG_IDENTIFIER", &JournalEntry::identifier},
     {"_COMM", &JournalEntry::command},
     {"_PID", &JournalEntry::pid},
     {"SYSLOG_PID", &JournalEntry::pid},
     {"PRIORITY", &JournalEntry::priority},
     {"MESSAGE", &JournalEntry::message}}};

/// A field's text; of several values the first.
std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return "";
  std::string bytes;
  for (const Json& each : value) {
    if (each.is_string()) return each.get<std::string>();
    if (!each.is_number_unsigned() || each.get<std::uint64_t>() > 255) return "";
    bytes += static_cast<char>(each.get<std::uint64_t>());
  }
  return bytes;
}

/// Reads the rest of a field whose value may have line ends: its length, the value and a line end.
bool read_binary_field(const std::string& name, LineReader& lines, JournalEntry& entry) {
  std::string length;
  std::string value;
  if (!lines.take_bytes(8, 8, length)) return false;
  std::uint64_t bytes = 0;
  for (std::size_t i = length.size(); i-- > 0;) bytes = bytes << 8U | static_cast<unsigned char>(length[i]);
  if (!lines.take_bytes(bytes, JournalEntry::kMostValue, value)) return false;
  entry.set(name, value);
  std::string_view rest;
  // More before the line end: the length was wrong, and nobody knows where the next field is.
  return !lines.next(rest) || rest.empty();
}

}  // namespace

void JournalEntry::set(std::string_view field, std::string_view value) {
  for (const auto& [name, place] : kJournalFields) {
    if (name == field) this->*place = value.substr(0, kMostValue);
  }
}

std::optional<WrittenLine> JournalEntry::line() const {
  constexpr std::int64_t kEnd = to_unix_ns(kLatestTime) / 1000;
  const auto microseconds = to_number<std::int64_t>(time);
  if (!microseconds || *microseconds < 0 || *microseconds >= kEnd || message.empty()) return std::nullopt;
  WrittenLine line;
  line.time = from_unix_ns(*microseconds * 1000);
  line.host = host;
  line.program = identifier.empty() ? command : identifier;
  line.pid = to_number<std::int64_t>(pid);
  line.severity = to_number<int>(priority);
  if (line.severity && (*line.severity < 0 || *line.severity > 7)) line.severity.reset();
  line.text = message;
  return line;
}

bool begins_journal_export(std::string_view line) {
  return line.starts_with("__CURSOR=") || line.starts_with("__REALTIME_TIMESTAMP=");
}

bool read_journal_entry(std::string_view first, LineReader& lines, JournalEntry& entry) {
  entry = {};
  for (std::string_view line = first; !line.empty();) {
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos) {
      entry.set(line.substr(0, equals), line.substr(equals + 1));
    } else if (!read_binary_field(std::string(line), lines, entry)) {
      return false;
    }
    if (!lines.next(line)) return true;
  }
  return true;
}

std::optional<JournalEntry> parse_journal_json(std::string_view line) {
  constexpr int kDeepest = 2;  // The entry's object, and values that are arrays.
  const auto shallow = [](int depth, Json::parse_event_t /*event*/, Json& /*value*/) {
    return depth <= kDeepest;
  };
  const Json json = Json::parse(line, shallow, false);
  if (!json.is_object() || !json.contains("__REALTIME_TIMESTAMP")) return std::nullopt;
  JournalEntry entry;
  for (const auto& [name, place] : kJournalFields) {
    if (const auto field = json.find(name); field != json.end()) entry.set(name, text_of(*field));
  }
  return entry;
}

}  // namespace laggard::collect
