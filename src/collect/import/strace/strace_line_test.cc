#include "collect/import/strace/strace_line.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace laggard::collect {
namespace {

using namespace std::chrono_literals;
using Kind = StraceLine::Kind;
using Stamp = StraceLine::Stamp;

struct Case {
  const char* text;
  Kind kind;
  std::int64_t lwp;  ///< 0: none.
  Stamp stamp;
  Duration moment;
  const char* name;
  const char* arguments;
  const char* result;
  Duration took;  ///< Negative: none.
};

constexpr std::array kCases{
    Case{
        R"(25790 1795657729.118940 access("/etc/ld.so.preload", R_OK) = -1 ENOENT (No such file or directory) <0.000015>)",
        Kind::kCall, 25790, Stamp::kEpoch, 1795657729118940000ns, "access", R"("/etc/ld.so.preload", R_OK)",
        "-1 ENOENT (No such file or directory)", 15us},
    Case{R"(brk(NULL)                               = 0x5620f2980000)", Kind::kCall, 0, Stamp::kNone, 0ns,
         "brk", "NULL", "0x5620f2980000", -1ns},
    Case{R"([pid  2817] 19:21:34.000123 write(1</dev/null<char 1:3>>, "a) = 3 <0.1>\"", 12) = 12 <0.000009>)",
         Kind::kCall, 2817, Stamp::kDay, 69694s + 123us, "write",
         R"(1</dev/null<char 1:3>>, "a) = 3 <0.1>\"", 12)", "12", 9us},
    Case{R"(2817 19:21:34 sendto(4<TCP:[10.0.0.1:7->10.0.0.2:9]>, "x"..., 70, 0, NULL, 0) = 70)", Kind::kCall,
         2817, Stamp::kDay, 69694s, "sendto", R"(4<TCP:[10.0.0.1:7->10.0.0.2:9]>, "x"..., 70, 0, NULL, 0)",
         "70", -1ns},
    Case{R"(     0.000121 openat(AT_FDCWD</tmp>, "a", O_RDONLY) = 3</tmp/a>)", Kind::kCall, 0,
         Stamp::kRelative, 121us, "openat", R"(AT_FDCWD</tmp>, "a", O_RDONLY)", "3</tmp/a>", -1ns},
    Case{R"(12:00:00 (+     0.000121) getpid()       = 7 <0.000001>)", Kind::kCall, 0, Stamp::kDay, 43200s,
         "getpid", "", "7", 1us},
    Case{R"(7<bash> 1795657729.1 read(0, 0x7ffe, 1) = ? ERESTARTSYS (To be restarted if SA_RESTART is set))",
         Kind::kCall, 7, Stamp::kEpoch, 1795657729100000000ns, "read", "0, 0x7ffe, 1",
         "? ERESTARTSYS (To be restarted if SA_RESTART is set)", -1ns},
    Case{R"(8 1795657729.000001 execve("a", 0x7 /* 9 vars */ <pid changed to 7 ...>)", Kind::kUnfinished, 8,
         Stamp::kEpoch, 1795657729000001000ns, "execve", R"("a", 0x7 /* 9 vars */)", "", -1ns},
    Case{R"(7 1795657729.000001 vfork( <unfinished ...>)", Kind::kUnfinished, 7, Stamp::kEpoch,
         1795657729000001000ns, "vfork", "", "", -1ns},
    Case{
        R"(7 1795657729.000001 <... wait4 resumed>[{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL) = 9 <0.027309>)",
        Kind::kResumed, 7, Stamp::kEpoch, 1795657729000001000ns, "wait4",
        "[{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL", "9", 27309us},
    Case{R"(<... futex resumed> )      = 0)", Kind::kResumed, 0, Stamp::kNone, 0ns, "futex", "", "0", -1ns},
    Case{R"(7 --- SIGCHLD {si_signo=SIGCHLD, si_pid=9} ---)", Kind::kSignal, 7, Stamp::kNone, 0ns, "SIGCHLD",
         "{si_signo=SIGCHLD, si_pid=9}", "", -1ns},
    Case{R"(+++ killed by SIGKILL +++)", Kind::kExit, 0, Stamp::kNone, 0ns, "killed", "by SIGKILL", "", -1ns},
    Case{R"(exit_group(0)                           = ?)", Kind::kCall, 0, Stamp::kNone, 0ns, "exit_group",
         "0", "?", -1ns},
    Case{R"(poll([{fd=3, events=POLLIN}], 1, 100) = 0 (Timeout) <0.100101>)", Kind::kCall, 0, Stamp::kNone,
         0ns, "poll", "[{fd=3, events=POLLIN}], 1, 100", "0 (Timeout)", 100101us},
    Case{R"([00007f1c2a3b] [   0] read(3, "", 1) = 0)", Kind::kCall, 0, Stamp::kNone, 0ns, "read",
         R"(3, "", 1)", "0", -1ns},
    Case{R"(mmap(NULL, 1<<20, PROT_READ /* ( */, 0, -1, 0) = 0x7f00 <0.000002>)", Kind::kCall, 0,
         Stamp::kNone, 0ns, "mmap", "NULL, 1<<20, PROT_READ /* ( */, 0, -1, 0", "0x7f00", 2us},
    Case{R"(strace: Process 9 attached)", Kind::kRemark, 0, Stamp::kNone, 0ns, "", "", "", -1ns},
    Case{R"( > /lib/libc.so.6(read+0x10) [0xf7])", Kind::kRemark, 0, Stamp::kNone, 0ns, "", "", "", -1ns},
};

