#include "collect/import/prometheus/import.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <charconv>
#include <cmath>
#include <deque>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>
#include <set>
#include <string>

#include "collect/import/prometheus/query.h"
#include "collect/procfs/target_counters.h"
#include "net/http.h"
#include "testing/import_fixture.h"

namespace laggard::collect {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

/// A server that behaves as Prometheus 2 does: range selectors closed at both ends, a limit on samples.
class FakeServer final : public net::HttpTransport {
 public:
  struct Series {
    std::string labels;  ///< JSON object.
    std::map<std::int64_t, std::string> samples;
  };

  Result<net::HttpReply> get(const std::string& path,
                             const std::multimap<std::string, std::string>& given) override {
    queries.push_back(path + "?" + (given.contains("query") ? given.find("query")->second : ""));
    if (down_after == 0) return fail(ErrorCode::kUnavailable, "http://x", "cannot connect");
    if (down_after > 0) --down_after;
    if (path.starts_with("/api/v1/label/")) {
      const std::string& match = given.find("match[]")->second;
      const bool lustre = match.find("lustre_") != std::string::npos;
      if (!lustre && instances.size() > most_hosts && match.find('|') != std::string::npos) return too_many();
      std::string names;
      for (const std::string& name : lustre ? lustre_instances : instances) {
        names += (names.empty() ? "\"" : ",\"") + name + "\"";
      }
      return net::HttpReply{200, R"({"status":"success","data":[)" + names + "]}"};
    }
    if (canned) return *canned;
    if (path == "/api/v1/query_range") return range_query(given);
    if (no_ranges) {
      return net::HttpReply{400,
                            R"({"status":"error","errorType":"bad_data","error":"invalid expression type"})"};
    }
    return raw_query(given);
  }

  Result<net::HttpReply> post(const std::string& /*path*/, const net::HttpHeaders& /*headers*/,
                              std::string_view /*body*/) override {
    return net::HttpReply{405, "imports only read"};
  }

  std::deque<Series> series;  ///< References to samples stay good.
  std::vector<std::string> instances;
  std::vector<std::string> lustre_instances;
  std::vector<std::string> queries;
  std::size_t most_samples = 1000000;
  std::size_t most_hosts = 1000000;  ///< Of one query.
  bool no_ranges = false;
  bool open_begin = false;  ///< Ranges are open at their beginning, as in Prometheus 3 and VictoriaMetrics.
  int down_after = -1;
  std::optional<net::HttpReply> canned;

 private:
  static std::int64_t ms_of(const std::string& text) { return std::llround(std::stod(text) * 1000); }

  /// Whether the selector asks for a series by its name, and for its component where it asks for that.
  static bool selects(const std::string& query, const Series& series) {
    const auto labels = nlohmann::json::parse(series.labels);
    const std::string name = labels.value("__name__", "");
    const bool named = query.find("|" + name + "|") != std::string::npos ||
                       query.find("\"" + name + "|") != std::string::npos ||
                       query.find("|" + name + "\"") != std::string::npos;
    const std::string component = labels.value("component", "");
    constexpr std::string_view kHosts = "instance=~\"";
    if (const std::size_t at = query.find(kHosts); at != std::string::npos) {
      const std::size_t begin = at + kHosts.size();
      std::string pattern = query.substr(begin, query.find('"', begin) - begin);
      // How PromQL unescapes the string.
      for (std::size_t two = 0; (two = pattern.find("\\\\", two)) != std::string::npos; ++two)
        pattern.erase(two, 1);
      if (!std::regex_match(labels.value("instance", ""), std::regex(pattern))) return false;
    }
    return named && (component != "client" || query.find("component=~\"ost|mdt\"") == std::string::npos);
  }

  static net::HttpReply too_many() {
    return {
        422,
        R"({"status":"error","errorType":"execution","error":"query processing would load too many samples"})"};
  }

