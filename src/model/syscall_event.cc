#include "model/syscall_event.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <tuple>
#include <utility>

#include "base/text.h"

namespace laggard {

namespace {

/// What a result begins with.
struct Returned {
  std::optional<std::int64_t> number;
  std::string_view errno_name;
  bool is_number_alone = false;
  bool is_hex_alone = false;
};

Returned taken_apart(std::string_view text) {
  Returned returned;
  const std::string_view first = text.substr(0, text.find_first_of(" <"));
  const bool is_hex = first.starts_with("0x");
  if (is_hex) {
    std::uint64_t bits = 0;
    const auto [end, error] = std::from_chars(first.data() + 2, first.data() + first.size(), bits, 16);
    if (error == std::errc() && end == first.data() + first.size())
      returned.number = static_cast<std::int64_t>(bits);
  } else {
    returned.number = to_number<std::int64_t>(first);
  }
  // `+1`, `-0` and `007` are numbers, but are not written so.
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  const bool is_plain = text == "0" || (!digits.empty() && digits[0] >= '1' && digits[0] <= '9');
  returned.is_number_alone = returned.number && !is_hex && is_plain && first.size() == text.size();
  returned.is_hex_alone = returned.number && is_hex && first.size() == text.size() && first.size() > 2 &&
                          first[2] != '0' && first.find_first_of("ABCDEF") == std::string_view::npos;
  const std::string_view rest = trim(text.substr(first.size()));
  if (rest.starts_with('E')) returned.errno_name = rest.substr(0, rest.find(' '));
  return returned;
}

/// Where the first place begins, and which it is; npos when there is none.
std::pair<std::size_t, std::string_view> find_place(std::string_view text) {
  constexpr std::array kPlaces{kSignedPlace, kUnsignedPlace, kHexPlace};
  constexpr std::size_t kLength = 3;
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
    const std::string_view here = text.substr(at, kLength);
    const auto place = std::ranges::find(kPlaces, here);
    if (place != kPlaces.end()) return {at, *place};
  }
  return {std::string_view::npos, {}};
}

}  // namespace

std::size_t argument_places(std::string_view arguments) {
  std::size_t count = 0;
  for (auto [at, place] = find_place(arguments); at != std::string_view::npos;
       std::tie(at, place) = find_place(arguments)) {
    ++count;
    arguments.remove_prefix(at + place.size());
  }
  return count;
}

void add_number(std::uint64_t value, std::string_view place, std::string& text) {
  constexpr int kHex = 16;
  std::array<char, 24> digits{};
  char* const first = digits.data();
  char* const last = first + digits.size();
  char* end = first;
  if (place == kSignedPlace) {
    end = std::to_chars(first, last, static_cast<std::int64_t>(value)).ptr;
  } else if (place == kUnsignedPlace) {
    end = std::to_chars(first, last, value).ptr;
  } else {
    if (value != 0) text += "0x";
    end = std::to_chars(first, last, value, kHex).ptr;
  }
  text.append(first, end);
}

std::optional<std::size_t> SyscallAppender::column_of(Attribute& attribute, AttributeForm form) {
  if (!attribute.column) attribute.column = table_->attribute(attribute.key, form);
  return attribute.column;
}

void SyscallAppender::set(Attribute& attribute, std::int64_t value) {
  if (const auto column = column_of(attribute, AttributeForm::kInteger)) table_->set(*column, value);
}

void SyscallAppender::set_word(Attribute& attribute, Word word) {
  if (word == kNoWord) return;
  if (const auto column = column_of(attribute, AttributeForm::kWord)) table_->set(*column, word);
}

namespace {
/// From when a call was begun until it was known.
Duration until_known(const std::optional<Duration>& took, SyscallEnd end) {
  return end == SyscallEnd::kReturned ? took.value_or(Duration{}) : Duration{};
}
}  // namespace

SyscallEvent idle_mark(WallTime time) {
  return {.time = time,
          .took = {},
          .lwp = {},
          .name = "idle",
          .arguments = {},
          .result = {},
          .object = {},
          .end = SyscallEnd::kIdle};
}

std::optional<SyscallAppender::Texts> SyscallAppender::texts_of(const SyscallEvent& event) {
  constexpr std::size_t kShapes = 256;
  if (event.shape != 0) {
    if (shapes_.empty()) shapes_.resize(kShapes);
    const Texts& known = shapes_[event.shape % kShapes];
    if (known.shape == event.shape) return known;
  }
  const auto name = table_->intern(event.name.substr(0, kMostText));
  const auto object =
      event.object.empty() ? std::optional(kNoWord) : table_->intern(event.object.substr(0, kMostText));
  const auto arguments = table_->intern(event.arguments.substr(0, kMostText));
  if (!name || !object || !arguments) return std::nullopt;
  const Texts texts{.shape = event.shape, .name = *name, .object = *object, .arguments = *arguments};
  if (event.shape != 0) shapes_[event.shape % kShapes] = texts;
  return texts;
}

