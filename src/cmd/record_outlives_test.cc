// `laggard record` among others that do not care for it: second recorders, standard error that nobody reads,
// limits, a recording that is removed, kills.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <random>
#include <thread>

#include "archive/reader.h"
#include "archive/writer.h"
#include "base/file.h"
#include "base/lock_file.h"
#include "cmd/record_command.h"
#include "testing/cli.h"
#include "testing/fake_machine.h"
#include "testing/observation_archive.h"

namespace laggard::cmd {
namespace {

using namespace std::chrono_literals;
using archive::testing::TempDir;
using collect::EventSource;
using collect::EventSourceSetup;
using collect::FakeRoot;
using collect::ObservationBatch;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A run of the program. \param prepare  what the child does to itself before.
class Child {
 public:
  Child(std::vector<std::string> arguments, const std::function<void()>& prepare) : child_(::fork()) {
    if (child_ != 0) return;
    prepare();
    arguments.insert(arguments.begin(), LAGGARD_BINARY);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  [[nodiscard]] pid_t id() const { return child_; }
  [[nodiscard]] int status() const {
    int status = 0;
    ::waitpid(child_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t child_;
};

class RecordOutlives : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string(LAGGARD_BINARY).empty()) GTEST_SKIP() << "the program is not built";
    machine_.write("sys/block/sda/size", "2048\n");
    machine_.write("proc/diskstats", "   8       0 sda 1 2 3 4 5 6 7 8 9 10 11\n");
  }
  [[nodiscard]] std::string out() const { return (machine_.path() / "rec").string(); }
  [[nodiscard]] std::vector<std::string> words(const std::string& duration) const {
    return {"record",   "metrics",    "--out",      out(),   "--root",  machine_.path().string(),
            "--host",   "fs1",        "--interval", "100ms", "--flush", "100ms",
            "--no-tcp", "--duration", duration};
  }
  /// Standard error into a file of that name.
  [[nodiscard]] std::function<void()> log_to(const std::string& name) const {
    return [path = machine_.path() / name] {
      const int log = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
      ::dup2(log, STDERR_FILENO);
    };
  }
  [[nodiscard]] std::string said(const std::string& name) const { return *read_file(machine_.path() / name); }
  void wait_for(const std::filesystem::path& path) const {
    for (int i = 0; i < 600 && !std::filesystem::exists(path); ++i) std::this_thread::sleep_for(50ms);
  }
  [[nodiscard]] std::uint64_t samples() const {
    const std::vector<std::filesystem::path> paths{out()};
    auto reader = archive::Reader::open(paths);
    EXPECT_TRUE(reader) << reader.error().message();
    auto inventory = reader ? (*reader)->inventory() : Result<Inventory>{};
    return inventory && !inventory->devices.empty() ? inventory->devices.front().samples : 0;
  }

