#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace laggard::collect {

/// A PromQL selector of series by the names of their metrics: `{__name__=~"a|b",MATCHERS}`.
/// \param matchers  more of them, separated by commas; empty ones and braces around one are left out.
[[nodiscard]] std::string selector(std::span<const std::string_view> metrics,
                                   std::span<const std::string_view> matchers);

/// `LABEL=~"a|b"`: any of these values, whatever characters they are made of.
[[nodiscard]] std::string any_of(std::string_view label, std::span<const std::string> values);

using Labels = std::map<std::string, std::string, std::less<>>;

/// Takes the series of an answer one after the other, without a copy of the answer in between.
class SeriesReceiver {
 public:
  virtual ~SeriesReceiver() = default;
  /// False to leave this series out.
  virtual bool series(const Labels& labels) = 0;
  /// A sample of that series: time in milliseconds, the value as Prometheus writes it (`12.5`, `NaN`,
  /// `+Inf`).
  virtual void sample(std::int64_t time_ms, std::string_view value) = 0;
};

/// The rest of an answer of the HTTP API (https://prometheus.io/docs/prometheus/latest/querying/api).
struct ApiAnswer {
  bool success = false;
  std::string error_type;
  std::string error;
  std::string result_type;           ///< matrix, vector, …
  std::vector<std::string> strings;  ///< Of an answer that is a list of names.
  std::uint64_t samples = 0;
};

/// Reads one answer. Fails when it is no JSON of the API's form; an answer that says `error` is none.
[[nodiscard]] Result<ApiAnswer> parse_answer(std::string_view json, SeriesReceiver& receiver);

}  // namespace laggard::collect
