#include "collect/import/prometheus/import.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "collect/import/prometheus/host_sums.h"
#include "collect/import/prometheus/lustre_targets.h"
#include "collect/import/prometheus/query.h"
#include "collect/import/sample_collector.h"
#include "model/exporter_names.h"
#include "net/http.h"

namespace laggard::collect {

namespace {

constexpr std::int64_t kNsPerMs = 1'000'000;
constexpr std::int64_t kFirstStretchMs = std::int64_t{10} * 60 * 1000;
constexpr std::int64_t kLongestStretchMs = std::int64_t{24} * 3600 * 1000;
constexpr std::int64_t kShortestStretchMs = 1000;
constexpr std::int64_t kUsualStepMs = 15000;
/// Prometheus refuses range queries with more than 11,000 points of a series.
constexpr std::int64_t kMostSteps = 10000;

/// Milliseconds as the API takes times: `1659186015.123`.
std::string api_time(std::int64_t ms) { return fmt::format("{}.{:03}", ms / 1000, ms % 1000); }

/// What a user may do about a refusal, as far as it is specific to importing.
std::string_view advice(int status) {
  if (status == 403) return "these credentials may not read there";
  if (status == 422) return "a --match that leaves fewer series may help";
  return "";
}

/// Series that are queried together, and the hosts that have them.
struct Source {
  std::vector<std::string_view> metrics;
  std::string_view matcher{};
  bool targets = false;              ///< Of Lustre.
  std::vector<std::string> hosts{};  ///< Values of the host's label.
};

Source device_source() {
  Source source;
  for (const ExportedCounter& exported : exported_counters()) source.metrics.push_back(exported.metric);
  source.metrics.insert(source.metrics.end(), HostSums::metrics().begin(), HostSums::metrics().end());
  return source;
}

/// The matcher keeps out the clients' series of the same names, which are a thousand times as many.
Source target_source() {
  const auto metrics = LustreTargets::metrics();
  return {{metrics.begin(), metrics.end()}, "component=~\"ost|mdt\"", true};
}

class PrometheusImport final : public SeriesReceiver {
 public:
  PrometheusImport(net::HttpTransport& transport, const PrometheusOptions& options, TableSink& sink,
                   ImportObserver& observer)
      : transport_(transport),
        options_(options),
        sink_(sink),
        collector_(sink, {.cells = std::size_t{1} << 20U}),
        observer_(observer) {
    state_.source = options.server;
  }

  [[nodiscard]] Status run() {
    if (Status status = learn_hosts(); !status) return status;
    const std::int64_t from = to_unix_ns(options_.from) / kNsPerMs;
    const std::int64_t to = to_unix_ns(options_.to) / kNsPerMs;
    if (options_.step) step_ms_ = std::max<std::int64_t>(options_.step->count() / kNsPerMs, 1);
    state_.total = static_cast<std::uint64_t>(to - from);
    Status status = fetch_all(from, to);
    Status flushed = collector_.flush_all();
    if (!flushed) return flushed;  // It comes first: the other error says what was imported.
    if (!status) return status;
    return state_.lines == 0 ? no_samples() : Status{};
  }

  [[nodiscard]] ImportResult finish() {
    if (!unplaced_.empty()) {
      observer_.notice(fmt::format("series without the label `{}` or `{}` were left out: {}",
                                   options_.host_label, options_.device_label, fmt::join(unplaced_, ", ")));
    }
    if (impossible_ > 0) {
      observer_.notice(fmt::format("values that no counter can have were left out: {} of {}, the first {}",
                                   impossible_, state_.lines, first_impossible_));
    }
    result_.values = collector_.values();
    result_.lines = state_.lines;
    result_.hosts = hosts_seen_.size();
    result_.sources = series_.size() + host_sums_.size() + lustre_targets_.size();
    return std::move(result_);
  }

  bool series(const Labels& labels) override {
    series_at_ = nullptr;
    const auto name = labels.find("__name__");
    if (name == labels.end()) return false;
    metric_ = name->second;
    const auto host = labels.find(options_.host_label);
    if (host == labels.end()) {
      unplaced_.insert(metric_);
      return false;
    }
    if (asking_for_targets_) return lustre_targets_.series(labels, host_name(host->second));
    is_part_of_sum_ = host_sums_.series(labels, host_name(host->second));
    return is_part_of_sum_ || device_series(labels, host->second);
  }

