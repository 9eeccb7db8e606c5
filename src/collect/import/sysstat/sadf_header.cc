#include "collect/import/sysstat/sadf_header.h"

#include <algorithm>

#include "base/text.h"

namespace laggard::collect {

namespace {

constexpr std::size_t kLongestHostName = 64;
constexpr std::size_t kLongestVersion = 32;

/// `Linux 6.1.0 (fs1) <tab>11/20/26 …` -> fs1. Bytes that no host name has become `?`.
std::string node_name(std::string_view line) {
  const std::size_t end = line.rfind(')', line.find('\t'));
  const std::size_t begin = end == std::string_view::npos ? end : line.rfind('(', end);
  if (begin == std::string_view::npos) return {};
  std::string name(line.substr(begin + 1, std::min(end - begin - 1, kLongestHostName)));
  for (char& c : name) {
    if (c <= ' ' || c > '~' || c == '/') c = '?';
  }
  return name;
}

/// `11: [8c] A_DISK <blanks> Y: 10 <tab>(3,3,8) <tab>[Unknown format]`
void read_activity(std::string_view line, SadfHeader& header) {
  const std::size_t name = line.find("] A_");
  if (name == std::string_view::npos || line.find(": [") > 4) return;
  const bool unknown = line.find("[Unknown format]") != std::string_view::npos;
  line.remove_prefix(name + 2);
  (unknown ? header.unknown : header.activities).emplace_back(take_word(line));
}

}  // namespace

bool SadfHeader::has(std::string_view activity) const {
  return std::find(activities.begin(), activities.end(), activity) != activities.end();
}

SadfHeader parse_sadf_header(std::string_view text) {
  constexpr std::string_view kVersion = "File created by sar/sadc from sysstat version ";
  constexpr std::string_view kHost = "Host: ";
  SadfHeader header;
  for (std::string_view line : split(text, '\n')) {
    if (line.starts_with(kVersion)) {
      line.remove_prefix(kVersion.size());
      header.version = take_word(line).substr(0, kLongestVersion);
    } else if (line.starts_with(kHost)) {
      header.readable = true;
      header.host = node_name(line.substr(kHost.size()));
    } else {
      read_activity(line, header);
    }
  }
  return header;
}

}  // namespace laggard::collect