  FakeRoot machine_;
};

TEST_F(RecordOutlives, ASecondRecorderOfTheHostIsRefusedAtItsStart) {
  const Child first(words("1h"), log_to("first"));
  wait_for(out() + "/metrics/.fs1.lock");
  const Child second(words("1h"), log_to("second"));
  EXPECT_EQ(second.status(), 2);
  EXPECT_THAT(said("second"),
              AllOf(HasSubstr(fmt::format("another laggard (process {}) is writing host fs1", first.id())),
                    Not(HasSubstr("recorded"))));
  ::kill(first.id(), SIGTERM);
  EXPECT_EQ(first.status(), 0) << said("first");
}

TEST_F(RecordOutlives, RecordersOfAHostWorkSideBySide) {
  const std::string host = std::to_string(::getpid());
  const Child samples({"record", "samples", "--out", out(), "--host", "fs1", "--pid", host},
                      log_to("samples"));
  int status = 0;
  for (int i = 0; i < 600 && !std::filesystem::exists(out() + "/profiles/.fs1+samples.lock"); ++i) {
    if (::waitpid(samples.id(), &status, WNOHANG) != 0) GTEST_SKIP() << said("samples");
    std::this_thread::sleep_for(50ms);
  }
  machine_.write("log", "");
  const std::vector<std::string> record_logs{"record", "logs", "--out",  out(),
                                             "--host", "fs1",  "--file", (machine_.path() / "log").string()};
  const Child logs(record_logs, log_to("logs"));
  wait_for(out() + "/events/.fs1+logs.lock");
  const Child pings(
      {"record", "pings", "--out", out(), "--host", "fs1", "--target", "a=" + machine_.path().string()},
      log_to("pings"));
  wait_for(out() + "/events/.fs1+pings.lock");
  const Child again(record_logs, log_to("again"));
  EXPECT_EQ(again.status(), 2);
  EXPECT_THAT(said("again"), HasSubstr(fmt::format("(process {}) is writing logs of host fs1", logs.id())));
  for (const Child* one : {&samples, &logs, &pings}) {
    ::kill(one->id(), SIGTERM);
    EXPECT_EQ(one->status(), 0) << said("samples") << said("logs") << said("pings");
  }
}

TEST_F(RecordOutlives, NobodyReadsItsStandardError) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const auto into_pipe = [&] {
    ::dup2(ends[1], STDERR_FILENO);
    ::dup2(ends[1], STDOUT_FILENO);
  };
  {  // A pipe that is full.
    const std::string page(65536, 'x');
    ASSERT_EQ(::fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    while (::write(ends[1], page.data(), page.size()) > 0) continue;
    ASSERT_EQ(::fcntl(ends[1], F_SETFL, 0), 0);
    EXPECT_EQ(Child(words("500ms"), into_pipe).status(), 0);
  }
  ::close(ends[0]);  // A pipe without a reader.
  EXPECT_EQ(Child(words("500ms"), into_pipe).status(), 0);
  ::close(ends[1]);
  const auto closed = [] {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(fd);
  };
  EXPECT_EQ(Child(words("500ms"), closed).status(), 0);
  EXPECT_GE(samples(), 10U);
}

TEST_F(RecordOutlives, ALimitOfFileSizesIsSaidAndNoCrash) {
  const auto limited = [&](const std::string& name) {
    return [this, name] {
      log_to(name)();
      rlimit limit{};
      ::getrlimit(RLIMIT_FSIZE, &limit);
      limit.rlim_cur = 4096;
      ::setrlimit(RLIMIT_FSIZE, &limit);
    };
  };
  EXPECT_EQ(Child(words("800ms"), limited("record")).status(), 2);
  const std::string all = said("record");
  const std::string wanted = "the file may not grow any further (a limit like ulimit -f)";
  EXPECT_THAT(all, AllOf(HasSubstr(wanted + "; samples wait in memory"),
                         HasSubstr(wanted + "; the last samples could not be written")));
  EXPECT_EQ(all.find("samples wait in memory"), all.rfind("samples wait in memory")) << "once";
  machine_.write("a.csv",
                 "time,host,kind,device,counter,value\n2011-05-09T06:00:00Z,fs1,disk,sda,rd_ios,1\n");
  EXPECT_EQ(Child({"import", "csv", (machine_.path() / "a.csv").string(), "--out",
                   (machine_.path() / "imported").string()},
                  limited("import"))
                .status(),
            2)
      << said("import");
}

TEST_F(RecordOutlives, ARecordingThatIsRemovedIsMadeAgainWithWhatItHeld) {
  const Child run(words("2s"), log_to("log"));
  wait_for(out() + "/metrics/.fs1.lock");
  std::this_thread::sleep_for(1s);
  std::filesystem::rename(out() + "/metrics", out() + "/gone");
  std::filesystem::remove_all(out() + "/gone");
  EXPECT_EQ(run.status(), 0) << said("log");
  EXPECT_THAT(said("log"), HasSubstr("metrics: the folder was removed while recording, and is made again"));
  const std::uint64_t kept = samples();
  EXPECT_THAT(said("log"), HasSubstr(fmt::format(": {} samples of 1 devices", kept)));
}

TEST_F(RecordOutlives, SignalsInTheMiddleOfFlushesWriteEverything) {
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    std::filesystem::remove_all(out());
    const Child run(words("1h"), log_to("log"));
    wait_for(out() + "/metrics/.fs1.lock");
    std::this_thread::sleep_for(450ms);
    ::kill(run.id(), SIGPIPE);
    for (int i = 0; i < 20; ++i) ::kill(run.id(), number);
    EXPECT_EQ(run.status(), 0) << said("log");
    EXPECT_THAT(said("log"), HasSubstr(fmt::format(": {} samples of 1 devices", samples())));
  }
}

TEST_F(RecordOutlives, ASecondSenderOfOnePositionIsRefusedAtItsStart) {
  const std::filesystem::path position = machine_.path() / "position.json";
  const auto first = LockFile::acquire(position.string() + ".lock", "", "");
  ASSERT_TRUE(first);
  const Child second({"send", out(), "--to", "http://127.0.0.1:9", "--position", position.string()},
                     log_to("log"));
  EXPECT_EQ(second.status(), 2);
  EXPECT_THAT(said("log"),
              HasSubstr(fmt::format("position.json: another laggard (process {}) is sending with these "
                                    "positions; stop it or name another file with --position",
                                    ::getpid())));
}

/// Numbers its events from what the file says on.
class Numbering final : public EventSource {
 public:
  explicit Numbering(std::uint64_t first) : number_(first) {}
  [[nodiscard]] static Result<std::unique_ptr<EventSource>> open(const EventSourceSetup& setup) {
    std::uint64_t first = 0;
    std::ifstream(setup.from) >> first;
    return std::make_unique<Numbering>(first);
  }
  [[nodiscard]] std::string_view kind() const override { return "number"; }
  [[nodiscard]] Duration cadence() const override { return 1ms; }
  [[nodiscard]] Status read(Clock& clock, ObservationBatch& batch, std::size_t) override {
    const std::size_t column = batch.events.attribute("number", AttributeForm::kInteger).value();
    for (int e = 0; e < 50; ++e) {
      batch.events.append({clock.wall(), {}, kNoWord, batch.events.intern("one").value()});
      batch.events.set(column, static_cast<std::int64_t>(number_++));
    }
    return {};
  }