  void sample(std::int64_t time_ms, std::string_view value) override {
    if (time_ms < stretch_from_ms_ || time_ms > stretch_to_ms_) return;
    ++state_.lines;
    const WallTime time = from_unix_ns(time_ms * kNsPerMs);
    if (!take(time_ms, value)) {
      if (!is_idle(value)) note_impossible(time, value);
      return;
    }
    result_.first = result_.first ? std::min(*result_.first, time) : time;
    result_.last = result_.last ? std::max(*result_.last, time) : time;
  }

 private:
  struct Series {
    const ExportedCounter* exported;
    StreamId stream;
    ColumnId column;
  };

  [[nodiscard]] bool device_series(const Labels& labels, const std::string& host) {
    const ExportedCounter* exported = find_exported(metric_);
    if (exported == nullptr) return false;
    const auto label_of_device = labels.find(options_.device_label);
    const bool of_host = label_of_device == labels.end() && exported->kind == DeviceKind::kHost;
    if (label_of_device == labels.end() && !of_host) {
      unplaced_.insert(metric_);
      return false;
    }
    const std::string device = of_host ? std::string(kHostDevice) : label_of_device->second;
    std::string_view counter = exported->counter;
    if (counter.empty()) {
      const auto label = labels.find(kCounterLabel);
      if (label == labels.end()) return false;
      counter = label->second;
    }
    const std::string key = fmt::format("{}\n{}\n{}\n{}", host, device, metric_, counter);
    auto found = series_.find(key);
    if (found == series_.end()) {
      Series fresh{exported, collector_.stream(host_name(host), exported->kind), {}};
      fresh.column = collector_.column(fresh.stream, device, {std::string(counter), exported->form()});
      found = series_.emplace(key, fresh).first;
    }
    series_at_ = &found->second;
    return true;
  }

  /// False when the text is not a value of the series.
  [[nodiscard]] bool take(std::int64_t time_ms, std::string_view value) {
    if (asking_for_targets_) return lustre_targets_.sample(time_ms, value);
    if (is_part_of_sum_) return host_sums_.sample(time_ms, value);
    const std::optional<std::uint64_t> bits = stored_value(*series_at_->exported, value);
    if (bits) collector_.add(series_at_->stream, series_at_->column, from_unix_ns(time_ms * kNsPerMs), *bits);
    return bits.has_value();
  }

  /// The instance without its port, where that names only one host.
  [[nodiscard]] const std::string& host_name(const std::string& instance) {
    const std::string bare = host_of_instance(instance);
    const auto shared = bare_names_.find(bare);
    return *hosts_seen_.insert(shared != bare_names_.end() && shared->second > 1 ? instance : bare).first;
  }

  /// Finds the hosts, and how many instances share a name once the port is dropped. The exporters of disks
  /// and of targets are counted separately, because they have different ports on the same host.
  [[nodiscard]] Status learn_hosts() {
    for (Source& source : sources_) {
      Result<std::set<std::string>> hosts = hosts_of(source);
      if (!hosts) return forward(hosts);
      source.hosts.assign(hosts->begin(), hosts->end());
      std::map<std::string, int> names;
      for (const std::string& instance : source.hosts) ++names[host_of_instance(instance)];
      for (const auto& [bare, count] : names) bare_names_[bare] = std::max(bare_names_[bare], count);
    }
    return {};
  }

  /// All at once, or metric by metric where the server refuses that: VictoriaMetrics looks at no more than
  /// 300,000 series for it by default.
  [[nodiscard]] Result<std::set<std::string>> hosts_of(const Source& source) {
    Result<ApiAnswer> all = ask_hosts(source, source.metrics);
    if (all) return std::set<std::string>(all->strings.begin(), all->strings.end());
    if (!too_much_) return forward(all);
    std::set<std::string> hosts;
    for (const std::string_view& metric : source.metrics) {
      Result<ApiAnswer> some = ask_hosts(source, std::span(&metric, 1));
      if (!some) return forward(some);
      hosts.insert(some->strings.begin(), some->strings.end());
    }
    return hosts;
  }

  [[nodiscard]] Result<ApiAnswer> ask_hosts(const Source& source, std::span<const std::string_view> metrics) {
    return ask("/api/v1/label/" + options_.host_label + "/values",
               {{"match[]", selector(metrics, std::array{source.matcher, std::string_view(options_.match)})},
                {"start", api_time(to_unix_ns(options_.from) / kNsPerMs)},
                {"end", api_time(to_unix_ns(options_.to) / kNsPerMs)}});
  }

