#include "collect/pings/ping_processes.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "testing/fake_machine.h"

namespace laggard::collect {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::SizeIs;

const PingBackend& dirs() { return ping_backends().front(); }

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

/// Answers until there are so many, within ten seconds.
std::vector<PingAnswer> wait_for(PingProcesses& processes, std::size_t count) {
  std::vector<PingAnswer> all;
  for (int i = 0; i < 100 && all.size() < count; ++i) {
    pollfd ready{.fd = *processes.descriptor(), .events = POLLIN, .revents = 0};
    ::poll(&ready, 1, 100);
    for (PingAnswer& answer : processes.answers()) all.push_back(answer);
  }
  return all;
}

class Processes : public testing::Test {
 protected:
  Processes() {
    for (const char* name : {"a", "b"}) {
      machine_.folder(name);
      targets_.push_back({name, (machine_.path() / name).string()});
    }
  }
  [[nodiscard]] std::unique_ptr<PingProcesses> start() const {
    auto started = PingProcesses::start_all(dirs(), targets_, "c1");
    EXPECT_TRUE(started) << started.error().message();
    return started ? std::move(*started) : nullptr;
  }
  static std::vector<PingAnswer> probe_all(PingProcesses& processes, std::size_t target) {
    for (const PingOperation operation : kPingOperations) {
      EXPECT_TRUE(processes.start({target, operation, static_cast<std::uint64_t>(operation) + 7}));
    }
    return wait_for(processes, kPingOperations.size());
  }

