#include "collect/samples/process_maps.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

#include "base/text.h"

namespace laggard::collect {

namespace {

/// The number at the beginning of `text`, which is taken off with the separator that must follow.
template <typename Number>
std::optional<Number> take_hex(std::string_view& text, char separator) {
  constexpr int kHex = 16;
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, kHex);
  if (error != std::errc{} || end == text.data() + text.size() || *end != separator) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return value;
}

/// `START-END PERMISSIONS OFFSET MAJOR:MINOR INODE    PATH`
std::optional<Mapping> parse_mapping(std::string_view line) {
  Mapping mapping;
  const auto start = take_hex<std::uint64_t>(line, '-');
  const auto end = take_hex<std::uint64_t>(line, ' ');
  const std::string_view permissions = take_word(line);
  constexpr std::size_t kExecute = 2;
  if (!start || !end || *start >= *end || permissions.size() <= kExecute || permissions[kExecute] != 'x')
    return std::nullopt;
  line = trim(line);
  const auto offset = take_hex<std::uint64_t>(line, ' ');
  const auto device_major = take_hex<std::uint32_t>(line, ':');
  const auto device_minor = take_hex<std::uint32_t>(line, ' ');
  const auto inode = to_number<std::uint64_t>(take_word(line));
  if (!offset || !device_major || !device_minor || !inode) return std::nullopt;
  return Mapping{.start = *start,
                 .end = *end,
                 .offset = *offset,
                 .file = {.device_major = *device_major, .device_minor = *device_minor, .inode = *inode},
                 .path = std::string(trim(line))};
}

}  // namespace

ProcessMaps ProcessMaps::parse(std::string_view text) {
  ProcessMaps maps;
  while (!text.empty()) {
    if (auto mapping = parse_mapping(take_line(text))) maps.add(std::move(*mapping));
  }
  return maps;
}

void ProcessMaps::add(Mapping mapping) {
  if (mapping.start >= mapping.end) return;
  auto first = std::ranges::upper_bound(mappings_, mapping.start, {}, &Mapping::end);
  std::vector<Mapping> left;  // Of what was there before.
  auto last = first;
  for (; last != mappings_.end() && last->start < mapping.end; ++last) {
    if (last->start < mapping.start) {
      left.push_back(*last);
      left.back().end = mapping.start;
    }
    if (last->end > mapping.end) {
      left.push_back(*last);
      left.back().offset += mapping.end - last->start;
      left.back().start = mapping.end;
    }
  }
  first = mappings_.erase(first, last);
  left.push_back(std::move(mapping));
  std::ranges::sort(left, {}, &Mapping::start);
  if (mappings_.size() + left.size() > kMost) return;
  mappings_.insert(first, std::make_move_iterator(left.begin()), std::make_move_iterator(left.end()));
}

const Mapping* ProcessMaps::find(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(mappings_, address, {}, &Mapping::end);
  return after != mappings_.end() && after->start <= address ? &*after : nullptr;
}

}  // namespace laggard::collect
