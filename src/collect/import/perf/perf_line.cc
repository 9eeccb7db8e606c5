#include "collect/import/perf/perf_line.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"

namespace laggard::collect {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }
bool is_number(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_digit); }
bool is_address(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  return !text.empty() && text.size() <= 16 && std::ranges::all_of(text, is_hex);
}

/// `623.539655:`, which is the moment; nothing for other words.
std::optional<Duration> moment_of(std::string_view word) {
  constexpr std::size_t kMostDigits = 10;
  if (!word.ends_with(':')) return std::nullopt;
  word.remove_suffix(1);
  const std::size_t dot = word.find('.');
  if (dot > kMostDigits) return std::nullopt;  // Also where there is none.
  const std::string_view decimals = word.substr(dot + 1);
  if (decimals.size() != 6 && decimals.size() != 9) return std::nullopt;
  if (!is_number(decimals)) return std::nullopt;
  const auto seconds = to_number<std::int64_t>(word.substr(0, dot));
  const auto fraction = to_number<std::int64_t>(decimals);
  constexpr auto kEnd = std::chrono::floor<std::chrono::seconds>(kLatestTime.time_since_epoch());
  if (!seconds || *seconds < 0 || std::chrono::seconds(*seconds) >= kEnd) return std::nullopt;
  return std::chrono::seconds(*seconds) + Duration(decimals.size() == 6 ? *fraction * 1000 : *fraction);
}

/// Takes the last run of non-blanks off the back of `text`.
std::string_view take_last_word(std::string_view& text) {
  text = trim(text);
  const std::size_t blank = text.find_last_of(" \t");
  const std::string_view word = text.substr(blank == std::string_view::npos ? 0 : blank + 1);
  text.remove_suffix(word.size());
  return word;
}

bool is_processor(std::string_view word) {
  return word.size() > 2 && word.starts_with('[') && word.ends_with(']') &&
         is_number(word.substr(1, word.size() - 2));
}

/// `4513`, `4513/4514`, and `-1` for nobody.
bool is_thread(std::string_view word) {
  const std::size_t slash = word.find('/');
  const auto is_id = [](std::string_view id) { return id == "-1" || is_number(id); };
  return slash == std::string_view::npos ? is_id(word)
                                         : is_id(word.substr(0, slash)) && is_id(word.substr(slash + 1));
}

/// What is left of `COMM PID/TID [CPU] FLAGS` without what is behind the name.
std::string_view comm_of(std::string_view text) {
  std::string_view rest = text;
  std::string_view word = take_last_word(rest);
  // Flags (-F misc: `KE`) stand behind the processor, or else behind the thread.
  if (!word.empty() && std::ranges::all_of(word, [](char c) { return c >= 'A' && c <= 'Z'; })) {
    std::string_view before = rest;
    const std::string_view other = take_last_word(before);
    if (is_processor(other) || is_thread(other)) {
      word = other;
      text = rest;
      rest = before;
    }
  }
  if (is_processor(word)) {
    text = rest;
    word = take_last_word(rest);
  }
  return trim(is_thread(word) ? rest : text);
}

/// Takes `10101010 cpu-clock:ppp: ` off the front of what stands behind the time, either or both.
void take_event(std::string_view& text, PerfHead& head) {
  std::string_view rest = text;
  std::string_view word = take_word(rest);
  std::optional<std::uint64_t> period;
  if (is_number(word)) {
    std::string_view behind = rest;
    const std::string_view next = take_word(behind);
    // Without the event, a number may be an address that happens to have no letters.
    if (!next.ends_with(':') && !is_address(next)) return;
    period = to_number<std::uint64_t>(word);
    text = rest;
    rest = behind;
    word = next;
  }
  head.period = period;
  if (word.size() < 2 || !word.ends_with(':')) return;
  head.event = event_name(word.substr(0, word.size() - 1));
  text = rest;
}

/// Takes ` (OBJECT)` off the back, which may hold parentheses itself: `(/usr/lib/x.so (deleted))`.
std::optional<std::string_view> take_object(std::string_view& text) {
  if (!text.ends_with(')')) return std::nullopt;
  int depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (text[i] == ')') ++depth;
    if (text[i] != '(' || --depth > 0) continue;
    if (i > 0 && !is_blank(text[i - 1])) return std::nullopt;
    const std::string_view object = text.substr(i + 1, text.size() - i - 2);
    text = trim(text.substr(0, i));
    return object;
  }
  return std::nullopt;
}

/// Takes the address off the front, and others behind it (-F addr). What stands alone before the object is an
/// address, too: functions have one before them.
bool take_address(std::string_view& text) {
  std::string_view rest = text;
  if (!is_address(take_word(rest))) return false;
  text = trim(rest);
  while (true) {
    rest = text;
    if (!is_address(take_word(rest)) || trim(rest).empty()) return true;
    text = trim(rest);
  }
}

/// Without `+0x1f`.
std::string_view without_offset(std::string_view symbol) {
  const std::size_t plus = symbol.rfind("+0x");
  if (plus == std::string_view::npos) return symbol;
  return std::ranges::all_of(symbol.substr(plus + 3), is_hex) ? symbol.substr(0, plus) : symbol;
}

}  // namespace

std::optional<PerfHead> parse_perf_head(std::string_view line) {
  std::string_view rest = line;
  while (true) {
    const std::string_view word = take_word(rest);
    if (word.empty()) return std::nullopt;
    const std::optional<Duration> moment = moment_of(word);
    if (!moment) continue;
    PerfHead head;
    head.moment = *moment;
    head.comm = comm_of(line.substr(0, static_cast<std::size_t>(word.data() - line.data())));
    take_event(rest, head);
    head.rest = trim(rest);
    return head;
  }
}

std::optional<PerfFrame> parse_perf_frame(std::string_view text) {
  text = trim(text);
  PerfFrame frame;
  const std::optional<std::string_view> object = take_object(text);
  const bool has_address = take_address(text);
  if (!object && !has_address) return std::nullopt;
  frame.is_inlined = object == "inlined";
  if (object && !frame.is_inlined && *object != "[unknown]") frame.object = *object;
  frame.function = without_offset(text);
  if (frame.function == "[unknown]") frame.function = {};
  return frame;
}

std::string_view event_name(std::string_view event) {
  const std::size_t slash = event.find('/');
  if (slash != std::string_view::npos) {
    // `cpu_core/cycles/u` is the event cycles; `cpu/event=0x3c/` has no other name.
    const std::string_view inside = event.substr(slash + 1, event.find('/', slash + 1) - slash - 1);
    return inside.empty() || inside.find('=') != std::string_view::npos ? event : inside;
  }
  const std::size_t colon = event.rfind(':');
  if (colon == std::string_view::npos) return event;
  constexpr std::string_view kModifiers = "ukhGHIpPSDWebR";
  const std::string_view behind = event.substr(colon + 1);
  const bool is_modifier =
      std::ranges::all_of(behind, [&](char c) { return kModifiers.find(c) != std::string_view::npos; });
  return is_modifier ? event.substr(0, colon) : event;
}

bool is_tracepoint(std::string_view event) { return event.find(':') != std::string_view::npos; }

}  // namespace laggard::collect