  [[nodiscard]] Status fetch_all(std::int64_t from, std::int64_t to) {
    std::int64_t length = kFirstStretchMs;
    std::int64_t at = from;
    while (at <= to) {
      const std::int64_t longest =
          step_ms_ ? std::min(kLongestStretchMs, *step_ms_ * kMostSteps) : kLongestStretchMs;
      length = std::clamp(length, kShortestStretchMs, longest);
      stretch_from_ms_ = at;
      stretch_to_ms_ = std::min(to, at + length - 1);
      Result<std::uint64_t> samples = ask_stretch();
      if (!samples) {
        if (may_ask_again(length)) continue;
        return stopped_at(at, std::move(samples.error()));
      }
      if (Status status = hand_on_sums(); !status) return status;
      if (collector_.full()) {
        if (Status status = collector_.flush_older(); !status) return status;
      }
      at = stretch_to_ms_ + 1;
      state_.done = static_cast<std::uint64_t>(at - from);
      state_.values = collector_.values();
      observer_.progress(state_);
      length = *samples == 0 ? length * 2 : std::min<std::int64_t>(length * 2, scaled(length, *samples));
    }
    return {};
  }

  [[nodiscard]] Status hand_on_sums() {
    for (const DeviceInfo& target : lustre_targets_.take_facts()) {
      if (Status status = sink_.describe(target); !status) return status;
    }
    lustre_targets_.hand_on(collector_);
    host_sums_.hand_on(collector_);
    return {};
  }

  /// Whether to retry the stretch that was just refused: shorter, for fewer hosts at a time, or as values at
  /// steps.
  [[nodiscard]] bool may_ask_again(std::int64_t& length) {
    if (smaller_helps_ && length > kShortestStretchMs) {
      length /= 4;
      return true;
    }
    const bool divisible =
        std::ranges::any_of(sources_, [&](const Source& source) { return source.hosts.size() > shards_; });
    if (too_much_ && divisible) {
      shards_ *= 2;
      length = kFirstStretchMs;
      return true;
    }
    if (step_ms_ || !refuses_ranges_) return false;
    step_ms_ = kUsualStepMs;
    observer_.notice("the server gives no raw samples; asking for values every 15 s instead (--step)");
    return true;
  }

  [[nodiscard]] tl::unexpected<Error> stopped_at(std::int64_t at, Error error) const {
    if (result_.first) {
      error.what += fmt::format("; samples before {} are imported, run again to go on",
                                to_iso8601(from_unix_ns(at * kNsPerMs)));
    }
    return tl::unexpected<Error>(std::move(error));
  }

  /// No samples is an error: more likely a mistake than a site without disks.
  [[nodiscard]] Status no_samples() const {
    if (!unplaced_.empty()) {
      return fail(ErrorCode::kBadInput, options_.server,
                  fmt::format("no series has the labels `{}` and `{}`; name others with --label",
                              options_.host_label, options_.device_label));
    }
    return fail(
        ErrorCode::kBadInput, options_.server,
        fmt::format("the server has no disks or interfaces of node_exporter and no targets of a Lustre "
                    "exporter between {} and {}{}; other times with --from and --to",
                    to_iso8601(options_.from), to_iso8601(options_.to),
                    options_.match.empty() ? "" : " that match"));
  }

  void note_impossible(WallTime time, std::string_view value) {
    if (impossible_++ > 0) return;
    constexpr std::size_t kMostShown = 40;
    first_impossible_ =
        fmt::format("`{}` for {} at {}", value.substr(0, kMostShown), metric_, to_iso8601(time));
  }

  static std::int64_t scaled(std::int64_t length, std::uint64_t samples) {
    return static_cast<std::int64_t>(static_cast<double>(length) * static_cast<double>(kSamplesWanted) /
                                     static_cast<double>(samples));
  }

  /// \return how many samples the largest answer had. Targets come first: their samples are only gathered, so
  /// that nothing is handed on of a stretch that has to be asked for again.
  [[nodiscard]] Result<std::uint64_t> ask_stretch() {
    lustre_targets_.begin_stretch();
    host_sums_.begin_stretch();
    std::uint64_t most = 0;
    for (const Source& source : sources_) {
      asking_for_targets_ = source.targets;
      const std::size_t hosts = source.hosts.size();
      if (source.targets && hosts == 0) continue;
      const std::size_t shards = std::clamp<std::size_t>(hosts, 1, shards_);
      for (std::size_t s = 0; s < shards; ++s) {
        const std::size_t begin = s * hosts / shards;
        const std::size_t end = (s + 1) * hosts / shards;
        const auto shard = std::span(source.hosts).subspan(begin, end - begin);
        const std::string of_these = shards > 1 ? any_of(options_.host_label, shard) : "";
        const std::array<std::string_view, 3> matchers{source.matcher, options_.match, of_these};
        Result<ApiAnswer> answer = ask_stretch(selector(source.metrics, matchers));
        if (!answer) return forward(answer);
        most = std::max(most, answer->samples);
      }
    }
    return most;
  }

