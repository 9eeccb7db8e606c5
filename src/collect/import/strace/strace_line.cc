#include "collect/import/strace/strace_line.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "base/text.h"

namespace laggard::collect {

namespace {

using Kind = StraceLine::Kind;
using Stamp = StraceLine::Stamp;

/// Times before this are no time since 1970, but a distance.
constexpr std::int64_t kLeastEpoch = 100'000'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name(char c) { return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string_view skip_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text;
}

std::string_view take_digits(std::string_view& text) {
  std::size_t n = 0;
  while (n < text.size() && is_digit(text[n])) ++n;
  const std::string_view digits = text.substr(0, n);
  text.remove_prefix(n);
  return digits;
}

/// `.123456` as nanoseconds; zero, and nothing taken, when there is none.
Duration take_fraction(std::string_view& text) {
  if (text.size() < 2 || text[0] != '.' || !is_digit(text[1])) return Duration::zero();
  text.remove_prefix(1);
  const std::string_view digits = take_digits(text);
  std::int64_t ns = 0;
  constexpr std::size_t kDecimals = 9;
  for (std::size_t i = 0; i < kDecimals; ++i) ns = 10 * ns + (i < digits.size() ? digits[i] - '0' : 0);
  return Duration(ns);
}

/// `1234 `, `[pid  1234] `, and with -Y `1234<comm> `.
void take_lwp(std::string_view& text, StraceLine& line) {
  std::string_view rest = text;
  const bool bracket = rest.starts_with("[pid ");
  if (bracket) rest = skip_blanks(rest.substr(5));
  const std::string_view digits = take_digits(rest);
  if (digits.empty()) return;
  if (rest.starts_with('<')) {
    const std::size_t end = rest.find("> ");
    const std::size_t close = bracket ? rest.find(">]") : end;
    if (close == std::string_view::npos) return;
    rest.remove_prefix(close + 1);
  }
  if (bracket && !rest.starts_with(']')) return;
  if (bracket) rest.remove_prefix(1);
  if (!rest.starts_with(' ')) return;
  line.lwp = to_number<std::int64_t>(digits);
  if (line.lwp) text = skip_blanks(rest);
}

/// `12:34:56.123456 `, `1700000000.123456 ` or `0.000123 `, and `(+     0.000012) ` of -r beside another one.
void take_moment(std::string_view& text, StraceLine& line) {
  std::string_view rest = skip_blanks(text);
  const std::string_view first = take_digits(rest);
  if (first.empty() || first.size() > 10) return;
  const std::int64_t number = *to_number<std::int64_t>(first);
  if (first.size() == 2 && rest.starts_with(':')) {
    std::int64_t seconds = number;
    for (int i = 0; i < 2; ++i) {
      if (!rest.starts_with(':')) return;
      rest.remove_prefix(1);
      const std::string_view part = take_digits(rest);
      if (part.size() != 2) return;
      seconds = 60 * seconds + *to_number<std::int64_t>(part);
    }
    line.moment = std::chrono::seconds(seconds) + take_fraction(rest);
    line.stamp = Stamp::kDay;
  } else {
    if (!rest.starts_with('.')) return;
    line.moment = std::chrono::seconds(number) + take_fraction(rest);
    line.stamp = number >= kLeastEpoch ? Stamp::kEpoch : Stamp::kRelative;
  }
  if (!rest.starts_with(' ')) {
    line.stamp = Stamp::kNone;
    return;
  }
  rest = skip_blanks(rest);
  if (rest.starts_with("(+") && rest.find(") ") != std::string_view::npos) {
    rest = skip_blanks(rest.substr(rest.find(") ") + 2));
  }
  text = rest;
}

/// `[00007f1c2a] ` of -i and `[   0] ` of -n.
void skip_brackets(std::string_view& text) {
  while (text.starts_with('[')) {
    const std::size_t end = text.find("] ");
    const std::string_view inside = text.substr(1, end == std::string_view::npos ? 0 : end - 1);
    const bool number = !inside.empty() && std::ranges::all_of(inside, [](char c) {
      return is_digit(c) || c == ' ' || c == '?' || (c >= 'a' && c <= 'f');
    });
    if (!number) return;
    text = skip_blanks(text.substr(end + 2));
  }
}

/// Behind a text in quotes, or the end.
std::size_t after_quotes(std::string_view text, std::size_t begin) {
  std::size_t i = begin + 1;
  while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? std::size_t{2} : std::size_t{1};
  return std::min(i + 1, text.size());
}

/// Behind what -y tells in angle brackets, which may hold more of them.
std::size_t after_angles(std::string_view text, std::size_t begin) {
  int depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '"') {
      i = after_quotes(text, i) - 1;
    } else if (text[i] == '<') {
      ++depth;
    } else if (text[i] == '>' && (i == 0 || text[i - 1] != '-') && --depth == 0) {
      return i + 1;
    }
  }
  return text.size();
}

/// Whether an angle bracket at `i` tells what a descriptor is.
bool tells_object(std::string_view text, std::size_t i) {
  if (i == 0 || !is_name(text[i - 1])) return false;
  return !text.substr(i).starts_with("<<") && !text.substr(i).starts_with("<unfinished");
}

/// Behind a text in quotes, an object or a comment that begins here; where it is when none does.
std::size_t after_whole(std::string_view text, std::size_t i) {
  if (text[i] == '"') return after_quotes(text, i);
  if (text[i] == '<' && tells_object(text, i)) return after_angles(text, i);
  if (!text.substr(i).starts_with("/*")) return i;
  const std::size_t end = text.find("*/", i + 2);
  return end == std::string_view::npos ? text.size() : end + 2;
}