  net::HttpReply raw_query(const std::multimap<std::string, std::string>& given) {
    const std::string query = given.find("query")->second;
    const std::size_t bracket = query.rfind('[');
    const std::int64_t end = ms_of(given.find("time")->second);
    const std::int64_t begin = end - std::stoll(query.substr(bracket + 1));
    std::size_t count = 0;
    std::set<std::string> hosts;
    std::string result;
    for (const Series& one : series) {
      if (!selects(query, one)) continue;
      hosts.insert(nlohmann::json::parse(one.labels).value("instance", ""));
      std::string values;
      for (const auto& [t, value] : one.samples) {
        if (t > end || t < begin || (open_begin && t == begin)) continue;
        values += fmt::format("{}[{}.{:03},\"{}\"]", values.empty() ? "" : ",", t / 1000, t % 1000, value);
        ++count;
      }
      if (values.empty()) continue;
      result +=
          fmt::format(R"({}{{"metric":{},"values":[{}]}})", result.empty() ? "" : ",", one.labels, values);
    }
    if (count > most_samples || hosts.size() > most_hosts) return too_many();
    return {200, R"({"status":"success","data":{"resultType":"matrix","result":[)" + result + "]}}"};
  }

  net::HttpReply range_query(const std::multimap<std::string, std::string>& given) {
    const std::int64_t begin = ms_of(given.find("start")->second);
    const std::int64_t end = ms_of(given.find("end")->second);
    const std::int64_t step = ms_of(given.find("step")->second);
    std::string result;
    for (const Series& one : series) {
      std::string values;
      for (std::int64_t t = begin; t <= end; t += step) {
        auto at = one.samples.upper_bound(t);
        if (at == one.samples.begin() || t - std::prev(at)->first > 300000) continue;
        values += fmt::format("{}[{},\"{}\"]", values.empty() ? "" : ",", t / 1000, std::prev(at)->second);
      }
      result +=
          fmt::format(R"({}{{"metric":{},"values":[{}]}})", result.empty() ? "" : ",", one.labels, values);
    }
    return {200, R"({"status":"success","data":{"resultType":"matrix","result":[)" + result + "]}}"};
  }
};

class PrometheusImportTest : public ::testing::Test {
 protected:
  PrometheusImportTest() {
    options_.from = from_unix_ns(1000000 * kMs);
    options_.to = from_unix_ns(5000000 * kMs);
    options_.server = "http://x";
    server_.instances = {"fs1:9100"};
  }
  FakeServer::Series& add(const std::string& name, const std::string& device,
                          const std::string& instance = "fs1:9100") {
    server_.series.push_back({fmt::format(R"({{"__name__":"{}","device":"{}","instance":"{}","job":"node"}})",
                                          name, device, instance),
                              {}});
    return server_.series.back();
  }
  ImportResult import() {
    auto result = import_prometheus(server_, options_, sink_, observer_);
    EXPECT_TRUE(result) << result.error().message();
    return result ? *result : ImportResult{};
  }
  std::string error() {
    auto result = import_prometheus(server_, options_, sink_, observer_);
    EXPECT_FALSE(result);
    return result ? "" : result.error().message();
  }

