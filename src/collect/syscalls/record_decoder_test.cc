#include "collect/syscalls/record_decoder.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/syscall_record.h"

namespace laggard::collect {
namespace {

using namespace std::string_view_literals;
using Bytes = std::vector<std::byte>;

constexpr std::uint32_t kProcess = 100;
constexpr std::uint32_t kThread = 101;
enum Call : std::uint16_t {
  kCallRead = 0,

  kCallClose = 3,
  kCallMmap = 9,
  kCallExecve = 59,
  kCallOpenat = 257
};

template <typename Struct>
Bytes to_bytes(Struct record, std::string_view text = {}) {
  record.head.bytes = static_cast<std::uint32_t>(sizeof record + text.size());
  Bytes bytes(record.head.bytes);
  std::memcpy(bytes.data(), &record, sizeof record);
  std::ranges::copy(std::as_bytes(std::span(text)), bytes.begin() + sizeof record);
  return bytes;
}

wire::CallRecord call(std::uint16_t number, std::vector<std::uint64_t> arguments, std::int64_t result) {
  wire::CallRecord record{};
  record.head = {.bytes = 0,
                 .kind = wire::kCallRecord,
                 .flags = 0,
                 .number = number,
                 .process = kProcess,
                 .thread = kThread};
  record.sequence = 7;
  record.start_ns = 1000;
  record.took_ns = 500;
  record.result = result;
  for (std::size_t i = 0; i < arguments.size(); ++i) record.arguments[i] = arguments[i];
  return record;
}

wire::DescriptorRecord descriptor(int number, std::uint32_t mode, std::uint64_t time_ns = 100) {
  wire::DescriptorRecord record{};
  record.head = {.bytes = 0,
                 .kind = wire::kDescriptorRecord,
                 .flags = 0,
                 .number = 0,
                 .process = kProcess,
                 .thread = kThread};
  record.time_ns = time_ns;
  record.inode = 4711;
  record.descriptor = number;
  record.mode = mode;
  return record;
}

wire::MomentRecord moment(wire::RecordKind kind, std::uint16_t number, std::int32_t code) {
  wire::MomentRecord record{};
  record.head = {.bytes = 0,
                 .kind = static_cast<std::uint8_t>(kind),
                 .flags = 0,
                 .number = number,
                 .process = kProcess,
                 .thread = kThread};
  record.time_ns = 2000;
  record.code = code;
  return record;
}

/// `name(arguments) = result <object>`
std::string told(const SyscallEvent* event) {
  if (event == nullptr) return "nothing";
  // As it comes out of an archive, with its values in their places.
  EventTable table("h", std::string(kSyscallKind));
  EXPECT_TRUE(SyscallAppender(table).append(*event));
  SyscallRows rows(table);
  const SyscallEvent told = rows.at(0);
  return std::string(told.name) + "(" + std::string(told.arguments) + ") = " + std::string(told.result) +
         " <" + std::string(told.object) + ">";
}

class Decoding : public testing::Test {
 protected:
  std::string decode(const Bytes& bytes) { return told(decoder_.decode(bytes)); }
  void open_passwd(int number, std::uint64_t time_ns = 100) {
    EXPECT_EQ(decode(to_bytes(descriptor(number, S_IFREG, time_ns), "passwd\0etc\0"sv)), "nothing");
  }
  /// What a read of it is about.
  std::string object(int number) {
    return std::string(
        decoder_.decode(to_bytes(call(kCallRead, {static_cast<std::uint64_t>(number), 0, 1}, 1)))->object);
  }
  RecordDecoder decoder_;
};

TEST_F(Decoding, ACallIsWhatStraceWrites) {
  open_passwd(3);
  EXPECT_EQ(decode(to_bytes(call(kCallRead, {3, 0xabc, 4096}, 17))),
            "read(3</etc/passwd>, 0xabc, 4096) = 17 </etc/passwd>");
  const auto at_fdcwd = static_cast<std::uint64_t>(AT_FDCWD);
  EXPECT_EQ(
      decode(to_bytes(call(kCallOpenat, {at_fdcwd, 0x1, O_RDONLY | O_CLOEXEC, 0}, 3), "etc/passwd\0"sv)),
      "openat(AT_FDCWD, \"etc/passwd\", O_RDONLY|O_CLOEXEC) = 3</etc/passwd> </etc/passwd>");
  EXPECT_EQ(
      decode(to_bytes(call(kCallOpenat, {at_fdcwd, 0x1, O_WRONLY | O_CREAT, 0644}, -ENOENT), "a\"b\n\0"sv)),
      "openat(AT_FDCWD, \"a\\\"b\\012\", O_WRONLY|O_CREAT, 0644) = -1 ENOENT (No such file or directory) "
      "<a\"b\n>");
  EXPECT_EQ(decode(to_bytes(call(kCallMmap, {0, 4096, 3, 0x22, UINT64_MAX, 0}, 0x7f0000001000))),
            "mmap(NULL, 4096, 0x3, 0x22, -1, 0) = 0x7f0000001000 <>");
  EXPECT_EQ(decode(to_bytes(call(kCallRead, {9, 0, 1}, -512))),
            "read(9, NULL, 1) = ? ERESTARTSYS (To be restarted if SA_RESTART is set) <>");
  EXPECT_EQ(decode(to_bytes(call(511, {1, 2}, 0))), "syscall_511(0x1, 0x2, 0, 0, 0, 0) = 0 <>");
}

TEST_F(Decoding, APathThatCouldNotBeReadIsAnAddress) {
  EXPECT_EQ(decode(to_bytes(call(kCallOpenat, {3, 0xdead, 0, 0}, -EFAULT))),
            "openat(3, 0xdead, O_RDONLY) = -1 EFAULT (Bad address) <>");
}

TEST_F(Decoding, TimesAreOfTheWallClock) {
  decoder_.set_clock(std::chrono::seconds(1'700'000'000));
  const auto event = decoder_.decode(to_bytes(call(kCallRead, {0, 0, 0}, 0)));
  ASSERT_TRUE(event);
  EXPECT_EQ(to_unix_ns(event->time), 1'700'000'000'000'001'000);
  EXPECT_EQ(event->took, Duration{500});
  EXPECT_EQ(event->lwp, kThread);
  EXPECT_EQ(event->sequence, 7U);
  EXPECT_EQ(event->end, SyscallEnd::kReturned);
}

TEST_F(Decoding, CallsUnderWayAreMarked) {
  auto unfinished = call(kCallRead, {3, 0xabc, 16}, 0);
  unfinished.head.kind = wire::kUnfinishedRecord;
  auto event = decoder_.decode(to_bytes(unfinished));
  EXPECT_EQ(told(event), "read(3, 0xabc, 16) =  <>");
  EXPECT_EQ(event->end, SyscallEnd::kUnfinished);
  EXPECT_FALSE(event->took);
  unfinished.head.number = 231;
  EXPECT_EQ(decode(to_bytes(unfinished)), "exit_group(3) = ? <>");
  auto resumed = call(kCallRead, {}, 5);
  resumed.head.kind = wire::kResumedRecord;
  event = decoder_.decode(to_bytes(resumed));
  EXPECT_EQ(told(event), "read(/* begun before the recording */) = 5 <>");
  EXPECT_FALSE(event->took);
}

TEST_F(Decoding, SignalsAndEnds) {
  auto signal = moment(wire::kSignalRecord, SIGCHLD, CLD_EXITED);
  signal.other_process = 42;
  EXPECT_EQ(decode(to_bytes(signal)), "SIGCHLD({si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=42}) =  <>");
  EXPECT_EQ(decode(to_bytes(moment(wire::kSignalRecord, 35, -6))),
            "SIGRT_3({si_signo=SIGRT_3, si_code=SI_TKILL}) =  <>");
  EXPECT_EQ(decode(to_bytes(moment(wire::kSignalRecord, SIGUSR1, INT32_MIN))),
            "SIGUSR1({si_signo=SIGUSR1, si_code=-2147483648}) =  <>");
  EXPECT_EQ(decode(to_bytes(moment(wire::kExitRecord, 0, 7 << 8))), "exited(with 7) =  <>");
  EXPECT_EQ(decode(to_bytes(moment(wire::kExitRecord, 0, SIGSEGV | 0x80))),
            "killed(by SIGSEGV (core dumped)) =  <>");
}

TEST_F(Decoding, DescriptorsAreClosedAndForgotten) {
  open_passwd(3);
  EXPECT_EQ(decode(to_bytes(call(kCallClose, {3}, 0))), "close(3</etc/passwd>) = 0 </etc/passwd>");
  EXPECT_EQ(object(3), "");
  // Another thread was given the number again before this close returned.
  open_passwd(3, 1200);
  EXPECT_EQ(decode(to_bytes(call(kCallClose, {3}, 0))), "close(3</etc/passwd>) = 0 </etc/passwd>");
  EXPECT_EQ(object(3), "/etc/passwd");
}

TEST_F(Decoding, ForksCopyAndProgramsCloseDescriptors) {
  open_passwd(3);
  auto closing = descriptor(4, S_IFREG);
  closing.head.flags = wire::kCloseOnExecFlag;
  static_cast<void>(decode(to_bytes(closing, "b\0"sv)));
  auto fork = moment(wire::kForkRecord, 0, 0);
  fork.other_process = kProcess + 1;
  static_cast<void>(decode(to_bytes(fork)));
  EXPECT_EQ(decode(to_bytes(call(kCallExecve, {0, 0, 0}, 0))), "execve(NULL, NULL, NULL) = 0 <>");
  EXPECT_EQ(object(3), "/etc/passwd");
  EXPECT_EQ(object(4), "");
  auto of_child = call(kCallRead, {4, 0, 0}, 0);
  of_child.head.process = kProcess + 1;
  EXPECT_EQ(decode(to_bytes(of_child)), "read(4</b>, NULL, 0) = 0 </b>");
  auto end = moment(wire::kExitRecord, 0, 0);
  end.head.flags = wire::kLastThreadFlag;
  static_cast<void>(decode(to_bytes(end)));
  EXPECT_EQ(decoder_.descriptors().processes(), 1U);
}

TEST_F(Decoding, WhatDescriptorsStandFor) {
  static_cast<void>(decode(to_bytes(descriptor(0, S_IFDIR), "/\0"sv)));
  EXPECT_EQ(object(0), "/");
  auto deleted = descriptor(1, S_IFREG);
  deleted.head.flags = wire::kDeletedFlag | wire::kCutFlag;
  static_cast<void>(decode(to_bytes(deleted, "b\0a\0"sv)));
  EXPECT_EQ(object(1), ".../a/b (deleted)");
  auto pipe = descriptor(2, S_IFIFO);
  pipe.magic = 0x50495045;
  static_cast<void>(decode(to_bytes(pipe)));
  EXPECT_EQ(object(2), "pipe:[4711]");
  auto event = descriptor(3, 0600);
  event.magic = 0x09041934;
  static_cast<void>(decode(to_bytes(event, "[eventfd]\0"sv)));
  EXPECT_EQ(object(3), "anon_inode:[eventfd]");
  auto socket = descriptor(4, S_IFSOCK);
  socket.family = AF_INET;
  socket.socket_type = SOCK_STREAM;
  static_cast<void>(decode(to_bytes(socket)));
  EXPECT_EQ(object(4), "TCP:[4711]");
  socket.local[0] = socket.peer[0] = 127;
  socket.local[3] = socket.peer[3] = 1;
  socket.local_port = 40000;
  static_cast<void>(decode(to_bytes(socket)));
  EXPECT_EQ(object(4), "TCP:[127.0.0.1:40000]");
  socket.peer_port = 80;
  static_cast<void>(decode(to_bytes(socket)));
  EXPECT_EQ(object(4), "TCP:[127.0.0.1:40000->127.0.0.1:80]");
  socket.family = AF_INET6;
  socket.socket_type = SOCK_DGRAM;
  static_cast<void>(decode(to_bytes(socket)));
  EXPECT_EQ(object(4), "UDPv6:[[7f00:1::]:40000->[7f00:1::]:80]");
  socket.family = AF_UNIX;
  static_cast<void>(decode(to_bytes(socket, "/run/x\0"sv)));
  EXPECT_EQ(object(4), "UNIX:[4711,\"/run/x\"]");
}

TEST_F(Decoding, NumbersThatDifferFromCallToCallMakeNoTextsOfTheirOwn) {
  open_passwd(3);
  EventTable table("h", std::string(kSyscallKind));
  SyscallAppender appender(table);
  for (std::uint64_t i = 0; i < 100; ++i) {
    const auto read = decoder_.decode(to_bytes(call(kCallRead, {3, 0x1000 + i, 7 * i}, 1)));
    ASSERT_TRUE(appender.append(*read));
    ASSERT_TRUE(appender.append(*decoder_.decode(to_bytes(call(kCallMmap, {0, i, 3, 0x22}, 0x1000)))));
  }
  EXPECT_LT(table.words().size(), 10U);
  SyscallRows rows(table);
  EXPECT_EQ(rows.at(198).arguments, "3</etc/passwd>, 0x1063, 693");
  EXPECT_EQ(rows.at(199).arguments, "NULL, 99, 0x3, 0x22, 0, 0");
  EXPECT_EQ(rows.at(199).result, "0x1000");
}

TEST_F(Decoding, NamesThatReadLikePlaces) {
  static_cast<void>(decode(to_bytes(descriptor(3, S_IFREG), "<u>\0a\0"sv)));
  EXPECT_EQ(decode(to_bytes(call(kCallRead, {3, 0xabc, 17}, 17))),
            "read(3</a/<u>>, 0xabc, 17) = 17 </a/<u>>");
}

TEST_F(Decoding, IoUringIsNoticed) {
  EXPECT_FALSE(decoder_.uses_io_uring());
  static_cast<void>(decode(to_bytes(call(425, {8, 0}, 5))));
  EXPECT_TRUE(decoder_.uses_io_uring());
}

TEST_F(Decoding, TornRecordsAreCounted) {
  const Bytes whole = to_bytes(call(kCallRead, {3, 0, 1}, 1));
  std::uint64_t damaged = 0;
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    EXPECT_FALSE(decoder_.decode(std::span(whole).first(bytes)));
    EXPECT_EQ(decoder_.damaged(), ++damaged);
  }
  auto unknown = call(kCallRead, {}, 0);
  unknown.head.kind = 99;
  EXPECT_FALSE(decoder_.decode(to_bytes(unknown)));
  EXPECT_EQ(decoder_.damaged(), ++damaged);
}

RC_GTEST_PROP(DecodingGarbage, NothingCrashes, ()) {
  RecordDecoder decoder;
  decoder.set_clock(std::chrono::seconds(1'700'000'000));
  const auto records = *rc::gen::container<std::vector<std::vector<std::uint8_t>>>(
      rc::gen::container<std::vector<std::uint8_t>>(rc::gen::arbitrary<std::uint8_t>()));
  for (std::vector<std::uint8_t> record : records) {
    // Mostly with a head that is believed.
    record.resize(record.size() + 100);
    const auto bytes = static_cast<std::uint32_t>(record.size());
    std::memcpy(record.data(), &bytes, sizeof bytes);
    record[4] = static_cast<std::uint8_t>(record[4] % 10);
    const auto event = decoder.decode(std::as_bytes(std::span(record)));
    if (!event) continue;
    EventTable table("h", std::string(kSyscallKind));
    SyscallAppender appender(table);
    RC_ASSERT(appender.append(*event));
  }
}

}  // namespace
}  // namespace laggard::collect