/// Where the parenthesis that was opened before `text` is closed; npos when it is not.
std::size_t closing(std::string_view text) {
  constexpr std::string_view kOpen = "([{";
  constexpr std::string_view kClose = ")]}";
  int depth = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t after = after_whole(text, i);
    if (after > i) {
      i = after;
      continue;
    }
    const char c = text[i];
    if (kOpen.find(c) != std::string_view::npos) ++depth;
    if (kClose.find(c) != std::string_view::npos && depth-- == 0) {
      return c == ')' ? i : std::string_view::npos;
    }
    ++i;
  }
  return std::string_view::npos;
}

/// Behind the parenthesis: ` = RESULT <TIME>`.
bool take_result(std::string_view text, StraceLine& line) {
  text = skip_blanks(text);
  if (!text.starts_with('=')) return false;
  text = trim(text.substr(1));
  if (text.empty()) return false;
  if (text.ends_with('>')) {
    const std::size_t begin = text.rfind(" <");
    std::string_view inside = text.substr(begin == std::string_view::npos ? text.size() : begin + 2);
    const std::string_view whole = take_digits(inside);
    if (!whole.empty() && whole.size() < 10 && inside.starts_with('.')) {
      const Duration fraction = take_fraction(inside);
      if (inside == ">") {
        line.took = std::chrono::seconds(*to_number<std::int64_t>(whole)) + fraction;
        text = trim(text.substr(0, begin));
      }
    }
  }
  line.result = text;
  return !text.empty();
}

/// Where a mark begins with which the text ends: that another line goes on with the call, perhaps that of the
/// process as which a thread's execve goes on. npos where there is none.
std::size_t unfinished_at(std::string_view text) {
  constexpr std::string_view kUnfinished = "<unfinished ...>";
  if (text.ends_with(kUnfinished)) return text.size() - kUnfinished.size();
  constexpr std::string_view kOtherPid = "<pid changed to ";
  const std::size_t at = text.rfind(kOtherPid);
  if (at == std::string_view::npos) return at;
  std::string_view rest = text.substr(at + kOtherPid.size());
  rest.remove_prefix(std::min(rest.find_first_not_of("0123456789"), rest.size()));
  return rest == " ...>" ? at : std::string_view::npos;
}

/// Behind the name's parenthesis, or behind `resumed>`.
bool take_call(std::string_view text, StraceLine& line, Kind whole) {
  if (const std::size_t mark = unfinished_at(text); mark != std::string_view::npos) {
    line.kind = Kind::kUnfinished;
    line.arguments = text.substr(0, mark);
    if (line.arguments.ends_with(' ')) line.arguments.remove_suffix(1);
    return true;
  }
  std::size_t end = closing(text);
  line.kind = whole;
  if (end != std::string_view::npos && take_result(text.substr(end + 1), line)) {
    line.arguments = text.substr(0, end);
    return true;
  }
  // An abbreviated text of an old version may lack its quote: the last that looks like the end is it.
  end = text.rfind(") = ");
  if (end == std::string_view::npos) end = text.rfind(")  ");
  if (end == std::string_view::npos || !take_result(text.substr(end + 1), line)) return false;
  line.arguments = text.substr(0, end);
  return true;
}

/// `SIGCHLD {…}`, `exited with 0`: the first word is the name.
void take_words(std::string_view text, StraceLine& line) {
  text = trim(text);
  line.name = text.substr(0, text.find(' '));
  line.arguments = skip_blanks(text.substr(line.name.size()));
}

bool take_happening(std::string_view text, StraceLine& line) {
  if (text.starts_with("--- ") && text.ends_with(" ---") && text.size() > 8) {
    line.kind = Kind::kSignal;
    take_words(text.substr(4, text.size() - 8), line);
    return true;
  }
  if (text.starts_with("+++ ") && text.ends_with(" +++") && text.size() > 8) {
    line.kind = Kind::kExit;
    take_words(text.substr(4, text.size() - 8), line);
    return true;
  }
  if (text.starts_with("<... ")) {
    text.remove_prefix(5);
    const std::size_t end = text.find(" resumed");
    if (end == std::string_view::npos) return false;
    line.name = text.substr(0, end);
    text.remove_prefix(end + std::string_view(" resumed").size());
    if (text.starts_with('>')) text.remove_prefix(1);
    if (text.starts_with(' ')) text.remove_prefix(1);  // Older versions: `resumed> 5, …) = 0`.
    return take_call(text, line, Kind::kResumed);
  }
  std::size_t n = 0;
  while (n < text.size() && (is_name(text[n]) || text[n] == '?')) ++n;
  if (n == 0 || n == text.size() || text[n] != '(') return false;
  line.name = text.substr(0, n);
  return take_call(text.substr(n + 1), line, Kind::kCall);
}

bool is_remark(std::string_view text) {
  return text.starts_with("strace: ") || text.starts_with(" > ") || text.starts_with("[ Process ") ||
         text.starts_with("Process ") || text.starts_with("> ");
}

}  // namespace

std::optional<StraceLine> parse_strace_line(std::string_view text) {
  StraceLine line;
  if (is_remark(text)) return line;
  std::string_view rest = trim(text);
  take_lwp(rest, line);
  take_moment(rest, line);
  skip_brackets(rest);
  if (is_remark(rest)) return line;
  if (!take_happening(rest, line)) return std::nullopt;
  return line;
}

bool is_strace_summary(std::string_view line) {
  return trim(line).starts_with("% time") && line.find("usecs/call") != std::string_view::npos;
}

std::string_view object_of(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && is_name(text[i])) ++i;
  if (i == 0 || i == text.size() || text[i] != '<') return {};
  const std::size_t end = after_angles(text, i);
  if (end <= i + 2 || text[end - 1] != '>') return {};
  return text.substr(i + 1, end - i - 2);
}

}  // namespace laggard::collect
