#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/loop.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <optional>
#include <thread>

#include "archive/reader.h"
#include "archive/writer.h"
#include "base/file.h"
#include "base/time.h"
#include "testing/fake_machine.h"

// `laggard record metrics` as a program: a fake machine, real loop devices, real sockets, signals.

namespace laggard::cmd {
namespace {

using namespace std::chrono_literals;
using collect::FakeRoot;

/// A run of the program; its standard error is kept.
class Program {
 public:
  Program(const FakeRoot& scratch, std::vector<std::string> arguments) : log_(scratch.path() / "stderr") {
    child_ = ::fork();
    if (child_ != 0) return;
    const int out = ::open(log_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ::dup2(out, STDERR_FILENO);
    arguments.insert(arguments.begin(), {LAGGARD_BINARY, "record", "metrics"});
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }

  void signal(int number) const { ::kill(child_, number); }

  int status() const {
    int status = 0;
    ::waitpid(child_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  std::string said() const { return *read_file(log_); }

 private:
  std::filesystem::path log_;
  pid_t child_ = -1;
};

struct Recorded {
  Inventory inventory;
  std::vector<SampleTable> tables;

  [[nodiscard]] const DeviceInfo* device(DeviceKind kind, std::string_view name) const {
    for (const DeviceInfo& info : inventory.devices) {
      if (info.kind == kind && info.device == name) return &info;
    }
    return nullptr;
  }
  [[nodiscard]] std::string fact(DeviceKind kind, std::string_view name, std::string_view key) const {
    const DeviceInfo* info = device(kind, name);
    for (const auto& [k, v] : info == nullptr ? decltype(DeviceInfo::facts){} : info->facts) {
      if (k == key) return v;
    }
    return {};
  }
  /// The last value of a counter of a device.
  [[nodiscard]] std::optional<std::uint64_t> last(DeviceKind kind, std::string_view name,
                                                  std::string_view counter) const {
    std::optional<std::uint64_t> value;
    for (const SampleTable& table : tables) {
      const auto d = table.device_index(name);
      const auto c = table.counter_index(counter);
      if (table.kind() != kind || !d || !c) continue;
      for (std::size_t t = 0; t < table.times().size(); ++t) {
        if (const auto at = table.integer(*c, *d, t)) value = at;
      }
    }
    return value;
  }
};

Recorded read_back(const std::filesystem::path& recording) {
  Recorded all;
  const std::vector<std::filesystem::path> folders{recording};
  auto reader = archive::Reader::open(folders);
  EXPECT_TRUE(reader) << reader.error().message();
  auto inventory = (*reader)->inventory();
  EXPECT_TRUE(inventory);
  all.inventory = std::move(*inventory);
  auto tables = (*reader)->read({});
  EXPECT_TRUE(tables);
  for (;;) {
    auto table = (*tables)->next();
    EXPECT_TRUE(table);
    if (!table || !*table) return all;
    all.tables.push_back(std::move(**table));
  }
}

class RecordMetrics : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string(LAGGARD_BINARY).empty()) GTEST_SKIP() << "the program is not built";
    machine_.write("sys/block/sda/size", "2048\n");
    machine_.write("proc/diskstats", "   8       0 sda 1 2 3 4 5 6 7 8 9 10 11\n");
    machine_.write("proc/net/dev", "eth0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n");
  }
  [[nodiscard]] std::string root() const { return machine_.path().string(); }
  [[nodiscard]] std::string out() const { return (machine_.path() / "rec").string(); }

