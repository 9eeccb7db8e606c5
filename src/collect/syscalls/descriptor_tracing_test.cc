// What descriptors stand for, as tracers tell it of real processes.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "testing/tracing.h"

namespace laggard::collect {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::StartsWith;
using testing_support::Child;
using testing_support::Lines;
using testing_support::number;
using testing_support::Told;

class DescriptorTracing : public testing_support::Tracing {};

TEST_P(DescriptorTracing, FilesPipesAndTheirCopies) {
  const Child child([] {
    const int file = ::open("/etc/passwd", O_RDONLY | O_CLOEXEC);  // 3 is the gate.
    std::array<char, 16> bytes{};
    static_cast<void>(!::pread(file, bytes.data(), 7, 3));
    const int copy = ::fcntl(file, F_DUPFD, 50);
    static_cast<void>(!::read(copy, bytes.data(), 5));
    ::close(copy);
    static_cast<void>(!::read(copy, bytes.data(), 1));
    static_cast<void>(!::open("/nonexistent/file", O_WRONLY));
    std::array<int, 2> pipe{};
    static_cast<void>(!::pipe2(pipe.data(), O_NONBLOCK));
    static_cast<void>(!::read(pipe[0], bytes.data(), 2));
    static_cast<void>(!::write(pipe[1], "abc", 3));
    static_cast<void>(!::write(::eventfd(0, 0), "12345678", 8));
    static_cast<void>(!::write(::memfd_create("m", 0), "1234", 4));
    ::_exit(7);
  });
  TRACE_OR_SKIP({{"pid", {number(child.process())}}});
  follow(child);
  EXPECT_THAT(lines(),
              IsSupersetOf(
                  Lines{HasSubstr("openat(AT_FDCWD, \"/etc/passwd\", O_RDONLY|O_CLOEXEC) = "),
                        AllOf(StartsWith("pread64("), HasSubstr("</etc/passwd>, "), EndsWith(", 7, 3) = 7")),
                        AllOf(StartsWith("fcntl("), EndsWith("= 50")),
                        AllOf(StartsWith("read(50</etc/passwd>"), EndsWith("= 5")),
                        testing::Eq("close(50</etc/passwd>) = 0"),
                        AllOf(StartsWith("read(50, "), EndsWith("-1 EBADF (Bad file descriptor)")),
                        testing::Eq("openat(AT_FDCWD, \"/nonexistent/file\", O_WRONLY) = -1 ENOENT (No "
                                    "such file or directory)"),
                        AllOf(HasSubstr("<pipe:["), EndsWith("-1 EAGAIN (Resource temporarily unavailable)")),
                        testing::Eq("exit_group(7) = ?"), testing::Eq("exited(with 7) = ")}));
  EXPECT_THAT(object_of(", 3) = 3"), StartsWith("pipe:["));
  EXPECT_EQ(object_of(", 8) = 8"), "anon_inode:[eventfd]");
  EXPECT_EQ(object_of(", 4) = 4"), "/memfd:m (deleted)");
  EXPECT_EQ(find("exit_group")->end, SyscallEnd::kUnfinished);
  EXPECT_EQ(find("exited")->end, SyscallEnd::kExit);
  EXPECT_THAT(said_, Contains(HasSubstr("0 records lost")));
}

TEST_P(DescriptorTracing, WhatWasOpenBeforeAndTheCallThatWasUnderWay) {
  const Fd before{::open("/etc/hostname", O_RDONLY | O_CLOEXEC)};
  const Child child([&] {
    char byte = 0;
    static_cast<void>(!::read(before.get(), &byte, 1));
  });
  TRACE_OR_SKIP({{"pid", {number(child.process())}}});
  follow(child);
  EXPECT_THAT(object_of("read(" + std::to_string(before.get())), EndsWith("hostname"))
      << testing::PrintToString(lines());
  const Told* gate = find("begun before the recording");
  // It may have been traced before it reached its gate.
  if (gate != nullptr) {
    EXPECT_EQ(gate->line, "read(/* begun before the recording */) = 1");
    EXPECT_FALSE(gate->has_duration);
  }
}

TEST_P(DescriptorTracing, FilesOpenedWithODirectBeforeAndAfterwards) {
  std::string path = "/var/tmp/laggard-direct-XXXXXX";
  const Fd plain(::mkstemp(path.data()));
  const Fd before(::open(path.c_str(), O_RDWR | O_DIRECT | O_CLOEXEC));
  if (!before.valid()) GTEST_SKIP() << "/var/tmp has no O_DIRECT";
  const Child child([&] {
    static_cast<void>(!::pwrite(plain.get(), "1", 1, 0));
    static_cast<void>(!::pwrite(before.get(), "1234", 2, 0));
    const int later = ::open(path.c_str(), O_RDWR | O_DIRECT);
    static_cast<void>(!::pwrite(later, "1234", 3, 0));
    ::fcntl(later, F_SETFL, 0);
    static_cast<void>(!::pwrite(later, "1234", 4, 0));
  });
  TRACE_OR_SKIP({{"pid", {number(child.process())}}});
  follow(child);
  ::unlink(path.c_str());
  const auto is_direct = [&](std::string_view part) {
    const Told* told = find(part);
    EXPECT_NE(told, nullptr) << part;
    return told != nullptr && told->is_direct;
  };
  EXPECT_FALSE(is_direct(", 1, 0) = 1"));
  EXPECT_TRUE(is_direct(", 2, 0) = "));
  EXPECT_TRUE(is_direct(", 3, 0) = "));
  EXPECT_FALSE(is_direct(", 4, 0) = "));
}

TEST_P(DescriptorTracing, SocketsAreTheirAddresses) {
  const Child child([] {
    const int listening = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(listening, reinterpret_cast<sockaddr*>(&address), sizeof address);
    ::listen(listening, 1);
    socklen_t bytes = sizeof address;
    ::getsockname(listening, reinterpret_cast<sockaddr*>(&address), &bytes);
    const int client = ::socket(AF_INET, SOCK_STREAM, 0);
    ::connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address);
    const int server = ::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
    static_cast<void>(!::write(client, "12345", 5));
    std::array<char, 8> text{};
    static_cast<void>(!::read(server, text.data(), text.size()));
    const int local = ::socket(AF_UNIX, SOCK_DGRAM, 0);
    sockaddr_un path{};
    path.sun_family = AF_UNIX;
    std::memcpy(path.sun_path + 1, "laggard-test", 12);  // Abstract.
    ::bind(local, reinterpret_cast<sockaddr*>(&path), offsetof(sockaddr_un, sun_path) + 13);
    ::shutdown(local, SHUT_RD);
  });
  TRACE_OR_SKIP({{"pid", {number(child.process())}}});
  follow(child);
  const std::string of_client = object_of(", 5) = 5");
  const std::string of_server = object_of(", 8) = 5");
  EXPECT_THAT(of_client, AllOf(StartsWith("TCP:[127.0.0.1:"), HasSubstr("->127.0.0.1:")));
  EXPECT_THAT(of_server, StartsWith("TCP:[127.0.0.1:"));
  const auto end_of = [](const std::string& text) { return text.substr(text.find("->") + 2); };
  EXPECT_EQ("TCP:[" + end_of(of_server).substr(0, end_of(of_server).size() - 1) + "->" +
                of_server.substr(5, of_server.find("->") - 5) + "]",
            of_client);
  EXPECT_THAT(object_of("shutdown("), AllOf(StartsWith("UNIX:["), HasSubstr("\"@laggard-test\"")));
}