  FakeServer server_;
  PrometheusOptions options_;
  MemorySink sink_;
  QuietObserver observer_;
};

TEST_F(PrometheusImportTest, SamplesWithTheirOwnTimesInTheKernelsUnits) {
  add("node_disk_reads_completed_total", "sda").samples = {
      {1000000, "7"}, {1015123, "9"}, {5000000, "1e+06"}};
  add("node_disk_read_bytes_total", "sda").samples = {{1015123, "1.1166822e+09"},
                                                      {1030124, "1.116682752e+09"}};
  add("node_disk_read_time_seconds_total", "sda").samples = {{1015123, "2100.829"}, {1030124, "0.001"}};
  add("node_network_receive_bytes_total", "eth0").samples = {{1015123, "1.44388928911e+11"}};
  add("node_disk_io_now", "sda").samples = {{1015123, "3"}};
  add("node_load1", "none").samples = {{1015123, "3"}};
  server_.series[1].samples.erase(1015123);
  const ImportResult result = import();
  EXPECT_EQ(result.values, 8U);
  EXPECT_EQ(result.hosts, 1U);
  EXPECT_THAT(sink_.series["fs1/sda rd_ios"],
              ElementsAre(Pair(1000000 * kMs, 7), Pair(1015123 * kMs, 9), Pair(5000000 * kMs, 1000000)));
  EXPECT_THAT(sink_.series["fs1/sda rd_sectors"], ElementsAre(Pair(1030124 * kMs, 2181021)));
  EXPECT_THAT(sink_.series["fs1/sda rd_ms"],
              ElementsAre(Pair(1015123 * kMs, 2100829), Pair(1030124 * kMs, 1)));
  EXPECT_THAT(sink_.series["fs1/eth0 rx_bytes"], ElementsAre(Pair(1015123 * kMs, 144388928911)));
  EXPECT_THAT(sink_.series["fs1/sda in_flight"], SizeIs(1));
}

TEST_F(PrometheusImportTest, WhatIsOfAHostNeedsNoDevice) {
  const auto add_of_host = [&](const char* name, const char* value) {
    server_.series.push_back(
        {fmt::format(R"({{"__name__":"{}","instance":"fs1:9100"}})", name), {{1000000, value}}});
  };
  add_of_host("node_pressure_memory_waiting_seconds_total", "1.5");
  add_of_host("node_vmstat_pswpin", "77");
  add_of_host("node_memory_MemAvailable_bytes", "2.097152e+06");
  import();
  EXPECT_THAT(sink_.series["fs1/host psi_memory_us"], ElementsAre(Pair(1000000 * kMs, 1'500'000)));
  EXPECT_THAT(sink_.series["fs1/host swap_in"], ElementsAre(Pair(1000000 * kMs, 77)));
  EXPECT_THAT(sink_.series["fs1/host mem_available_kb"], ElementsAre(Pair(1000000 * kMs, 2048)));
  EXPECT_THAT(observer_.notices, IsEmpty());
}

TEST_F(PrometheusImportTest, WhatIsByProcessorOrControllerIsAddedUp) {
  const auto add_part = [&](const std::string& metric, const std::string& labels,
                            const std::map<std::int64_t, std::string>& samples) {
    server_.series.push_back(
        {fmt::format(R"({{"__name__":"{}","instance":"fs1:9100",{}}})", metric, labels), samples});
  };
  add_part("node_cpu_seconds_total", R"("cpu":"0","mode":"user")", {{1000000, "1.5"}, {1015000, "2"}});
  add_part("node_cpu_seconds_total", R"("cpu":"1","mode":"user")", {{1000000, "10"}, {1015000, "NaN"}});
  add_part("node_cpu_seconds_total", R"("cpu":"1","mode":"nice")", {{1000000, "0.25"}, {1015000, "1"}});
  add_part("node_cpu_seconds_total", R"("cpu":"0","mode":"steal")", {{1000000, "3"}});
  add_part("node_cpu_seconds_total", R"("cpu":"0","mode":"of another kernel")", {{1000000, "99"}});
  add_part("node_edac_correctable_errors_total", R"("controller":"0")", {{1000000, "40"}});
  add_part("node_edac_correctable_errors_total", R"("controller":"1")", {{1000000, "2"}});
  const ImportResult result = import();
  EXPECT_THAT(sink_.series["fs1/host cpu_user_ms"], ElementsAre(Pair(1000000 * kMs, 11750)))
      << "a sum without one of its parts would look like a reset";
  EXPECT_THAT(sink_.series["fs1/host cpu_steal_ms"], ElementsAre(Pair(1000000 * kMs, 3000)));
  EXPECT_THAT(sink_.series["fs1/host ecc_corrected"], ElementsAre(Pair(1000000 * kMs, 42)));
  EXPECT_EQ(result.values, 3U);
  EXPECT_THAT(observer_.notices, IsEmpty());
}

TEST_F(PrometheusImportTest, SumsAreNotAddedTwiceWhenAStretchIsAskedForAgain) {
  for (const char* cpu : {"0", "1"}) {
    auto& samples =
        server_.series
            .emplace_back(FakeServer::Series{
                fmt::format(
                    R"({{"__name__":"node_cpu_seconds_total","instance":"fs1:9100","cpu":"{}","mode":"idle"}})",
                    cpu),
                {}})
            .samples;
    for (std::int64_t t = 1000000; t < 1100000; t += 1000) samples[t] = std::to_string(t / 1000);
  }
  server_.most_samples = 14;
  import();
  const auto& sums = sink_.series["fs1/host cpu_idle_ms"];
  EXPECT_THAT(sums, SizeIs(100));
  for (const auto& [time, sum] : sums) EXPECT_EQ(sum, 2 * static_cast<std::uint64_t>(time / kMs));
}

TEST_F(PrometheusImportTest, NothingTwiceAndNothingLostAtTheSeams) {
  auto& samples = add("node_disk_reads_completed_total", "sda").samples;
  for (std::int64_t t = 990000; t < 5010000; t += 1000) samples[t] = std::to_string(t);
  for (const bool open : {false, true}) {
    for (const std::size_t limit : {1000000U, 100U, 7U}) {
      sink_ = {};
      server_.open_begin = open;
      server_.most_samples = limit;
      const ImportResult result = import();
      EXPECT_EQ(result.values, 4001U);
      EXPECT_EQ(sink_.values(), 4001U);
    }
  }
}

TEST_F(PrometheusImportTest, MissingIsNeverZero) {
  add("node_disk_reads_completed_total", "sda").samples = {
      {1000000, "NaN"}, {1001000, "+Inf"}, {1002000, "-1"}, {1003000, "0"}};
  import();
  EXPECT_THAT(sink_.series["fs1/sda rd_ios"], ElementsAre(Pair(1003000 * kMs, 0)));
  EXPECT_THAT(observer_.notices,
              ElementsAre("values that no counter can have were left out: 1 of 4, the first `-1` for "
                          "node_disk_reads_completed_total at 1970-01-01T00:16:42Z"));
}

TEST_F(PrometheusImportTest, HostsWithoutTheirPortsWhereThatIsUnique) {
  server_.instances = {"fs1:9100", "fs2:9100", "fs2:9101", "[::1]:9100", "bare"};
  for (const std::string& instance : server_.instances) {
    add("node_disk_reads_completed_total", "sda", instance).samples = {{1000000, "1"}};
  }
  import();
  std::vector<std::string> names;
  for (const auto& [name, samples] : sink_.series) names.push_back(name.substr(0, name.find('/')));
  EXPECT_THAT(names, ElementsAre("::1", "bare", "fs1", "fs2:9100", "fs2:9101"));
}

TEST_F(PrometheusImportTest, OtherLabelsAndMatchers) {
  options_.host_label = "job";
  options_.match = R"({cluster="a"})";
  add("node_disk_reads_completed_total", "sda").samples = {{1000000, "1"}};
  server_.series.push_back({R"({"__name__":"node_disk_io_now","instance":"x"})", {{1000000, "1"}}});
  import();
  EXPECT_TRUE(sink_.series.contains("node/sda rd_ios"));
  EXPECT_THAT(server_.queries.front(), HasSubstr("/api/v1/label/job/values"));
  EXPECT_THAT(server_.queries.back(), HasSubstr(R"(",cluster="a"}[)"));
  EXPECT_THAT(observer_.notices, ElementsAre(HasSubstr("were left out: node_disk_io_now")));
}

TEST_F(PrometheusImportTest, RangeQueriesWhereThereIsNoOtherWayOrWhereTheyAreWanted) {
  add("node_disk_reads_completed_total", "sda").samples = {{1000000, "1"}, {1020000, "2"}};
  options_.to = from_unix_ns(1060000 * kMs);
  server_.no_ranges = true;
  import();
  EXPECT_THAT(observer_.notices, SizeIs(1));
  EXPECT_THAT(sink_.series["fs1/sda rd_ios"], ElementsAre(Pair(1005000 * kMs, 1), Pair(1020000 * kMs, 2),
                                                          Pair(1035000 * kMs, 2), Pair(1050000 * kMs, 2)));
  sink_ = {};
  options_.step = std::chrono::seconds(30);
  import();
  EXPECT_THAT(sink_.series["fs1/sda rd_ios"], SizeIs(2));
}

TEST_F(PrometheusImportTest, ErrorsSayWhatTheServerSays) {
  server_.canned = {401, "Unauthorized\nmore"};
  EXPECT_EQ(
      error(),
      "http://x: the server answers 401: Unauthorized; name a user in the URL (--password-file) or give "
      "--bearer-token-file");
  server_.canned = {404, "<html>\nnot here</html>"};
  EXPECT_EQ(error(), "http://x: the server answers 404; is the path before /api/v1 right?");
  server_.canned = {422, R"({"status":"error","error":"too many samples"})"};
  EXPECT_THAT(error(), HasSubstr("the server answers 422: too many samples"));
  server_.canned = {200, "<html>login</html>"};
  EXPECT_THAT(error(), HasSubstr("is this a Prometheus server?"));
  server_.canned = {200, R"({"status":"success","data":{"result":[{"values":[[1,"2"]]}]}})"};
  EXPECT_THAT(error(), HasSubstr("samples before their series"));
  server_.canned = {200, R"({"status":"success","data":{"resultType":"matrix","result":[]}})"};
  EXPECT_EQ(
      error(),
      "http://x: the server has no disks or interfaces of node_exporter and no targets of a Lustre exporter "
      "between 1970-01-01T00:16:40Z and 1970-01-01T01:23:20Z; other times with --from and --to");
  server_.canned.reset();
  server_.series.push_back({R"({"__name__":"node_disk_io_now","instance":"x"})", {{1000000, "1"}}});
  EXPECT_EQ(error(), "http://x: no series has the labels `instance` and `device`; name others with --label");
  server_.down_after = 0;
  EXPECT_THAT(error(), HasSubstr("cannot connect"));
  options_.to = from_unix_ns(0);
  EXPECT_THAT(error(), HasSubstr("--to is before --from"));
}

TEST_F(PrometheusImportTest, HostsAreDividedWhereAllAreTooMany) {
  server_.instances.clear();
  for (int h = 0; h < 21; ++h) {
    server_.instances.push_back(fmt::format("fs{}.a+b:9100", h));
    auto& samples = add("node_disk_reads_completed_total", "sda", server_.instances.back()).samples;
    for (std::int64_t t = 1000000; t < 2000000; t += 5000) samples[t] = "1";
  }
  add("node_disk_reads_completed_total", "sda", "fs1xa+b:9100").samples = {{1000000, "1"}};
  server_.most_hosts = 4;
  const ImportResult result = import();
  EXPECT_EQ(result.hosts, 21U) << "a dot is a dot";
  EXPECT_EQ(sink_.series.size(), 21U);
  for (const auto& [name, samples] : sink_.series) EXPECT_EQ(samples.size(), 200U) << name;
}

/// Ten bytes of an answer can take ten times as much memory, so names and labels are bounded.
TEST(Answer, NamesAndLabelsWithoutEndAreRefused) {
  class Nobody final : public SeriesReceiver {
   public:
    bool series(const Labels& /*labels*/) override { return true; }
    void sample(std::int64_t /*time_ms*/, std::string_view /*value*/) override {}
  } nobody;
  const auto of_names = [](int count) {
    std::string text = R"({"status":"success","data":["a")";
    for (int i = 1; i < count; ++i) text += R"(,"a")";
    return text + "]}";
  };
  EXPECT_TRUE(parse_answer(of_names(1'000'000), nobody));
  EXPECT_EQ(parse_answer(of_names(1'000'001), nobody).error().what, "the answer has more than 1000000 names");
  const auto of_labels = [](int count) {
    std::string text = R"({"data":{"result":[{"metric":{"l0":"")";
    for (int i = 1; i < count; ++i) text += fmt::format(R"(,"l{}":"")", i);
    return text + R"(},"values":[]}]}})";
  };
  EXPECT_TRUE(parse_answer(of_labels(1000), nobody));
  EXPECT_EQ(parse_answer(of_labels(1001), nobody).error().what,
            "the answer has more than 1000 labels of a series");
}

TEST(Selector, TakesValuesOfAnyCharacters) {
  const std::vector<std::string> values{"fs1.x:9100", "[::1]:9100", "a\\b\"c"};
  EXPECT_EQ(any_of("instance", values), R"(instance=~"fs1\\.x:9100|\\[::1\\]:9100|a\\\\b\"c")");
  const std::array<std::string_view, 2> metrics{"a", "b"};
  const std::array<std::string_view, 3> matchers{"", " {x=\"y\"} ", "z=\"w\""};
  EXPECT_EQ(selector(metrics, matchers), R"({__name__=~"a|b",x="y",z="w"})");
}

TEST_F(PrometheusImportTest, WhatCameBeforeAFailureIsKept) {
  auto& samples = add("node_disk_reads_completed_total", "sda").samples;
  for (std::int64_t t = 1000000; t < 5000000; t += 1000) samples[t] = "1";
  server_.down_after = 3;  // The first two requests ask for hosts.
  EXPECT_THAT(error(), HasSubstr("; samples before 1970-01-01T00:26:40Z are imported, run again to go on"));
  EXPECT_EQ(sink_.values(), 600U);
}

/// Exporters' series of a target, made from the contents of its files.
class LustreImportTest : public PrometheusImportTest {
 protected:
  LustreImportTest() { server_.lustre_instances = {"oss1:9169"}; }

  std::map<std::int64_t, std::string>& target(const std::string& metric, const std::string& component,
                                              const std::string& name, const std::string& operation,
                                              const std::string& more = "") {
    server_.series.push_back(
        {fmt::format(
             R"({{"__name__":"{}","component":"{}","target":"{}","operation":"{}","instance":"oss1:9169"{}}})",
             metric, component, name, operation, more),
         {}});
    return server_.series.back().samples;
  }
  /// The imported counters of a target at a time, in the recorder's form.
  TargetCounters imported(const std::string& name, std::int64_t time_ms) {
    TargetCounters counters;
    const std::vector<TableCounter> names = target_counters();
    for (std::size_t c = 0; c < names.size(); ++c) {
      const auto& samples = sink_.series["oss1/" + name + " " + names[c].name];
      const auto at = samples.find(time_ms * kMs);
      if (at != samples.end()) {
        counters.set(static_cast<TargetCounter>(c), static_cast<std::uint64_t>(at->second));
      }
    }
    return counters;
  }
};

void expect_same(const TargetCounters& found, const TargetCounters& expected) {
  EXPECT_EQ(found.present, expected.present);
  EXPECT_EQ(found.values, expected.values);
}

/// The reference: the recorder's reading of the files that the series were made from.
TEST_F(LustreImportTest, OstsAreWhatTheRecorderReads) {
  std::mt19937 random(7);
  std::vector<TargetCounters> expected;
  auto& reads = target("lustre_read_samples_total", "ost", "l-OST0000", "read");
  std::vector<std::pair<std::string, std::uint64_t>> sums;
  for (std::int64_t i = 0; i < 20; ++i) {
    const std::int64_t t = 1000000 + i * 15000;
    const std::uint64_t r = 1000 + random() % 1000;
    const std::uint64_t w = 500 + random() % 100;
    std::string stats = fmt::format(
        "snapshot_time 1.0 secs.nsecs\nread_bytes {} samples [bytes] 4096 1048576 {}\nwrite_bytes {} samples "
        "[bytes] 1 "
        "2 {}\n",
        r, r * 65536 + 77, w, w * 1000);
    std::string brw = "I/O time (1/1000s)   ios % cum % |  ios % cum %\n";
    reads[t] = std::to_string(r);
    sums = {{"lustre_read_bytes_total", r * 65536 + 77},
            {"lustre_write_samples_total", w},
            {"lustre_write_bytes_total", w * 1000}};
    for (const auto& [metric, value] : sums) {
      target(metric, "ost", "l-OST0000", metric.substr(7, 5))[t] = std::to_string(value);
    }
    for (const char* size : {"1", "2", "64", "1K"}) {
      // Now and then the histogram lacks too many transfers to be used.
      const std::uint64_t ios = random() % (i % 4 == 0 ? 50 : 900);
      brw += fmt::format("{}:  {} 1 1 | {} 1 1\n", size, ios, ios / 2);
      for (const auto& [operation, n] : {std::pair("read", ios), std::pair("write", ios / 2)}) {
        target("lustre_io_time_milliseconds_total", "ost", "l-OST0000", operation,
               fmt::format(R"(,"size":"{}")", size))[t] = std::to_string(n);
      }
    }
    expected.push_back(read_ost_stats(stats));
    add_brw_times(brw, expected.back());
  }
  const ImportResult result = import();
  EXPECT_EQ(result.sources, 1U);
  std::size_t with_times = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expect_same(imported("l-OST0000", 1000000 + static_cast<std::int64_t>(i) * 15000), expected[i]);
    with_times += expected[i].has(TargetCounter::kReadMs) ? 1U : 0U;
  }
  EXPECT_GT(with_times, 5U);
  EXPECT_LT(with_times, expected.size());
}

TEST_F(LustreImportTest, MdtsAreWhatTheRecorderReads) {
  std::string text = "snapshot_time 1.0 secs.nsecs\n";
  std::uint64_t n = 10;
  for (const char* operation : {"open", "close", "mknod", "getattr", "samedir_rename", "sync"}) {
    n += 3;
    text += fmt::format("{} {} samples [usecs] 1 9 {}\n", operation, n, n * 1500);
    target("lustre_stats_total", "mdt", "l-MDT0000", operation)[1000000] = std::to_string(n);
    target("lustre_stats_time_total", "mdt", "l-MDT0000", operation)[1000000] = std::to_string(n * 1500);
  }
  target("lustre_stats_total", "mdt", "l-MDT0001", "open")[1000000] = "5";
  import();
  expect_same(imported("l-MDT0000", 1000000), read_mdt_stats(text));
  EXPECT_TRUE(read_mdt_stats(text).has(TargetCounter::kWriteMs));
  expect_same(imported("l-MDT0001", 1000000),
              read_mdt_stats("snapshot_time 1 s\nopen 5 samples [reqs] 1 1 1\n"));
}

TEST_F(LustreImportTest, JobsAtAnMdtAreDevicesOfTheirOwnKind) {
  const auto job = [&](const char* component, const char* id, const char* operation) -> auto& {
    return target("lustre_job_stats_total", component, "l-MDT0000", operation,
                  fmt::format(R"(,"jobid":"{}")", id));
  };
  job("mdt", "cp.1000", "open")[1000000] = "12";
  job("mdt", "cp.1000", "unlink")[1000000] = "3";
  job("mdt", "43", "mkdir")[1000000] = "1";
  job("mdt", "43", "samedir_rename")[1000000] = "9";
  job("mdt", "", "open")[1000000] = "9";
  job("ost", "43", "open")[1000000] = "9";
  target("lustre_stats_total", "mdt", "l-MDT0000", "open")[1000000] = "40";
  import();
  EXPECT_THAT(sink_.series["oss1/l-MDT0000/cp.1000 md_open"], ElementsAre(Pair(1000000 * kMs, 12)));
  EXPECT_THAT(sink_.series["oss1/l-MDT0000/cp.1000 md_unlink"], ElementsAre(Pair(1000000 * kMs, 3)));
  EXPECT_THAT(sink_.series["oss1/l-MDT0000/43 md_mkdir"], ElementsAre(Pair(1000000 * kMs, 1)));
  EXPECT_FALSE(sink_.series.contains("oss1/l-MDT0000/43 wr_ios")) << "sums are the target's";
  EXPECT_FALSE(sink_.series.contains("oss1/l-MDT0000/ md_open")) << "of no job";
  EXPECT_THAT(sink_.series["oss1/l-MDT0000 md_open"], ElementsAre(Pair(1000000 * kMs, 40)));
  EXPECT_THAT(sink_.described, SizeIs(1)) << "a job is no view of a disk";
}

TEST_F(LustreImportTest, StandBesideTheDisksOfTheirHostAndAreNoneOfThem) {
  server_.instances = {"oss1:9100"};
  add("node_disk_reads_completed_total", "sda", "oss1:9100").samples = {{1000000, "1"}};
  target("lustre_read_samples_total", "ost", "l-OST0000", "read")[1000500] = "2";
  target("lustre_stats_total", "mdt", "l-MDT0000", "open")[1000500] = "2";
  target("lustre_read_samples_total", "client", "l-ffff", "read")[1000500] = "2";
  const ImportResult result = import();
  EXPECT_EQ(result.hosts, 1U);
  EXPECT_TRUE(sink_.series.contains("oss1/sda rd_ios"));
  EXPECT_THAT(sink_.series["oss1/l-OST0000 rd_ios"], ElementsAre(Pair(1000500 * kMs, 2)));
  EXPECT_THAT(sink_.series["oss1/l-OST0000 wr_ios"], ElementsAre(Pair(1000500 * kMs, 0)))
      << "there is no line before its first event";
  EXPECT_FALSE(sink_.series.contains("oss1/l-OST0000 rd_ms"));
  ASSERT_THAT(sink_.described, SizeIs(2));
  std::map<std::string, std::string> views;
  for (const DeviceInfo& device : sink_.described) views[device.device] = device.facts.front().second;
  EXPECT_THAT(views, ElementsAre(Pair("l-MDT0000", "mdt"), Pair("l-OST0000", "lustre")));
}

TEST_F(LustreImportTest, SumsWithoutAPartAreLeftOut) {
  auto& opened = target("lustre_stats_total", "mdt", "l-MDT0000", "open");
  auto& closed = target("lustre_stats_total", "mdt", "l-MDT0000", "close");
  opened = {{1000000, "1"}, {1015000, "2"}, {1030000, "3"}};
  closed = {{1000000, "1"}, {1015000, "NaN"}, {1030000, "-3"}};
  import();
  EXPECT_THAT(sink_.series["oss1/l-MDT0000 rd_ios"], ElementsAre(Pair(1000000 * kMs, 2)));
  EXPECT_THAT(observer_.notices, ElementsAre(HasSubstr("1 of 6, the first `-3` for lustre_stats_total")));
}

TEST_F(LustreImportTest, NothingTwiceWhenAStretchIsAskedForAgain) {
  auto& samples = target("lustre_read_samples_total", "ost", "l-OST0000", "read");
  auto& disks = add("node_disk_reads_completed_total", "sda").samples;
  auto& opened = target("lustre_stats_total", "mdt", "l-MDT0000", "open");
  for (std::int64_t t = 1000000; t < 5000000; t += 1000) {
    opened[t] = "1";
    samples[t] = std::to_string(t);
    disks[t] = "1";
  }
  server_.most_samples = 50;
  import();
  EXPECT_THAT(sink_.series["oss1/l-OST0000 rd_ios"], SizeIs(4000));
  EXPECT_THAT(sink_.series["oss1/l-MDT0000 rd_ios"], SizeIs(4000));
  for (const auto& [t, value] : sink_.series["oss1/l-MDT0000 rd_ios"]) ASSERT_EQ(value, 1);
}

}  // namespace
}  // namespace laggard::collect
