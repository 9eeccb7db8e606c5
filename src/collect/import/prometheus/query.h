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
/// \param matchers  further matchers; empty ones and braces around one are dropped.
[[nodiscard]] std::string selector(std::span<const std::string_view> metrics,
                                   std::span<const std::string_view> matchers);

/// `LABEL=~"a|b"`: matches exactly these values, with special characters escaped.
[[nodiscard]] std::string any_of(std::string_view label, std::span<const std::string> values);

using Labels = std::map<std::string, std::string, std::less<>>;

/// Receives the series of an answer one after the other, while it is being parsed.
class SeriesReceiver {
 public:
  virtual ~SeriesReceiver() = default;
  /// False to leave this series out.
  virtual bool series(const Labels& labels) = 0;
  /// A sample of that series: time in milliseconds, the value as Prometheus writes it (`12.5`, `NaN`,
  /// `+Inf`).
  virtual void sample(std::int64_t time_ms, std::string_view value) = 0;
};

/// An answer of the HTTP API (https://prometheus.io/docs/prometheus/latest/querying/api) apart from its
/// series.
struct ApiAnswer {
  bool success = false;
  std::string error;
  std::vector<std::string> strings;  ///< The names, when the answer is a list of names.
  std::uint64_t samples = 0;
};

/// Parses one answer. Fails when it is not JSON of the API's form; an answer with status `error` is no
/// failure.
[[nodiscard]] Result<ApiAnswer> parse_answer(std::string_view json, SeriesReceiver& receiver);

}  // namespace laggard::collect