  FakeRoot machine_;
};

TEST_F(RecordMetrics, AFakeMachineForASecond) {
  const Program run(machine_, {"--out", out(), "--root", root(), "--host", "fs1", "--interval", "100ms",
                               "--duration", "1s"});
  ASSERT_EQ(run.status(), 0) << run.said();
  EXPECT_NE(run.said().find("is not the machine that we run on"), std::string::npos) << run.said();
  EXPECT_NE(run.said().find("of 2 devices"), std::string::npos) << run.said();
  const Recorded all = read_back(out());
  ASSERT_EQ(all.inventory.devices.size(), 2U);
  EXPECT_EQ(all.inventory.devices[0].host, "fs1");
  EXPECT_EQ(all.fact(DeviceKind::kDisk, "sda", "size"), "1048576");
  EXPECT_EQ(all.last(DeviceKind::kDisk, "sda", "weighted_ms"), 11U);
  EXPECT_EQ(all.last(DeviceKind::kDisk, "sda", "dc_ios"), std::nullopt);
  EXPECT_EQ(all.last(DeviceKind::kNet, "eth0", "tx_drop"), 12U);
  EXPECT_EQ(all.tables.front().boot(), "boot-1");
  EXPECT_GE(all.inventory.devices[0].samples, 2U);
}

TEST_F(RecordMetrics, SignalsFlush) {
  for (const int number : {SIGTERM, SIGINT}) {
    const std::string rec = out() + "-" + std::to_string(number);
    const Program run(machine_, {"--out", rec, "--root", root(), "--host", "fs1", "--interval", "100ms",
                                 "--flush", "100ms", "--no-tcp"});
    // Before its first flush the program may not have got as far as watching for signals.
    for (int i = 0; i < 600 && !std::filesystem::exists(rec + "/metrics"); ++i)
      std::this_thread::sleep_for(100ms);
    std::this_thread::sleep_for(500ms);
    run.signal(number);
    EXPECT_EQ(run.status(), 0) << run.said();
    EXPECT_NE(run.said().find("recorded"), std::string::npos);
    EXPECT_NE(read_back(rec).device(DeviceKind::kDisk, "sda"), nullptr);
  }
}

TEST_F(RecordMetrics, TheNameOfTheHostIsTheKernels) {
  machine_.write("proc/sys/kernel/hostname", "oss7\n");
  const Program run(
      machine_, {"--out", out(), "--root", root(), "--interval", "100ms", "--duration", "300ms", "--no-tcp"});
  ASSERT_EQ(run.status(), 0) << run.said();
  EXPECT_EQ(read_back(out()).inventory.devices[0].host, "oss7");
}

/// A day of 2011 of a host in the recording.
void write_old_day(const std::filesystem::path& recording, const std::string& host, WallTime start) {
  SystemClock clock;
  auto writer = archive::Writer::open(recording, {}, clock);
  ASSERT_TRUE(writer) << writer.error().message();
  SampleTable table{host, DeviceKind::kDisk, {{"rd_ios"}}, {"sda"}, {start}};
  table.set(0, 0, 0, 1);
  ASSERT_TRUE((*writer)->append(table));
  ASSERT_TRUE((*writer)->close());
}

TEST_F(RecordMetrics, KeepsWhatItIsTold) {
  const WallTime start = *parse_time("2011-05-09T06:00:00Z");
  for (const std::string limit : {"--keep=30d", "--max-size=1k"}) {
    std::filesystem::remove_all(out());
    write_old_day(out(), "fs1", start);
    write_old_day(out(), "fs1", start + 24h);
    write_old_day(out(), "fs2", start);
    const Program run(machine_, {"--out", out(), "--root", root(), "--host", "fs1", "--interval", "100ms",
                                 "--duration", "300ms", "--no-tcp", limit});
    ASSERT_EQ(run.status(), 0) << run.said();
    const bool by_age = limit.starts_with("--keep");
    const std::filesystem::path folder = std::filesystem::path(out()) / "metrics";
    EXPECT_FALSE(exists(folder / "fs1-20110509T060000Z.lgd")) << limit;
    EXPECT_EQ(exists(folder / "fs1-20110510T060000Z.lgd"), !by_age)
        << "the last day stays until there is a later one, however large it is";
    EXPECT_TRUE(exists(folder / "fs2-20110509T060000Z.lgd")) << "another host's recorder looks after its own";
    EXPECT_NE(read_back(out()).device(DeviceKind::kNet, "eth0"), nullptr);
  }
}

TEST_F(RecordMetrics, MistakesAreOneSentenceAndStatusTwo) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"--interval", "50ms"}, "--interval: 50ms is not between 100ms and 1d"},
      {{"--interval", "soon"}, "--interval"},
      {{"--duration", "0s"}, "--duration"},
      {{"--keep", "5m"}, "--keep: 5m is not between 1h and 36600d"},
      {{"--max-size", "large"}, "--max-size: large is no size"},
      {{"--tcp-peer", "fs1"}, "--tcp-peer: fs1: is not an IP address"},
      {{"--tcp-port", "70000"}, "--tcp-port"},
      {{"--no-tcp", "--tcp-port", "80"}, "--no-tcp: contradicts"},
      {{"--root", "/nonexistent", "--host", "x"}, "neither proc/diskstats nor proc/net/dev"},
      {{"--root", "/nonexistent"}, "give one with --host"},
      {{"--root", root(), "--host", "x", "--tcp-port", "80"}, "is not the machine that we run on"},
  };
  for (const auto& [arguments, expected] : cases) {
    std::vector<std::string> all{"--out", out()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Program run(machine_, all);
    EXPECT_EQ(run.status(), 2) << expected;
    EXPECT_NE(run.said().find(expected), std::string::npos) << run.said();
  }
}