 private:
  std::uint64_t number_;
};

constexpr collect::EventSourceSpec kNumbers{"numbers", "Number events", &Numbering::open};

/// The numbers that are recorded, sorted; of events that say that some are lost, nothing.
std::vector<std::int64_t> recorded(const std::filesystem::path& path) {
  const std::vector<std::filesystem::path> paths{path};
  auto reader = archive::Reader::open(paths);
  std::vector<std::int64_t> numbers;
  if (!reader) return numbers;
  auto events = (*reader)->read_events({});
  for (auto table = (*events)->next(); table && *table; table = (*events)->next()) {
    for (const AttributeColumn& column : (*table)->attributes()) {
      for (const std::uint64_t bits : column.values) numbers.push_back(static_cast<std::int64_t>(bits));
    }
  }
  std::ranges::sort(numbers);
  return numbers;
}

[[noreturn]] void record_until_killed(const std::string& out, const std::string& from) {
  auto clock = collect::SignalClock::make();
  RecordEventsOptions options;
  options.out = out;
  options.from = from;
  options.host = "c1";
  options.flush = "100ms";
  static_cast<void>(record_events(kNumbers, options, *clock).has_value());
  ::_exit(9);
}

TEST(RecordEvents, KilledAtAnyMomentItHasAllThatWasFlushedAndNothingTwice) {
  const TempDir dir;
  const std::string out = (dir.path() / "rec").string();
  const std::string from = (dir.path() / "from").string();
  std::mt19937 random{3};
  std::size_t before = 0;
  for (int round = 0; round < 6; ++round) {
    std::ofstream(from) << before;
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) record_until_killed(out, from);
    // It may take its time to start; then any moment of what follows.
    std::vector<std::int64_t> numbers;
    for (int wait = 0; wait < 500 && numbers.size() <= before; ++wait) {
      std::this_thread::sleep_for(20ms);
      numbers = recorded(out);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 150));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the recorder ended by itself";
    const std::vector<std::int64_t> after = recorded(out);
    ASSERT_GE(after.size(), numbers.size()) << "what was there once is there still";
    ASSERT_GT(after.size(), before);
    for (std::size_t n = 0; n < after.size(); ++n) ASSERT_EQ(after[n], static_cast<std::int64_t>(n));
    before = after.size();
  }
}

}  // namespace
}  // namespace laggard::cmd
