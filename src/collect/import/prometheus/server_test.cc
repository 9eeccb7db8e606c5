// Against the real thing: Prometheus scraping a node_exporter that shows a made-up machine, both on the
// loopback interface only.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/time.h"
#include "collect/import/prometheus/import.h"
#include "collect/import/sysstat/child.h"
#include "net/http_client.h"
#include "testing/import_fixture.h"

namespace laggard::collect {
namespace {

namespace fs = std::filesystem;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Pair;

/// A port that is free at the moment, below the ephemeral range: the kernel could give a port of that range
/// to another test before the server starts. Each process has a few ports of its own to begin with, since
/// another test may run beside it under the next process id.
int free_port() {
  constexpr int kFirst = 20000;
  constexpr int kCount = 10000;
  constexpr int kOwn = 16;
  static int next = static_cast<int>(::getpid() * kOwn % kCount);
  for (int attempt = 0; attempt < kCount; ++attempt) {
    const int port = kFirst + (next++ % kCount);
    const Fd fd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return port;
  }
  return 0;
}

bool installed(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;  // NOLINT(cert-env33-c)
}

class PrometheusServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!installed("prometheus") || !installed("prometheus-node-exporter")) {
      GTEST_SKIP() << "needs the packages prometheus and prometheus-node-exporter";
    }
    std::string pattern = ::testing::TempDir() + "prom-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    port_ = free_port();
  }
  void TearDown() override {
    servers_.clear();  // kills them by their ids
    if (!folder_.empty()) fs::remove_all(folder_);
  }
  void write(const std::string& name, const std::string& text) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  void start(std::vector<std::string> argv) {
    ChildSpec spec;
    const std::string log = folder_ / ("log-" + std::to_string(servers_.size()));
    const Fd into(::open(log.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    spec.into = into.get();
    spec.argv = std::move(argv);
    auto child = Child::start(spec);
    ASSERT_TRUE(child) << child.error().message();
    servers_.push_back(std::move(*child));
  }
  void start_exporter(int port) {
    write(
        "proc/diskstats",
        "   8 0 sda 10367 244 2181038 2100829 42545 17365 10042216 3399929 2 370616 5514236 7 1 64 9 3 5\n");
    write("proc/net/dev",
          "Inter-|   Receive                                                |  Transmit\n"
          " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo "
          "colls "
          "carrier compressed\n"
          "  eth0: 144388928911 1731 1 2 0 0 0 0 9007199254740991 41 3 4 0 0 0 0\n");
    write("sys/x", "");
    start({"prometheus-node-exporter", "--web.listen-address=127.0.0.1:" + std::to_string(port),
           "--path.procfs=" + (folder_ / "proc").string(), "--path.sysfs=" + (folder_ / "sys").string(),
           "--collector.disable-defaults", "--collector.diskstats", "--collector.netdev",
           "--no-collector.netdev.netlink"});
  }
  void start_prometheus(const std::string& config, const std::vector<std::string>& more = {}) {
    write("prometheus.yml", config);
    std::vector<std::string> argv{"prometheus", "--web.listen-address=127.0.0.1:" + std::to_string(port_),
                                  "--config.file=" + (folder_ / "prometheus.yml").string(),
                                  "--storage.tsdb.path=" + (folder_ / "data").string(), "--log.level=warn"};
    argv.insert(argv.end(), more.begin(), more.end());
    start(argv);
  }
  Result<ImportResult> import(PrometheusOptions options) {
    const auto url = net::parse_server_url("http://127.0.0.1:" + std::to_string(port_));
    auto transport = net::connect_http(*url, {});
    options.server = url->shown();
    return import_prometheus(**transport, options, sink_, observer_);
  }
  /// Imports once the server answers, which may take many seconds on a busy machine.
  Result<ImportResult> import_patiently(const PrometheusOptions& options) {
    Result<ImportResult> result = import(options);
    for (int i = 0; i < 600 && !result; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      sink_ = {};
      result = import(options);
    }
    return result;
  }
  /// Imports again and again until there are enough values, for at most half a minute.
  void import_until(std::size_t values, PrometheusOptions options) {
    std::string last;
    for (int i = 0; i < 150 && sink_.values() < values; ++i) {
      options.to = SystemClock().wall();
      const auto result = import(options);
      last = result ? "too few values" : result.error().message();
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    ASSERT_GE(sink_.values(), values) << last;
  }

  fs::path folder_;
  int port_ = 0;
  std::vector<Child> servers_;
  MemorySink sink_;
  QuietObserver observer_;
};

TEST_F(PrometheusServerTest, CountersOfANodeExporter) {
  const int exporter = free_port();
  start_exporter(exporter);
  start_prometheus(
      fmt::format("global: {{scrape_interval: 1s}}\nscrape_configs:\n- job_name: node\n  static_configs:\n"
                  "  - targets: ['127.0.0.1:{}']\n",
                  exporter));
  PrometheusOptions options;
  options.from = SystemClock().wall() - std::chrono::hours(1);
  import_until(std::size_t{25} * 3, options);
  const std::string disk = "127.0.0.1/sda ";
  const std::map<std::string, double> expected{{disk + "rd_ios", 10367},
                                               {disk + "rd_merges", 244},
                                               {disk + "rd_sectors", 2181038},
                                               {disk + "rd_ms", 2100829},
                                               {disk + "wr_ios", 42545},
                                               {disk + "wr_merges", 17365},
                                               {disk + "wr_sectors", 10042216},
                                               {disk + "wr_ms", 3399929},
                                               {disk + "in_flight", 2},
                                               {disk + "io_ms", 370616},
                                               {disk + "weighted_ms", 5514236},
                                               {disk + "dc_ios", 7},
                                               {disk + "dc_merges", 1},
                                               {disk + "dc_sectors", 64},
                                               {disk + "dc_ms", 9},
                                               {disk + "fl_ios", 3},
                                               {disk + "fl_ms", 5},
                                               {"127.0.0.1/eth0 rx_bytes", 144388928911},
                                               {"127.0.0.1/eth0 rx_packets", 1731},
                                               {"127.0.0.1/eth0 rx_errors", 1},
                                               {"127.0.0.1/eth0 rx_drop", 2},
                                               {"127.0.0.1/eth0 tx_bytes", 9007199254740991},
                                               {"127.0.0.1/eth0 tx_packets", 41},
                                               {"127.0.0.1/eth0 tx_errors", 3},
                                               {"127.0.0.1/eth0 tx_drop", 4}};
  for (const auto& [name, value] : expected) {
    EXPECT_THAT(sink_.series[name], Each(Pair(::testing::_, value))) << name;
    EXPECT_GE(sink_.series[name].size(), 2U) << name;
  }
  EXPECT_EQ(sink_.series.size(), expected.size());
}

/// Both exporters of one host, as their own series in one database.
TEST_F(PrometheusServerTest, TargetsOfLustreBesideTheDisks) {
  if (!installed("promtool")) GTEST_SKIP() << "needs promtool";
  constexpr std::int64_t kStart = 1795132800;
  constexpr int kSamples = 240;
  std::map<std::string, std::string> series;
  const auto add = [&](const std::string& metric, const std::string& labels, int i, std::int64_t value) {
    series[metric] += fmt::format("{}{{{}}} {} {}\n", metric, labels, value, kStart + i * 15);
  };
  const std::string lustre = R"(instance="oss1:9169",)";
  for (const char* operation : {"read", "write"}) {
    const std::string ost =
        lustre + fmt::format(R"(component="ost",target="l-OST0000",operation="{}")", operation);
    for (int i = 0; i < kSamples; ++i) {
      add(fmt::format("lustre_{}_samples_total", operation), ost, i, std::int64_t{100} * i);
      add(fmt::format("lustre_{}_bytes_total", operation), ost, i, std::int64_t{1048576} * 100 * i);
    }
    for (const int size : {2, 8}) {
      for (int i = 0; i < kSamples; ++i) {
        add("lustre_io_time_milliseconds_total", ost + fmt::format(R"(,size="{}")", size), i,
            std::int64_t{50} * i);
      }
    }
  }
  for (int i = 0; i < kSamples; ++i) {
    add("lustre_read_samples_total", lustre + R"(component="client",target="l-ffff")", i, i);
    add("node_disk_reads_completed_total", R"(instance="oss1:9100",device="sda")", i, i);
  }
  std::string text;
  for (const auto& [metric, lines] : series) {
    text += "# TYPE " + metric.substr(0, metric.rfind("_total")) + " counter\n" + lines;
  }
  write("in.om", text + "# EOF\n");
  const std::string command = fmt::format(
      "cd '{}' && promtool tsdb create-blocks-from openmetrics in.om data >/dev/null 2>&1", folder_.string());
  ASSERT_EQ(std::system(command.c_str()), 0);  // NOLINT(cert-env33-c)
  start_prometheus("{}", {"--storage.tsdb.retention.time=100y"});
  PrometheusOptions options;
  options.from = from_unix_ns(kStart * 1'000'000'000);
  options.to = from_unix_ns((kStart + kSamples * 15) * 1'000'000'000);
  const auto result = import_patiently(options);
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->hosts, 1U);
  EXPECT_EQ(sink_.series["oss1/sda rd_ios"].size(), std::size_t{kSamples});
  EXPECT_FALSE(sink_.series.contains("oss1/l-ffff rd_ios"));
  for (const char* direction : {"rd", "wr"}) {
    const std::string ost = fmt::format("oss1/l-OST0000 {}_", direction);
    ASSERT_EQ(sink_.series[ost + "ms"].size(), std::size_t{kSamples - 1}) << "nothing took time at first";
    for (int i = 1; i < kSamples; ++i) {
      const std::int64_t time = (kStart + i * 15) * 1'000'000'000;
      ASSERT_EQ(sink_.series[ost + "ios"][time], 100 * i);
      ASSERT_EQ(sink_.series[ost + "sectors"][time], 204800.0 * i);
      // Fifty I/Os each count as three quarters of 2 ms and of 8 ms.
      ASSERT_EQ(sink_.series[ost + "ms"][time], std::floor(i * 50 * 7.5));
    }
  }
}

TEST_F(PrometheusServerTest, ADayOfManySeriesWithinTheServersLimits) {
  if (!installed("promtool")) GTEST_SKIP() << "needs promtool";
  constexpr std::int64_t kStart = 1795132800;
  constexpr int kHosts = 4;
  constexpr int kSamples = 5760;
  std::string text = "# TYPE node_disk_reads_completed counter\n";
  for (int h = 0; h < kHosts; ++h) {
    for (int i = 0; i < kSamples; ++i) {
      text += fmt::format(
          "node_disk_reads_completed_total{{instance=\"fs{}:9100\",device=\"sda\"}} {} {}.{:03}\n", h,
          i * 10 + h, kStart + i * 15, i % 1000);
    }
  }
  write("in.om", text + "# EOF\n");
  const std::string command = fmt::format(
      "cd '{}' && promtool tsdb create-blocks-from openmetrics in.om data >/dev/null 2>&1", folder_.string());
  ASSERT_EQ(std::system(command.c_str()), 0);  // NOLINT(cert-env33-c)
  start_prometheus("{}", {"--query.max-samples=500", "--storage.tsdb.retention.time=100y"});
  PrometheusOptions options;
  options.from = from_unix_ns(kStart * 1'000'000'000);
  options.to = from_unix_ns((kStart + kSamples * 15) * 1'000'000'000);
  const Result<ImportResult> result = import_patiently(options);
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->values, std::uint64_t{kHosts} * kSamples);
  EXPECT_EQ(result->hosts, std::size_t{kHosts});
  const auto& series = sink_.series["fs3/sda rd_ios"];
  ASSERT_EQ(series.size(), std::size_t{kSamples});
  int i = 0;
  for (const auto& [t, value] : series) {
    ASSERT_EQ(t, (kStart + i * 15) * 1'000'000'000 + std::int64_t{i % 1000} * 1'000'000);
    ASSERT_EQ(value, i * 10 + 3);
    ++i;
  }
  options.match = "instance=~\"fs[";
  const auto wrong = import(options);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message(), HasSubstr("the server answers 400: "));
}

TEST(HttpTransportTest, NobodyThere) {
  const auto url = net::parse_server_url("http://127.0.0.1:" + std::to_string(free_port()));
  auto transport = net::connect_http(*url, {});
  ASSERT_TRUE(transport);
  const auto reply = (*transport)->get("/api/v1/query", {});
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().message(), HasSubstr("cannot connect; is the server running there?"));
}

}  // namespace
}  // namespace laggard::collect
