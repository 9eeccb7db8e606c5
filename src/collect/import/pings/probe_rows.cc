#include "collect/import/pings/probe_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "base/text.h"
#include "collect/import/csv/format.h"
#include "collect/pings/ping.h"
#include "collect/pings/ping_source.h"

namespace laggard::collect {

namespace {

struct LatencyColumn {
  std::string_view name;
  double unit_ns;
};
constexpr std::array<LatencyColumn, 5> kLatencies{
    {{"latency_s", 1e9}, {"duration_s", 1e9}, {"latency_ms", 1e6}, {"latency_us", 1e3}, {"latency_ns", 1}}};
constexpr std::array<std::string_view, 5> kOutcomes{"ok", "slow", "timeout", "error", "skipped"};
/// A probe that took longer than this was none.
constexpr double kLongestNs = 1e9 * 86400 * 366;

bool is_operation(std::string_view name) {
  return std::ranges::any_of(kPingOperations,
                             [&](PingOperation operation) { return to_name(operation) == name; });
}

tl::unexpected<Error> bad(std::string what) { return fail(ErrorCode::kBadInput, "", std::move(what)); }

}  // namespace

Result<ProbeRows> ProbeRows::under(std::string_view header, ProbeDefaults defaults) {
  ProbeRows rows(std::move(defaults));
  std::vector<std::string_view> names;
  if (!split_fields(header, names, rows.scratch_)) return bad("is no header: a quote is not closed");
  rows.count_ = names.size();
  for (std::size_t field = 0; field < names.size(); ++field) {
    if (Status placed = rows.place(names[field], field); !placed) return forward(placed);
  }
  if (Status whole = rows.check(); !whole) return forward(whole);
  return rows;
}

Status ProbeRows::place(std::string_view name, std::size_t field) {
  struct Column {
    std::string_view name;
    std::size_t ProbeRows::*field;
  };
  static constexpr std::array<Column, 11> kColumns{{{"time", &ProbeRows::time_},
                                                    {"client", &ProbeRows::client_},
                                                    {"host", &ProbeRows::client_},
                                                    {"target", &ProbeRows::target_},
                                                    {"subject", &ProbeRows::target_},
                                                    {"operation", &ProbeRows::operation_},
                                                    {"outcome", &ProbeRows::outcome_},
                                                    {"what", &ProbeRows::outcome_},
                                                    {"error", &ProbeRows::error_},
                                                    {"kind", &ProbeRows::kind_},
                                                    {"attributes", &ProbeRows::attributes_}}};
  std::size_t ProbeRows::*to = nullptr;
  if (const auto* known = std::ranges::find(kColumns, name, &Column::name); known != kColumns.end()) {
    to = known->field;
  }
  if (const auto* latency = std::ranges::find(kLatencies, name, &LatencyColumn::name);
      latency != kLatencies.end()) {
    to = &ProbeRows::latency_;
    latency_unit_ns_ = latency->unit_ns;
  }
  if (to == nullptr) {
    ignored_.emplace_back(name);
    return {};
  }
  if (this->*to != kNone) return bad(fmt::format("has two columns for the same: `{}` is the second", name));
  this->*to = field;
  return {};
}

Status ProbeRows::check() const {
  if (time_ == kNone) return bad("names no column `time`; the first line has to name the columns");
  if (target_ == kNone) return bad("names no column `target`");
  if (latency_ == kNone && outcome_ == kNone) {
    const bool unit = std::ranges::any_of(
        ignored_, [](const std::string& name) { return name == "latency" || name == "duration"; });
    return bad(unit ? "has a latency without its unit; call the column latency_s, latency_ms, latency_us or "
                      "latency_ns"
                    : "names neither a latency (latency_ms, latency_s, …) nor an `outcome`");
  }
  if (client_ == kNone && defaults_.client.empty()) {
    return bad("names no column `client`; say with --client who probed");
  }
  return {};
}

std::string_view ProbeRows::text(std::size_t field) const {
  return field == kNone ? std::string_view() : fields_[field];
}

Status ProbeRows::read_latency(ProbeRow& row) const {
  const std::string_view written = text(latency_);
  if (written.empty()) return {};
  const auto number = to_number<double>(written);
  if (!number || !(*number >= 0) || !(*number * latency_unit_ns_ < kLongestNs)) {
    return bad(fmt::format("latency `{}` is no time that a probe takes", written));
  }
  row.latency = Duration(static_cast<std::int64_t>(std::llround(*number * latency_unit_ns_)));
  return {};
}

Status ProbeRows::read_outcome(ProbeRow& row) const {
  row.outcome = text(outcome_);
  if (row.outcome.empty()) {
    if (!text(error_).empty()) {
      row.outcome = "error";
    } else {
      row.outcome = !row.latency ? "timeout" : *row.latency < defaults_.deadline ? "ok" : "slow";
    }
  }
  if (std::ranges::find(kOutcomes, row.outcome) == kOutcomes.end()) {
    return bad(fmt::format("outcome `{}` is none of {}", row.outcome, fmt::join(kOutcomes, ", ")));
  }
  row.operation = text(operation_).empty() ? std::string_view(defaults_.operation) : text(operation_);
  return {};
}

Status ProbeRows::read_attributes(ProbeRow& row) const {
  std::string_view rest = text(attributes_);
  while (!(rest = trim(rest)).empty()) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(word.size());
    const std::size_t equals = word.find('=');
    if (equals == 0 || equals == std::string_view::npos) {
      return bad(fmt::format("attribute `{}` is not of the form KEY=VALUE", word));
    }
    const std::pair attribute(word.substr(0, equals), word.substr(equals + 1));
    if (attribute.first == "operation") {
      row.operation = attribute.second;
    } else {
      row.attributes.push_back(attribute);
    }
  }
  if (!text(error_).empty()) row.attributes.emplace_back("error", text(error_));
  return {};
}

Result<std::optional<ProbeRow>> ProbeRows::read(std::string_view line) {
  if (!split_fields(line, fields_, scratch_)) return bad("a quote is not closed, or something follows it");
  if (fields_.size() != count_) {
    return bad(fmt::format("has {} fields where the header has {}", fields_.size(), count_));
  }
  if (kind_ != kNone && text(kind_) != PingSource::kKind) return std::optional<ProbeRow>();
  ProbeRow row;
  std::string why;
  const std::optional<WallTime> time = parse_moment(text(time_), defaults_.times, why);
  if (!time) return bad(std::move(why));
  row.time = *time;
  row.client = text(client_).empty() ? std::string_view(defaults_.client) : text(client_);
  row.target = text(target_);
  if (row.client.empty()) return bad("names no client");
  if (row.target.empty()) return bad("names no target");
  for (const auto step : {&ProbeRows::read_latency, &ProbeRows::read_outcome, &ProbeRows::read_attributes}) {
    if (Status read = (this->*step)(row); !read) return forward(read);
  }
  if (!is_operation(row.operation)) {
    return bad(fmt::format(
        "operation `{}` is none of CrWr (create and write), WrEx (write) and RmEx (remove)", row.operation));
  }
  return std::optional(std::move(row));
}

}  // namespace laggard::collect
