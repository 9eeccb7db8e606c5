// Metrics that follow from recorded system calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <random>
#include <string>

#include "archive/writer.h"
#include "model/syscall_event.h"
#include "testing/archive.h"
#include "testing/cli.h"

namespace laggard::cmd {
namespace {

using namespace std::chrono_literals;
using archive::testing::ManualClock;
using archive::testing::TempDir;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int kServers = 5;
constexpr int kLength = 600;
constexpr const char* kSystem = R"(name = "x"
[[servers]]
name = "s[1-5]"
address = "10.0.0.[1-5]"
[[clients]]
name = "c1"
address = "10.0.0.9"
)";

class SyscallSeries : public ::testing::Test {
 protected:
  struct Call {
    WallTime time;
    Duration took;
    std::string_view name;
    std::string object;
    std::string_view result;
  };
  static void add(EventTable& table, const Call& call) {
    SyscallEvent event;
    event.time = call.time;
    event.took = call.took;
    event.name = call.name;
    event.arguments = "...";
    event.result = call.result;
    event.object = call.object;
    ASSERT_TRUE(SyscallAppender(table).append(event));
  }

  /// Ten times a second, what a host does; on the third server, or with it, it takes five times as long from
  /// the 200th second to the 400th.
  using Work = std::function<void(EventTable&, WallTime, Duration, int server)>;
  void record(const std::string& prefix, int hosts, const Work& work) {
    archive::ObservationWriter writer(recording_, {}, clock_);
    for (int host = 1; host <= hosts; ++host) {
      EventTable table(prefix + std::to_string(host), std::string(kSyscallKind));
      for (int i = 0; i < 10 * kLength; ++i) {
        for (int server = hosts > 1 ? host : 1; server <= (hosts > 1 ? host : kServers); ++server) {
          const bool slow = server == 3 && i >= 2000 && i < 4000;
          const Duration took = std::chrono::microseconds(4000 + random_() % 4000) * (slow ? 5 : 1);
          work(table, begin_ + i * 100ms, took, server);
        }
      }
      ASSERT_TRUE(writer.append(table));
    }
    ASSERT_TRUE(writer.close());
  }

  [[nodiscard]] Diagnosis diagnosed(const std::string& system = {}) const {
    DiagnoseOptions options = testing_support::quiet_diagnosis({recording_});
    if (!system.empty()) {
      options.analysis.system = (dir_.path() / "system.toml").string();
      std::ofstream(options.analysis.system) << system;
    }
    return diagnose(options).value();
  }

  TempDir dir_;
  std::filesystem::path recording_ = dir_.path() / "rec";
  WallTime begin_ = from_unix_ns(1'700'000'000'000'000'000);
  ManualClock clock_;
  std::mt19937_64 random_{11};
};

void expect_third(const Diagnosis& diagnosis, const std::string& component, const std::string& metric) {
  ASSERT_THAT(diagnosis.incidents, SizeIs(1));
  const Incident& incident = diagnosis.incidents.front();
  EXPECT_THAT(incident.components, ElementsAre(component));
  ASSERT_THAT(incident.evidence, Not(IsEmpty()));
  EXPECT_EQ(incident.evidence.front().metric, metric);
  EXPECT_TRUE(incident.confirmed_since);
}

TEST_F(SyscallSeries, AServerWhoseStorageReadsAreSlowIsFound) {
  record("s", kServers, [&](EventTable& table, WallTime time, Duration took, int) {
    add(table, {time, took, "pread64", "/data/brick/f", "65536"});
    add(table, {time, 5us, "read", "/etc/motd", "10"});
  });
  const Diagnosis diagnosis = diagnosed();
  expect_third(diagnosis, "s3/storage-calls", "dread");
  EXPECT_THAT(diagnosis.coverage.missing, IsEmpty());
  EXPECT_THAT(diagnosed(std::string(kSystem) + "[syscalls]\nstorage = \"/other/*\"\n").incidents, IsEmpty());
}

TEST_F(SyscallSeries, AreExported) {
  record("s", 1, [&](EventTable& table, WallTime time, Duration, int) {
    add(table, {time, 2ms, "pread64", "/data/brick/f", "65536"});
  });
  const testing_support::Said said =
      testing_support::laggard({"export", recording_.string(), "--metric", "dread", "--host", "s1"});
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr(",s1,daemon,storage-calls,dread,2\n"));
}

TEST_F(SyscallSeries, AServerThatReadsRequestsSlowlyIsFound) {
  record("s", kServers, [&](EventTable& table, WallTime time, Duration took, int server) {
    const std::string socket = "TCP:[10.0.0." + std::to_string(server) + ":3334->10.0.0.9:700]";
    add(table, {time, 20us, "recvfrom", socket, "4096"});
    add(table, {time + took, 20us, "recvfrom", socket, "4096"});
    add(table, {time + took + 1ms, 20us, "sendto", socket, "64"});
  });
  expect_third(diagnosed(kSystem), "s3/tcp-out", "nsread");
}

TEST_F(SyscallSeries, AServerWhoseAnswersComeSlowlyIsFoundAtTheClient) {
  record("c", 1, [&](EventTable& table, WallTime time, Duration took, int server) {
    const std::string socket = "TCP:[10.0.0.9:700->10.0.0." + std::to_string(server) + ":3334]";
    add(table, {time, 20us, "sendto", socket, "64"});
    add(table, {time + 1ms, 20us, "recvfrom", socket, "4096"});
    add(table, {time + 1ms + took, 20us, "recvfrom", socket, "4096"});
  });
  expect_third(diagnosed(kSystem), "s3/tcp-in", "ncread");
}

}  // namespace
}  // namespace laggard::cmd
