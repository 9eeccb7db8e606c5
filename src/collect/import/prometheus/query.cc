#include "collect/import/prometheus/query.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/text.h"

namespace laggard::collect {

std::string selector(std::span<const std::string_view> metrics, std::span<const std::string_view> matchers) {
  std::string out = fmt::format("{{__name__=~\"{}\"", fmt::join(metrics, "|"));
  for (std::string_view matcher : matchers) {
    matcher = trim(matcher);
    if (matcher.starts_with('{') && matcher.ends_with('}'))
      matcher = trim(matcher.substr(1, matcher.size() - 2));
    if (!matcher.empty()) out.append(",").append(matcher);
  }
  return out + "}";
}

std::string any_of(std::string_view label, std::span<const std::string> values) {
  std::string pattern;
  for (const std::string& value : values) {
    if (!pattern.empty()) pattern += '|';
    for (const char c : value) {
      // A backslash for the pattern is two in the string around it.
      constexpr std::string_view kSpecial = ".+*?()|[]{}^$";
      if (kSpecial.find(c) != std::string_view::npos) pattern += R"(\\)";
      if (c == '\\') pattern += R"(\\\)";
      if (c == '"') pattern += '\\';
      pattern += c;
    }
  }
  return fmt::format("{}=~\"{}\"", label, pattern);
}

namespace {

using Json = nlohmann::json;

/// The reader's position in an answer:
/// kRoot {"status":…,"data":kData {"result":kResult [kSeries {"metric":kMetric {…},"values":kPoints [kPoint
/// […]]}]}}, or "data":kStrings […].
enum class Place : std::uint8_t {
  kOther,
  kDocument,  ///< Around the root.
  kRoot,
  kData,
  kResult,
  kSeries,
  kMetric,
  kPoints,
  kPoint,
  kStrings
};

/// One step deeper into an answer.
struct Step {
  Place from;
  std::string_view key;  ///< The key of the container; empty in arrays, which have no keys.
  bool object;           ///< Otherwise an array.
  Place to;
};

/// A short name takes ten times as much memory as in an answer. No site has this many hosts, and no series
/// this many labels.
constexpr std::size_t kMostNames = 1'000'000;
constexpr std::size_t kMostLabels = 1000;

/// All steps towards what is read; all others lead to kOther.
constexpr std::array kSteps{
    Step{Place::kDocument, "", true, Place::kRoot},
    Step{Place::kRoot, "data", true, Place::kData},
    Step{Place::kRoot, "data", false, Place::kStrings},
    Step{Place::kData, "result", false, Place::kResult},
    Step{Place::kResult, "", true, Place::kSeries},
    Step{Place::kSeries, "metric", true, Place::kMetric},
    Step{Place::kSeries, "values", false, Place::kPoints},
    Step{Place::kSeries, "value", false, Place::kPoint},
    Step{Place::kPoints, "", false, Place::kPoint},
};

class AnswerReader final : public nlohmann::json_sax<Json> {
 public:
  explicit AnswerReader(SeriesReceiver& receiver) : receiver_(receiver) {}

  [[nodiscard]] Result<ApiAnswer> finish(bool parsed) {
    if (parsed) return std::move(answer_);
    return fail(ErrorCode::kBadInput, "",
                problem_.empty() ? "the answer is no JSON of the Prometheus API" : problem_);
  }

  bool null() override { return value(std::nullopt); }
  bool boolean(bool /*yes*/) override { return value(std::nullopt); }
  bool number_integer(number_integer_t number) override { return number_seen(static_cast<double>(number)); }
  bool number_unsigned(number_unsigned_t number) override { return number_seen(static_cast<double>(number)); }
  bool number_float(number_float_t number, const string_t& /*text*/) override { return number_seen(number); }
  bool string(string_t& text) override { return value(text); }
  bool binary(binary_t& /*bytes*/) override { return value(std::nullopt); }

  bool start_object(std::size_t /*size*/) override { return enter(true); }
  bool start_array(std::size_t /*size*/) override { return enter(false); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool key(string_t& name) override {
    key_ = name;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    problem_ = fmt::format("the answer breaks off or is no JSON (at byte {})", position);
    return false;
  }

 private:
  [[nodiscard]] Place place() const { return places_.empty() ? Place::kOther : places_.back(); }

  [[nodiscard]] Place next_place(bool object) const {
    const Place here = places_.empty() ? Place::kDocument : place();
    const auto step = std::find_if(kSteps.begin(), kSteps.end(), [&](const Step& candidate) {
      return candidate.from == here && candidate.object == object &&
             (candidate.key.empty() || candidate.key == key_);
    });
    return step == kSteps.end() ? Place::kOther : step->to;
  }

  bool enter(bool object) {
    constexpr std::size_t kDeepest = 64;
    if (places_.size() >= kDeepest) {
      problem_ = "the answer is nested too deeply";
      return false;
    }
    const Place next = next_place(object);
    places_.push_back(next);
    if (next == Place::kSeries) {
      labels_.clear();
      named_ = false;
    }
    if (next == Place::kPoints || (next == Place::kPoint && places_[places_.size() - 2] == Place::kSeries)) {
      if (!named_) {
        problem_ = "the answer gives samples before their series";
        return false;
      }
      wanted_ = receiver_.series(labels_);
    }
    if (next == Place::kPoint) {
      time_ms_.reset();
      text_.reset();
    }
    return true;
  }

  bool leave() {
    const Place left = place();
    places_.pop_back();
    if (left == Place::kMetric) named_ = true;
    if (left != Place::kPoint) return true;
    if (!time_ms_ || !text_) {
      problem_ = "the answer has a sample without a time or a value";
      return false;
    }
    ++answer_.samples;
    if (wanted_) receiver_.sample(*time_ms_, *text_);
    return true;
  }

  bool number_seen(double number) {
    constexpr double kFarthest = 1e12;  // seconds; keeps the product below inside of 64 bits
    if (place() == Place::kPoint && !time_ms_ && std::abs(number) < kFarthest)
      time_ms_ = std::llround(number * 1000);
    return true;
  }

  bool value(std::optional<std::string_view> text) {
    if (!text) return true;
    switch (place()) {
      case Place::kRoot:
        if (key_ == "status") answer_.success = *text == "success";
        if (key_ == "error") answer_.error = *text;
        break;
      case Place::kMetric:
        labels_.insert_or_assign(key_, std::string(*text));
        return bounded(labels_.size(), kMostLabels, "labels of a series");
      case Place::kPoint:
        text_ = *text;
        break;
      case Place::kStrings:
        answer_.strings.emplace_back(*text);
        return bounded(answer_.strings.size(), kMostNames, "names");
      case Place::kOther:
      case Place::kDocument:
      case Place::kData:
      case Place::kResult:
      case Place::kSeries:
      case Place::kPoints:
        break;
    }
    return true;
  }

  bool bounded(std::size_t count, std::size_t most, std::string_view of_what) {
    if (count <= most) return true;
    problem_ = fmt::format("the answer has more than {} {}", most, of_what);
    return false;
  }

  SeriesReceiver& receiver_;
  ApiAnswer answer_;
  std::vector<Place> places_;
  std::string key_;
  Labels labels_;
  bool named_ = false;
  bool wanted_ = false;
  std::optional<std::int64_t> time_ms_;
  std::optional<std::string> text_;
  std::string problem_;
};

}  // namespace

Result<ApiAnswer> parse_answer(std::string_view json, SeriesReceiver& receiver) {
  AnswerReader reader(receiver);
  const bool parsed = Json::sax_parse(json.begin(), json.end(), &reader);
  return reader.finish(parsed);
}

}  // namespace laggard::collect