/// A loop device on a sparse file; none without root.
class LoopDevice {
 public:
  explicit LoopDevice(const FakeRoot& scratch) : path_(scratch.path() / "disk.img") {
    const Fd file{::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
    const Fd control{::open("/dev/loop-control", O_RDWR | O_CLOEXEC)};
    if (!file.valid() || !control.valid() || ::ftruncate(file.get(), 1 << 24) != 0) return;
    // Another program may take the free device between the two calls.
    for (int attempt = 0; attempt < 20 && !device_.valid(); ++attempt) {
      const int number = ::ioctl(control.get(), LOOP_CTL_GET_FREE);
      if (number < 0) return;
      name_ = "loop" + std::to_string(number);
      Fd device{::open(("/dev/" + name_).c_str(), O_RDWR | O_CLOEXEC)};
      if (device.valid() && ::ioctl(device.get(), LOOP_SET_FD, file.get()) == 0) device_ = std::move(device);
    }
  }
  LoopDevice(const LoopDevice&) = delete;
  LoopDevice& operator=(const LoopDevice&) = delete;
  ~LoopDevice() {
    if (device_.valid()) ::ioctl(device_.get(), LOOP_CLR_FD, 0);
  }
  [[nodiscard]] bool ok() const { return device_.valid(); }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool write_a_block() const {
    const std::string block(1 << 16, 'x');
    return ::pwrite(device_.get(), block.data(), block.size(), 0) == static_cast<ssize_t>(block.size()) &&
           ::fsync(device_.get()) == 0;
  }

 private:
  std::filesystem::path path_;
  std::string name_;
  Fd device_;
};

TEST_F(RecordMetrics, ARealDiskAndWhatWasWrittenToIt) {
  const LoopDevice loop(machine_);
  if (!loop.ok()) GTEST_SKIP() << "loop devices need root";
  ASSERT_TRUE(loop.write_a_block());
  const Program run(machine_, {"--out", out(), "--interval", "100ms", "--duration", "500ms", "--disk",
                               loop.name(), "--no-tcp"});
  ASSERT_EQ(run.status(), 0) << run.said();
  const Recorded all = read_back(out());
  EXPECT_GE(all.last(DeviceKind::kDisk, loop.name(), "wr_sectors").value_or(0), 128U);
  EXPECT_NE(all.fact(DeviceKind::kDisk, loop.name(), "backing"), "");
  EXPECT_EQ(all.fact(DeviceKind::kDisk, loop.name(), "size"), "16777216");
}

TEST_F(RecordMetrics, ARealConnectionOnLoopback) {
  const Fd listener{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const Fd client{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* where = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(listener.get(), where, size), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  ASSERT_EQ(::getsockname(listener.get(), where, &size), 0);
  ASSERT_EQ(::connect(client.get(), where, size), 0);
  const std::string port = std::to_string(ntohs(address.sin_port));
  const Program run(machine_, {"--out", out(), "--interval", "100ms", "--duration", "1s", "--net", "lo",
                               "--disk", "none", "--tcp-peer", "127.0.0.0/8", "--tcp-port", port});
  ASSERT_EQ(::send(client.get(), "hello", 5, 0), 5);
  if (run.status() != 0) GTEST_SKIP() << "no sock_diag here: " << run.said();
  const Recorded all = read_back(out());
  std::size_t ends = 0;
  for (const DeviceInfo& info : all.inventory.devices) {
    if (info.kind != DeviceKind::kTcp) continue;
    ++ends;
    EXPECT_NE(info.device.find("127.0.0.1:" + port), std::string::npos) << info.device;
    EXPECT_GT(all.last(DeviceKind::kTcp, info.device, "snd_cwnd").value_or(0), 0U);
  }
  EXPECT_EQ(ends, 2U);
  EXPECT_NE(all.fact(DeviceKind::kNet, "lo", "address").find("127.0.0.1"), std::string::npos);
}

}  // namespace
}  // namespace laggard::cmd
