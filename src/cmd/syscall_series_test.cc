// Metrics that follow from recorded system calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <random>
#include <string>

#include "archive/writer.h"
#include "base/file.h"
#include "cmd/counted_calls.h"
#include "testing/archive.h"
#include "testing/cli.h"
#include "testing/syscalls.h"

namespace laggard::cmd {
namespace {

using namespace std::chrono_literals;
using archive::testing::ManualClock;
using archive::testing::TempDir;
using laggard::testing_support::add_call;
using laggard::testing_support::add_request;
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
  /// Ten times a second, what a host does; on the third server, or with it, it takes five times as long from
  /// the 200th second to the 400th.
  using Work = std::function<void(EventTable&, WallTime, Duration, int server)>;
  void record(const std::string& prefix, int hosts, const Work& work) {
    archive::ObservationWriter writer(recording_, {}, clock_);
    for (int host = 1; host <= hosts; ++host) {
      CountedCalls counted(writer, {.host = prefix + std::to_string(host), .rules = {}});
      EventTable table(prefix + std::to_string(host), std::string(kSyscallKind));
      for (int i = 0; i < 10 * kLength; ++i) {
        for (int server = hosts > 1 ? host : 1; server <= (hosts > 1 ? host : kServers); ++server) {
          const bool slow = server == 3 && i >= 2000 && i < 4000;
          const Duration took = std::chrono::microseconds(4000 + random_() % 4000) * (slow ? 5 : 1);
          work(table, begin_ + i * 100ms, took, server);
        }
      }
      if (are_counted_) {
        ASSERT_TRUE(counted.append(table) && counted.finish());
      } else {
        ASSERT_TRUE(writer.append(table));
      }
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
  bool are_counted_ = false;
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
  EXPECT_EQ(incident.evidence.front().source, "syscalls");
  EXPECT_TRUE(incident.confirmed_since);
}

TEST_F(SyscallSeries, AServerWhoseStorageReadsAreSlowIsFound) {
  record("s", kServers, [&](EventTable& table, WallTime time, Duration took, int) {
    add_call(table, {time, took, "pread64", "/data/brick/f", "65536"});
    add_call(table, {time, 5us, "read", "/etc/motd", "10"});
  });
  const Diagnosis diagnosis = diagnosed();
  expect_third(diagnosis, "s3/storage-calls", "dread");
  EXPECT_THAT(diagnosis.coverage.missing, IsEmpty());
  EXPECT_THAT(diagnosed(std::string(kSystem) + "[syscalls]\nstorage = \"/other/*\"\n").incidents, IsEmpty());
}

TEST_F(SyscallSeries, CountsSayTheSameAsCalls) {
  const Work work = [&](EventTable& table, WallTime time, Duration took, int server) {
    add_call(table, {time, took, "pread64", "/data/brick/f", "65536"});
    add_request(table, server, time, took);
  };
  record("s", kServers, work);
  const Diagnosis of_calls = diagnosed(kSystem);
  are_counted_ = true;
  random_.seed(11);
  recording_ = dir_.path() / "counted";
  record("s", kServers, work);
  const Diagnosis of_counts = diagnosed(kSystem);
  ASSERT_THAT(of_counts.incidents, Not(IsEmpty()));
  ASSERT_EQ(of_counts.incidents.size(), of_calls.incidents.size());
  for (std::size_t i = 0; i < of_calls.incidents.size(); ++i) {
    const Incident& counted = of_counts.incidents[i];
    const Incident& called = of_calls.incidents[i];
    EXPECT_EQ(counted.components, called.components);
    ASSERT_EQ(counted.evidence.size(), called.evidence.size());
    for (std::size_t e = 0; e < called.evidence.size(); ++e) {
      EXPECT_EQ(counted.evidence[e].metric, called.evidence[e].metric);
      EXPECT_EQ(counted.evidence[e].score, called.evidence[e].score);
    }
  }
}

TEST_F(SyscallSeries, TrainingLearnsErrorsOfServers) {
  record("s", kServers, [&](EventTable& table, WallTime time, Duration took, int server) {
    add_call(table, {time, took, "pread64", "/data/brick/f", "65536"});
    if (server == 2) add_call(table, {time, 5us, "fsetxattr", "/data/brick/f", "-1 ENOTSUP (Not supported)"});
  });
  const std::string system = (dir_.path() / "system.toml").string();
  std::ofstream(system) << kSystem;
  const std::string thresholds = (dir_.path() / "thresholds.toml").string();
  const testing_support::Said said =
      testing_support::laggard({"train", recording_.string(), "--system", system, "--preset", "lab",
                                "--keep-all", "--out", thresholds});
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("errors of servers' system calls that are normal from now on: ENOTSUP\n"));
  EXPECT_THAT(read_file(thresholds).value(), HasSubstr("\nnormal_errors = [\"ENOTSUP\"]\n"));
}

TEST_F(SyscallSeries, AreExported) {
  record("s", 1, [&](EventTable& table, WallTime time, Duration, int) {
    add_call(table, {time, 2ms, "pread64", "/data/brick/f", "65536"});
  });
  const testing_support::Said said =
      testing_support::laggard({"export", recording_.string(), "--metric", "dread", "--host", "s1"});
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr(",s1,daemon,storage-calls,dread,2\n"));
}

TEST_F(SyscallSeries, AreTheSameFromTheirExportedCounters) {
  record("s", kServers, [&](EventTable& table, WallTime time, Duration took, int server) {
    add_request(table, server, time, took);
    add_call(table, {time, took, "pread64", "/data/brick/f", "65536"});
  });
  const std::string csv = (dir_.path() / "counters.csv").string();
  const std::string again = (dir_.path() / "again").string();
  EXPECT_EQ(testing_support::laggard({"export", recording_.string(), "--counter",
                                      "dread_ns,dreads,messages,message_ns", "--out", csv})
                .status,
            0);
  EXPECT_EQ(testing_support::laggard({"import", "csv", csv, "--out", again}).status, 0);
  const auto metric = [](const std::string& recording, const char* name) {
    return testing_support::laggard({"export", recording, "--metric", name}).out;
  };
  for (const char* name : {"dread", "nsread"}) {
    const std::string first = metric(recording_.string(), name);
    EXPECT_THAT(first, HasSubstr(name + std::string(",")));
    EXPECT_EQ(first, metric(again, name));
  }
}

TEST_F(SyscallSeries, AServerThatReadsRequestsSlowlyIsFound) {
  record("s", kServers, [&](EventTable& table, WallTime time, Duration took, int server) {
    add_request(table, server, time, took);
  });
  expect_third(diagnosed(kSystem), "s3/tcp-out", "nsread");
}

TEST_F(SyscallSeries, AServerWhoseAnswersComeSlowlyIsFoundAtTheClient) {
  record("c", 1, [&](EventTable& table, WallTime time, Duration took, int server) {
    const std::string socket = "TCP:[10.0.0.9:700->10.0.0." + std::to_string(server) + ":3334]";
    add_call(table, {time, 20us, "sendto", socket, "64"});
    add_call(table, {time + 1ms, 20us, "recvfrom", socket, "4096"});
    add_call(table, {time + 1ms + took, 20us, "recvfrom", socket, "4096"});
  });
  expect_third(diagnosed(kSystem), "s3/tcp-in", "ncread");
}

}  // namespace
}  // namespace laggard::cmd