  [[nodiscard]] Result<ApiAnswer> ask_stretch(const std::string& selector) {
    if (step_ms_) {
      const std::int64_t first = (stretch_from_ms_ + *step_ms_ - 1) / *step_ms_ * *step_ms_;
      if (first > stretch_to_ms_) return ApiAnswer{};
      return ask("/api/v1/query_range", {{"query", selector},
                                         {"start", api_time(first)},
                                         {"end", api_time(stretch_to_ms_)},
                                         {"step", api_time(*step_ms_)}});
    }
    // The range is closed at its end; at its beginning it is closed in Prometheus up to 2 and open in
    // Prometheus 3 and VictoriaMetrics. One more millisecond works for both: `sample` drops what is outside.
    const std::int64_t range_ms = stretch_to_ms_ - stretch_from_ms_ + 1;
    return ask("/api/v1/query",
               {{"query", fmt::format("{}[{}ms]", selector, range_ms)}, {"time", api_time(stretch_to_ms_)}});
  }

  [[nodiscard]] Result<ApiAnswer> ask(const std::string& path,
                                      const std::multimap<std::string, std::string>& parameters) {
    smaller_helps_ = false;
    too_much_ = false;
    refuses_ranges_ = false;
    Result<net::HttpReply> reply = transport_.get(path, parameters);
    if (!reply) {
      too_much_ = reply.error().code == ErrorCode::kBadInput;
      smaller_helps_ = too_much_;
      return forward(reply);
    }
    Result<ApiAnswer> answer = parse_answer(reply->body, *this);
    const bool fine = reply->status >= 200 && reply->status < 300;
    if (fine && answer && answer->success) return answer;
    if (fine && !answer) {
      return fail(ErrorCode::kBadInput, options_.server,
                  answer.error().what + "; is this a Prometheus server?");
    }
    // 422: too many samples or series for one query; 414: too many hosts for a proxy; 503: timeout; 413 and
    // 5xx of proxies mean much the same.
    too_much_ = reply->status == 422 || reply->status == 413 || reply->status == 414;
    smaller_helps_ = too_much_ || reply->status >= 500;
    refuses_ranges_ = !step_ms_ && reply->status == 400;
    return fail(ErrorCode::kUnavailable, options_.server,
                net::refusal(*reply, answer ? std::string_view(answer->error) : "", advice(reply->status)));
  }

  net::HttpTransport& transport_;
  const PrometheusOptions& options_;
  std::array<Source, 2> sources_{target_source(), device_source()};
  std::size_t shards_ = 1;  ///< Queries that the hosts of a source are divided into.
  TableSink& sink_;
  SampleCollector collector_;
  LustreTargets lustre_targets_;
  HostSums host_sums_;
  ImportObserver& observer_;
  ImportState state_;
  ImportResult result_;
  std::optional<std::int64_t> step_ms_;
  std::int64_t stretch_from_ms_ = 0;
  std::int64_t stretch_to_ms_ = 0;
  bool smaller_helps_ = false;  ///< A shorter stretch may succeed where the last query failed.
  bool too_much_ = false;       ///< The last query selected too much.
  bool refuses_ranges_ = false;
  std::map<std::string, int> bare_names_;
  bool asking_for_targets_ = false;
  std::unordered_map<std::string, Series> series_;
  bool is_part_of_sum_ = false;        ///< The series that is being read is the host sums'.
  const Series* series_at_ = nullptr;  ///< The device series that is being read.
  std::string metric_;                 ///< The metric that is being read.
  std::set<std::string> unplaced_;
  std::uint64_t impossible_ = 0;
  std::string first_impossible_;
  std::set<std::string> hosts_seen_;
};

}  // namespace

Result<ImportResult> import_prometheus(net::HttpTransport& transport, const PrometheusOptions& options,
                                       TableSink& sink, ImportObserver& observer) {
  if (options.to < options.from) return fail(ErrorCode::kBadUse, "", "--to is before --from");
  PrometheusImport import(transport, options, sink, observer);
  if (Status status = import.run(); !status) return forward(status);
  return import.finish();
}

}  // namespace laggard::collect