TEST_P(DescriptorTracing, DescriptorsThatAMessageBrings) {
  const Child child([] {
    std::array<int, 2> pair{};
    static_cast<void>(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()));
    const int file = ::open("/etc/passwd", O_RDONLY);
    char byte = 'x';
    iovec part{&byte, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &file, sizeof file);
    ::sendmsg(pair[0], &message, 0);
    control.fill(0);
    ::recvmsg(pair[1], &message, 0);
    int brought = -1;
    std::memcpy(&brought, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof brought);
    ::lseek(brought, 4321, SEEK_SET);
  });
  TRACE_OR_SKIP({{"pid", {number(child.process())}}});
  follow(child);
  EXPECT_EQ(object_of(", 4321, 0) = 4321"), "/etc/passwd");
}

// A receiver that asks for them finds the sender's credentials before the descriptors.
TEST_P(DescriptorTracing, DescriptorsBehindAnotherControlMessageOfOneOfSeveralMessages) {
  const Child child([] {
    std::array<int, 2> pair{};
    static_cast<void>(::socketpair(AF_UNIX, SOCK_DGRAM, 0, pair.data()));
    const int on = 1;
    ::setsockopt(pair[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
    const std::array files{::open("/etc/passwd", O_RDONLY), ::open("/etc/group", O_RDONLY)};
    char byte = 'x';
    iovec part{&byte, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof files)> sent{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    ::sendmsg(pair[0], &message, 0);
    message.msg_control = sent.data();
    message.msg_controllen = sent.size();
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof files);
    std::memcpy(CMSG_DATA(header), files.data(), sizeof files);
    ::sendmsg(pair[0], &message, 0);
    std::array<mmsghdr, 2> several{};
    alignas(cmsghdr) std::array<std::array<char, 256>, 2> control{};
    for (std::size_t i = 0; i < several.size(); ++i) {
      several[i].msg_hdr.msg_iov = &part;
      several[i].msg_hdr.msg_iovlen = 1;
      several[i].msg_hdr.msg_control = control[i].data();
      several[i].msg_hdr.msg_controllen = control[i].size();
    }
    ::recvmmsg(pair[1], several.data(), several.size(), 0, nullptr);
    for (cmsghdr* found = CMSG_FIRSTHDR(&several[1].msg_hdr); found != nullptr;
         found = CMSG_NXTHDR(&several[1].msg_hdr, found)) {
      if (found->cmsg_type != SCM_RIGHTS) continue;
      std::array<int, 2> brought{};
      std::memcpy(brought.data(), CMSG_DATA(found), sizeof brought);
      ::lseek(brought[0], 4321, SEEK_SET);
      ::lseek(brought[1], 5432, SEEK_SET);
    }
  });
  TRACE_OR_SKIP({{"pid", {number(child.process())}}});
  follow(child);
  EXPECT_EQ(object_of(", 4321, 0) = 4321"), "/etc/passwd");
  EXPECT_EQ(object_of(", 5432, 0) = 5432"), "/etc/group");
}

INSTANTIATE_TEST_SUITE_P(By, DescriptorTracing, testing::Values("bpf", "ptrace"),
                         [](const auto& which) { return std::string(which.param); });

}  // namespace
}  // namespace laggard::collect