TEST(StraceLine, IsTakenApart) {
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.text);
    const auto line = parse_strace_line(one.text);
    ASSERT_TRUE(line);
    EXPECT_EQ(line->kind, one.kind);
    EXPECT_EQ(line->lwp.value_or(0), one.lwp);
    EXPECT_EQ(line->stamp, one.stamp);
    EXPECT_EQ(line->moment, one.moment);
    EXPECT_EQ(line->name, one.name);
    EXPECT_EQ(line->arguments, one.arguments);
    EXPECT_EQ(line->result, one.result);
    EXPECT_EQ(line->took.value_or(Duration(-1)), one.took);
  }
}

TEST(StraceLine, WhatIsNoneIsRefused) {
  for (const char* text : {"hello", "12 34", "read", "read(", "read(3", "= 5", "(3) = 5", "--- ---", "+++",
                           "<... read", "<... read resumed", "[pid 12", "1795657729.", ")", "a)= "}) {
    EXPECT_FALSE(parse_strace_line(text)) << text;
  }
  EXPECT_TRUE(is_strace_summary("% time     seconds  usecs/call     calls    errors syscall"));
}

TEST(StraceLine, EveryPartOfALineEndsSomehow) {
  for (const Case& one : kCases) {
    const std::string text = one.text;
    for (std::size_t n = 0; n <= text.size(); ++n) {
      static_cast<void>(parse_strace_line(text.substr(0, n)));
      static_cast<void>(parse_strace_line(text.substr(n)));
    }
  }
}

TEST(StraceLine, ObjectsAreWhatDescriptorsAre) {
  EXPECT_EQ(object_of("3</etc/passwd>"), "/etc/passwd");
  EXPECT_EQ(object_of("1</dev/pts/0<char 136:0>>, \"x\", 1"), "/dev/pts/0<char 136:0>");
  EXPECT_EQ(object_of("4<TCP:[10.0.0.1:7->10.0.0.2:9]>, 1"), "TCP:[10.0.0.1:7->10.0.0.2:9]");
  EXPECT_EQ(object_of("3"), "");
  EXPECT_EQ(object_of("\"a\""), "");
  EXPECT_EQ(object_of("3<"), "");
}

}  // namespace
}  // namespace laggard::collect