  FakeRoot machine_;
  std::vector<PingTargetSpec> targets_;
};

TEST_F(Processes, EachTargetIsProbedByItsOwnAndItsFilesAreRemovedAtTheEnd) {
  auto processes = start();
  for (const std::size_t target : {0U, 1U}) {
    const auto answers = probe_all(*processes, target);
    ASSERT_THAT(answers, SizeIs(3));
    for (const PingAnswer& answer : answers) {
      EXPECT_EQ(answer.order.target, target);
      EXPECT_EQ(answer.order.probe, static_cast<std::uint64_t>(answer.order.operation) + 7);
      EXPECT_EQ(answer.result.error, 0);
      EXPECT_GT(answer.result.latency.count(), 0);
    }
    EXPECT_THAT(names_in(targets_[target].place), testing::Not(IsEmpty()));
  }
  processes.reset();
  EXPECT_THAT(names_in(targets_[0].place), IsEmpty());
  EXPECT_THAT(names_in(targets_[1].place), IsEmpty());
}

TEST_F(Processes, TheFilesOfOneThatWasKilledAreRemovedByTheNext) {
  auto processes = start();
  ASSERT_THAT(probe_all(*processes, 0), SizeIs(3));
  ::kill(processes->process(0), SIGKILL);
  EXPECT_THAT(wait_for(*processes, 1), IsEmpty());
  EXPECT_FALSE(processes->start({0, PingOperation::kCreateWrite, 1})) << "nobody is there";
  EXPECT_THAT(probe_all(*processes, 1), SizeIs(3)) << "the other is not concerned";
  processes.reset();
  const auto left = names_in(targets_[0].place);
  ASSERT_THAT(left, testing::Not(IsEmpty()));
  processes = start();
  ASSERT_THAT(probe_all(*processes, 0), SizeIs(3));
  for (int i = 0; i < 1000 && std::filesystem::exists(std::filesystem::path(targets_[0].place) / left[0]);
       ++i) {
    std::this_thread::sleep_for(10ms);
  }
  processes.reset();
  EXPECT_THAT(names_in(targets_[0].place), IsEmpty());
}

TEST_F(Processes, TheyCleanUpThemselvesWhenTheRecorderIsKilled) {
  const pid_t recorder = ::fork();
  if (recorder == 0) {
    auto processes = start();
    const bool probed = probe_all(*processes, 0).size() == kPingOperations.size();
    ::kill(::getpid(), probed ? SIGKILL : SIGABRT);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(recorder, &status, 0), recorder);
  ASSERT_EQ(WTERMSIG(status), SIGKILL);
  for (int i = 0; i < 500 && !names_in(targets_[0].place).empty(); ++i) std::this_thread::sleep_for(10ms);
  EXPECT_THAT(names_in(targets_[0].place), IsEmpty());
}

/// An ext4 file system on a loop device whose requests wait, uninterruptible, while it is frozen.
class FrozenDisk {
 public:
  FrozenDisk(const std::filesystem::path& image, std::filesystem::path where) : where_(std::move(where)) {
    const std::string make = "truncate -s 16M '" + image.string() + "' && mkfs.ext4 -q -F '" +
                             image.string() + "' && mount -o loop '" + image.string() + "' '" +
                             where_.string() + "'";
    mounted_ = ::geteuid() == 0 && std::system(("{ " + make + "; } 2>/dev/null").c_str()) == 0;
    if (mounted_) root_ = Fd(::open(where_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  FrozenDisk(const FrozenDisk&) = delete;
  FrozenDisk& operator=(const FrozenDisk&) = delete;
  ~FrozenDisk() {
    if (!mounted_) return;
    thaw();
    root_.reset();
    for (int i = 0; i < 100 && ::umount(where_.c_str()) != 0; ++i) std::this_thread::sleep_for(50ms);
  }
  [[nodiscard]] bool ok() const { return mounted_; }
  [[nodiscard]] bool freeze() const { return ::ioctl(root_.get(), FIFREEZE, 0) == 0; }
  bool thaw() const { return ::ioctl(root_.get(), FITHAW, 0) == 0; }

 private:
  std::filesystem::path where_;
  Fd root_;
  bool mounted_ = false;
};

TEST_F(Processes, WhatHangsUninterruptiblyHoldsNobodyUp) {
  const FrozenDisk disk(machine_.path() / "image", targets_[0].place);
  if (!disk.ok()) GTEST_SKIP() << "loop devices and ext4 need root and mkfs.ext4";
  auto processes = start();
  const auto direct = probe_all(*processes, 0);
  ASSERT_THAT(direct, SizeIs(3));
  for (const PingAnswer& answer : direct) EXPECT_TRUE(answer.result.direct) << "ext4 accepts direct I/O";
  ASSERT_TRUE(disk.freeze());
  for (const PingOperation operation : kPingOperations) ASSERT_TRUE(processes->start({0, operation, 1}));
  EXPECT_THAT(probe_all(*processes, 1), SizeIs(3)) << "the other target is well";
  EXPECT_THAT(processes->answers(), IsEmpty()) << "the frozen one hangs";
  const auto begin = std::chrono::steady_clock::now();
  processes.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, PingProcesses::kPatience + 3s);
  EXPECT_TRUE(disk.thaw());
}

TEST_F(Processes, WhatHungAnswersWhenItIsReleased) {
  const FrozenDisk disk(machine_.path() / "image", targets_[0].place);
  if (!disk.ok()) GTEST_SKIP() << "loop devices and ext4 need root and mkfs.ext4";
  auto processes = start();
  ASSERT_THAT(probe_all(*processes, 0), SizeIs(3));
  ASSERT_TRUE(disk.freeze());
  ASSERT_TRUE(processes->start({0, PingOperation::kCreateWrite, 42}));
  std::this_thread::sleep_for(300ms);
  EXPECT_THAT(processes->answers(), IsEmpty());
  ASSERT_TRUE(disk.thaw());
  const auto answers = wait_for(*processes, 1);
  ASSERT_THAT(answers, SizeIs(1));
  EXPECT_EQ(answers[0].order.probe, 42U);
  EXPECT_GE(answers[0].result.latency, 250ms);
  processes.reset();
  EXPECT_THAT(names_in(targets_[0].place), testing::ElementsAre("lost+found"));
}

}  // namespace
}  // namespace laggard::collect