bool SyscallAppender::append(const SyscallEvent& event) {
  EventTable& table = *table_;
  const auto texts = texts_of(event);
  const Returned returned =
      event.plain_result ? Returned{.number = event.plain_result, .errno_name = {}, .is_number_alone = true}
                         : taken_apart(event.result);
  const bool is_more = !event.result.empty() && !returned.is_number_alone;
  const auto whole = !is_more                ? std::optional(kNoWord)
                     : returned.is_hex_alone ? table.intern(kHexPlace)
                                             : table.intern(event.result.substr(0, kMostText));
  const auto error = returned.errno_name.empty() ? std::optional(kNoWord)
                                                 : table.intern(returned.errno_name.substr(0, kMostText));
  if (!texts || !whole || !error) return false;
  table.append({.time = event.time + until_known(event.took, event.end),
                .duration = event.took,
                .subject = texts->object,
                .what = texts->name});
  if (event.lwp) set(lwp_, *event.lwp);
  if (event.end != SyscallEnd::kReturned) set(end_, static_cast<std::int64_t>(event.end));
  if (returned.number) set(result_, *returned.number);
  if (event.arguments.size() > kMostText) set(length_, static_cast<std::int64_t>(event.arguments.size()));
  if (event.sequence) set(sequence_, static_cast<std::int64_t>(*event.sequence));
  if (event.is_direct) set(direct_, 1);
  for (std::size_t i = 0; i < std::min(event.values.size(), values_.size()); ++i) {
    set(values_.at(i), static_cast<std::int64_t>(event.values[i]));
  }
  set_word(arguments_, texts->arguments);
  set_word(returned_, *whole);
  set_word(errno_, *error);
  return true;
}

SyscallRows::SyscallRows(const EventTable& table)
    : table_(table),
      lwp_(table.find_attribute("lwp", AttributeForm::kInteger)),
      arguments_(table.find_attribute("arguments", AttributeForm::kWord)),
      end_(table.find_attribute("end", AttributeForm::kInteger)),
      result_(table.find_attribute("result", AttributeForm::kInteger)),
      returned_(table.find_attribute("returned", AttributeForm::kWord)),
      sequence_(table.find_attribute("sequence", AttributeForm::kInteger)),
      direct_(table.find_attribute("direct", AttributeForm::kInteger)) {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    values_.at(i) = table.find_attribute(std::to_string(i), AttributeForm::kInteger);
  }
}

/// Puts values into the places of the arguments. Where there are no values, or not as many as places,
/// somebody else filled the table, and the text is what it is.
void SyscallRows::put_values(std::size_t e, SyscallEvent& call) {
  if (values_[0] == nullptr || !values_[0]->bits(e)) return;
  text_.clear();
  std::string_view rest = call.arguments;
  for (const AttributeColumn* const column : values_) {
    const auto bits = column == nullptr ? std::nullopt : column->bits(e);
    const auto [at, place] = find_place(rest);
    if (!bits || at == std::string_view::npos) break;
    text_.append(rest.substr(0, at));
    add_number(*bits, place, text_);
    rest.remove_prefix(at + place.size());
  }
  text_.append(rest);
  call.arguments = text_;
}

SyscallEnd SyscallRows::end_of(std::size_t e) const {
  const auto end = end_ == nullptr ? std::nullopt : end_->bits(e);
  const bool is_known = end && *end <= static_cast<std::uint64_t>(SyscallEnd::kIdle);
  return is_known ? static_cast<SyscallEnd>(*end) : SyscallEnd::kReturned;
}

WallTime SyscallRows::begun(std::size_t e) const {
  const EventTable::Event event = table_.event(e);
  return event.time - until_known(event.duration, end_of(e));
}

SyscallEvent SyscallRows::at(std::size_t e) {
  const EventTable::Event event = table_.event(e);
  const auto number = [&](const AttributeColumn* column) -> std::optional<std::int64_t> {
    const auto bits = column == nullptr ? std::nullopt : column->bits(e);
    return bits ? std::optional(static_cast<std::int64_t>(*bits)) : std::nullopt;
  };
  SyscallEvent call{
      .time = begun(e),
      .took = event.duration,
      .lwp = number(lwp_),
      .name = table_.words().text(event.what),
      .arguments = table_.word(arguments_, e),
      .result = table_.word(returned_, e),
      .object = event.subject == kNoWord ? std::string_view() : table_.words().text(event.subject)};
  if (const auto sequence = number(sequence_)) call.sequence = static_cast<std::uint64_t>(*sequence);
  call.is_direct = number(direct_).value_or(0) != 0;
  call.end = end_of(e);
  const auto result = number(result_);
  if (result && (call.result.empty() || call.result == kHexPlace)) {
    number_.clear();
    add_number(static_cast<std::uint64_t>(*result), call.result.empty() ? kSignedPlace : kHexPlace, number_);
    call.result = number_;
  }
  put_values(e, call);
  return call;
}

}  // namespace laggard
