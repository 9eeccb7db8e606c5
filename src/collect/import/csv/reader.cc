#include "collect/import/csv/reader.h"

#include <algorithm>
#include <utility>

#include "base/terminal_text.h"

namespace laggard::collect {

namespace {

/// Text from a file as an error shows it: shortened, and without control characters.
std::string shown(std::string_view text, std::size_t most = 60) {
  std::string out = printable(text.substr(0, most));
  if (text.size() > most) out += "…";
  return out;
}

constexpr std::size_t kWholeSentence = 400;

/// `2,5`
bool is_decimal_comma(std::string_view text) {
  const std::size_t comma = text.find(',');
  return comma != std::string_view::npos && comma > 0 && comma + 1 < text.size() &&
         std::ranges::all_of(text, [](char c) { return c == ',' || c == '-' || (c >= '0' && c <= '9'); });
}

}  // namespace

bool CsvReader::complain(std::string what) {
  complaint_ = std::move(what);
  return false;
}

Status CsvReader::read_header(LineReader& lines) {
  std::string_view line;
  do {
    if (!lines.next(line)) {
      if (!lines.status()) return lines.status();
      return fail(ErrorCode::kBadInput, "", "is empty");
    }
    if (line.find('\0') != std::string_view::npos) {
      return fail(ErrorCode::kBadInput, "", "is no CSV file: it holds binary data");
    }
  } while (line.empty());
  if (!split_fields(line, fields_, scratch_, form_.delimiter)) {
    return fail(ErrorCode::kBadInput, "", "is no CSV file: a quote of its first line is not closed");
  }
  for (std::string_view& field : fields_) {
    if (field.size() > 200)
      return fail(ErrorCode::kBadInput, "", "is no CSV file: its first line is no header");
  }
  Result<CsvLayout> layout = make_layout(form_, fields_);
  if (!layout) {
    layout.error().what = shown(layout.error().what, kWholeSentence);
    return forward(layout);
  }
  layout_ = std::move(*layout);
  return {};
}

Result<std::uint64_t> CsvReader::read_rows(LineReader& lines, const std::string& where, const Pulse& pulse) {
  std::string_view line;
  std::uint64_t read = 0;
  while (lines.next(line)) {
    if (line.empty()) continue;
    if (!read_predicted(line) && !read_line(line)) {
      std::string what = complaint_;
      if (!lines.terminated()) what += " (the last line has no line end: is the file cut off?)";
      return fail(ErrorCode::kBadInput, fmt::format("{}:{}", where, lines.line_number()), std::move(what));
    }
    ++read;
    if (collector_.full()) {
      if (Status status = collector_.flush_older(); !status) return forward(status);
    }
    if (read % kPulse == 0 && pulse) pulse(read);
  }
  if (!lines.status()) {
    Error error = lines.status().error();
    if (error.where.empty()) error.where = where;
    return tl::unexpected<Error>(std::move(error));
  }
  return read;
}

/// The fast path for a canonical long line whose host, kind, device and counter are those that followed last
/// time. False only means that the line has to be read the slow way.
bool CsvReader::read_predicted(std::string_view line) {
  if (!layout_.canonical || targets_.empty()) return false;
  const std::size_t guess = targets_[current_].next;
  const Target& target = targets_[guess];
  const std::size_t comma = line.find(',');
  if (target.text.empty() || comma == std::string_view::npos) return false;
  const std::string_view rest = line.substr(comma + 1);
  if (rest.size() <= target.text.size() || rest[target.text.size()] != ',' ||
      !rest.starts_with(target.text)) {
    return false;
  }
  if (line.substr(0, comma) != time_text_ && !set_time(line.substr(0, comma))) return false;
  const FieldValue value = parse_value(rest.substr(target.text.size() + 1), target.form);
  if (value.kind == ValueKind::kValue) {
    collector_.add(target.stream, target.columns.front(), time_, value.bits);
  } else if (value.kind != ValueKind::kMissing) {
    return false;
  }
  current_ = guess;
  return true;
}

bool CsvReader::read_line(std::string_view line) {
  if (!split_fields(line, fields_, scratch_, form_.delimiter)) return complain("a quote is not closed");
  if (fields_.size() != layout_.fields) {
    return complain(fmt::format("has {} fields where the header has {}", fields_.size(), layout_.fields));
  }
  if (fields_[layout_.time] != time_text_ && !set_time(fields_[layout_.time])) return false;
  if (!layout_.wide) {
    if (!read_long()) return false;
    if (layout_.canonical) {
      // Remember the middle of the line as written, unless something in it is quoted.
      const std::size_t begin = line.find(',') + 1;
      targets_[current_].text = line.substr(begin, line.rfind(',') - begin);
      if (targets_[current_].text.find('"') != std::string::npos || line.front() == '"') {
        targets_[current_].text.clear();
      }
    }
    return true;
  }
  return read_wide();
}

bool CsvReader::set_time(std::string_view text) {
  std::string why;
  const std::optional<WallTime> time = parse_moment(text, form_.times, why);
  if (!time) return complain(shown(why, kWholeSentence));
  time_ = *time;
  time_text_ = text;
  first_ = first_ ? std::min(*first_, time_) : time_;
  last_ = last_ ? std::max(*last_, time_) : time_;
  return true;
}

void CsvReader::follow(std::size_t target) {
  if (current_ < targets_.size()) targets_[current_].next = target;
  current_ = target;
}

std::optional<std::size_t> CsvReader::find_long_target() {
  key_.clear();
  for (const std::size_t field : {layout_.host, layout_.kind, layout_.device, layout_.counter}) {
    key_.append(fields_[field]).push_back('\n');
  }
  if (const auto found = target_index_.find(key_); found != target_index_.end()) return found->second;
  for (const std::size_t field : {layout_.host, layout_.device, layout_.counter}) {
    if (!fields_[field].empty()) continue;
    complaint_ = "the host, device or counter is empty";
    return std::nullopt;
  }
  const std::optional<DeviceKind> kind = device_kind(fields_[layout_.kind]);
  if (!kind) {
    complaint_ =
        fmt::format("the kind `{}` is unknown; there are disk, net and tcp", shown(fields_[layout_.kind]));
    return std::nullopt;
  }
  const TableCounter counter = counter_named(*kind, fields_[layout_.counter]);
  if (find_counter(*kind, counter.name) == nullptr) {
    unknown_.insert(fmt::format("{}/{}", to_name(*kind), shown(counter.name)));
  }
  Target target;
  target.stream = collector_.stream(fields_[layout_.host], *kind);
  target.columns.push_back(collector_.column(target.stream, fields_[layout_.device], counter));
  target.form = counter.form;
  targets_.push_back(std::move(target));
  target_index_.emplace(key_, targets_.size() - 1);
  return targets_.size() - 1;
}

bool CsvReader::read_long() {
  const std::optional<std::size_t> target = find_long_target();
  if (!target) return false;
  follow(*target);
  return store(targets_[*target], {0, targets_[*target].form}, fields_[layout_.value]);
}

std::optional<std::size_t> CsvReader::find_wide_target() {
  const std::string_view host = layout_.host == CsvLayout::kNone ? form_.host : fields_[layout_.host];
  const bool named = layout_.device != CsvLayout::kNone;  // Else each column is of one device.
  const std::string_view device = named ? fields_[layout_.device] : std::string_view{};
  key_.assign(host).append("\n").append(device);
  if (!targets_.empty()) {
    for (const std::size_t guess : {current_, targets_[current_].next}) {
      if (targets_[guess].text == key_) return guess;
    }
  }
  if (const auto found = target_index_.find(key_); found != target_index_.end()) return found->second;
  if (host.empty() || (named && device.empty())) {
    complaint_ = "the host or the device is empty";
    return std::nullopt;
  }
  Target target;
  target.text = key_;
  target.stream = collector_.stream(host, form_.kind);
  for (const CsvLayout::Value& value : layout_.values) {
    target.columns.push_back(
        collector_.column(target.stream, named ? device : std::string_view(value.device), value.counter));
  }
  targets_.push_back(std::move(target));
  target_index_.emplace(key_, targets_.size() - 1);
  return targets_.size() - 1;
}

bool CsvReader::read_wide() {
  const std::optional<std::size_t> target = find_wide_target();
  if (!target) return false;
  follow(*target);
  for (std::size_t i = 0; i < layout_.values.size(); ++i) {
    const CsvLayout::Value& value = layout_.values[i];
    if (!store(targets_[*target], {i, value.counter.form, value.scale}, fields_[value.field])) return false;
  }
  return true;
}

bool CsvReader::store(const Target& target, const Place& place, std::string_view text) {
  const FieldValue value = parse_scaled(text, place.form, place.scale, form_.decimal);
  switch (value.kind) {
    case ValueKind::kValue:
      collector_.add(target.stream, target.columns[place.column], time_, value.bits);
      return true;
    case ValueKind::kMissing:
      return true;
    case ValueKind::kNotANumber:
      return complain(fmt::format("`{}` is no finite number; leave the field empty where there is no value{}",
                                  shown(text), is_decimal_comma(text) ? ", or say --decimal ," : ""));
    case ValueKind::kNegative:
      return complain(fmt::format(
          "the counter is negative ({}), but counters only grow; leave the field empty or correct the line",
          shown(text)));
    case ValueKind::kFraction:
      return complain(fmt::format(
          "`{}` is no whole number, which a counter has to be; are these rates? (--gauge)", shown(text)));
    case ValueKind::kTooLarge:
      return complain(fmt::format("`{}` is too large for a counter to be exact", shown(text)));
  }
  return complain("is unreadable");
}

}  // namespace laggard::collect
