#include "collect/import/perf/perf_line.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collect/import/perf/perf_object.h"

namespace laggard::collect {
namespace {

struct HeadCase {
  const char* line;
  const char* comm;
  std::int64_t moment_ns;
  std::int64_t period;  ///< -1: none.
  const char* event;
  const char* rest;
};

TEST(PerfHead, IsReadWhateverFieldsItHas) {
  const std::vector<HeadCase> cases{
      {"cc1plus  8810 [000]   623.539655:   10101010 cpu-clock: ", "cc1plus", 623'539'655'000, 10'101'010,
       "cpu-clock", ""},
      {"         cc1plus  8810/8811  [000]   625.913758:          1 cycles:ppp:            b4889c f (/bin/x)",
       "cc1plus", 625'913'758'000, 1, "cycles", "b4889c f (/bin/x)"},
      {"Web Content 12688/12764 6544038.708352: cpu-clock:u: ", "Web Content", 6'544'038'708'352'000, -1,
       "cpu-clock", ""},
      {"CPU 0/KVM  4242 [011] 1.000001: cycles: ", "CPU 0/KVM", 1'000'001'000, -1, "cycles", ""},
      {"cc1plus  8810 [000] U       623.539655:   10101010 cpu-clock:pppH: ", "cc1plus", 623'539'655'000,
       10'101'010, "cpu-clock", ""},
      {"cc1plus   623.539655306: ", "cc1plus", 623'539'655'306, -1, "", ""},
      {"cc1plus [001]   625.915179:            6bd452 (/usr/lib/cc1plus)", "cc1plus", 625'915'179'000, -1, "",
       "6bd452 (/usr/lib/cc1plus)"},
      {"x 1 2.000000:            401136 main+0x6 (/bin/x)", "x", 2'000'000'000, -1, "",
       "401136 main+0x6 (/bin/x)"},
      {"x 1 2.000000:    250000        401136 main+0x6 (/bin/x)", "x", 2'000'000'000, 250'000, "",
       "401136 main+0x6 (/bin/x)"},
      {"  625.913758:   10101010 cpu-clock:            b4889c [unknown]", "", 625'913'758'000, 10'101'010,
       "cpu-clock", "b4889c [unknown]"},
      {"kworker/0:1-events  4513 [000] 1.000000: 7 cpu_core/cycles/u: ", "kworker/0:1-events", 1'000'000'000,
       7, "cycles", ""},
      {":-1    -1 [000] 1.000000: 7 cycles: ", ":-1", 1'000'000'000, 7, "cycles", ""},
      {"sh 7 [000] 1.000000: sched:sched_switch: prev_comm=sh prev_pid=7", "sh", 1'000'000'000, -1,
       "sched:sched_switch", "prev_comm=sh prev_pid=7"},
      {"swapper     0 [000] 1.000000: 18446744073709551615 cycles: ", "swapper", 1'000'000'000, -1, "cycles",
       ""},
  };
  for (const HeadCase& c : cases) {
    const auto head = parse_perf_head(c.line);
    ASSERT_TRUE(head) << c.line;
    EXPECT_EQ(head->comm, c.comm) << c.line;
    EXPECT_EQ(head->moment.count(), c.moment_ns) << c.line;
    EXPECT_EQ(static_cast<std::int64_t>(head->period.value_or(~std::uint64_t{0})), c.period) << c.line;
    EXPECT_EQ(head->event, c.event) << c.line;
    EXPECT_EQ(head->rest, c.rest) << c.line;
  }
}

TEST(PerfHead, LinesWithoutATimeAreNone) {
  for (const char* line :
       {"", " ", "cc1plus 8810 10101010 cpu-clock:  b4889c f (/bin/x)", "x 1 2.0: cycles:",
        "x 1 2.0000000: cycles:", "x 1 99999999999.000000: cycles:", "x 1 9999999999.000000: cycles:",
        "x 1 -2.000000: cycles:", "x 1 2.00000a: cycles:", ".000000:", "x:y"}) {
    EXPECT_FALSE(parse_perf_head(line)) << line;
  }
}

struct FrameCase {
  const char* line;
  const char* function;
  const char* object;
  bool is_inlined = false;
};

TEST(PerfFrame, IsAFunctionAndWhereItIs) {
  const std::vector<FrameCase> cases{
      {"\tffffffff816c1d0c damon_pa_batch_lock+0x3c ([kernel.kallsyms])", "damon_pa_batch_lock",
       "[kernel.kallsyms]"},
      {"\t    7f41e85b1040 [unknown] ([unknown])", "", ""},
      {"\t          9c634a [unknown] (/usr/lib/cc1plus)", "", "/usr/lib/cc1plus"},
      {"\t401136 std::vector<int, std::allocator<int> >::push_back(int&&)+0x10 (/a b/x (deleted))",
       "std::vector<int, std::allocator<int> >::push_back(int&&)", "/a b/x (deleted)"},
      {"\t401136 add(int, int) (inlined)", "add(int, int)", "", true},
      {"\t401136 Lfoo;::bar+0x1 (/tmp/perf-12.map)", "Lfoo;::bar", "/tmp/perf-12.map"},
      {"b4889c", "", ""},
      {"b4889c (/bin/x)", "", "/bin/x"},
      {"b4889c add (/bin/x)", "add", "/bin/x"},
      {"0 ffff8001 vfs_read+0x1 ([kernel.kallsyms])", "vfs_read", "[kernel.kallsyms]"},
      {" native_safe_halt ([kernel.kallsyms])", "native_safe_halt", "[kernel.kallsyms]"},
      {"4011 f+0xzz (/bin/x)", "f+0xzz", "/bin/x"},
  };
  for (const FrameCase& c : cases) {
    const auto frame = parse_perf_frame(c.line);
    ASSERT_TRUE(frame) << c.line;
    EXPECT_EQ(frame->function, c.function) << c.line;
    EXPECT_EQ(frame->object, c.object) << c.line;
    EXPECT_EQ(frame->is_inlined, c.is_inlined) << c.line;
  }
  for (const char* line : {"", "  foo.c:123", "f(x)", ")", "x)", "prev_comm=sh prev_pid=7"}) {
    EXPECT_FALSE(parse_perf_frame(line)) << line;
  }
}

TEST(PerfEvent, HasANameWithoutModifiers) {
  EXPECT_EQ(event_name("cycles:ppp"), "cycles");
  EXPECT_EQ(event_name("cycles"), "cycles");
  EXPECT_EQ(event_name("cpu_atom/cycles/u"), "cycles");
  EXPECT_EQ(event_name("cpu/event=0x3c/"), "cpu/event=0x3c/");
  EXPECT_EQ(event_name("sched:sched_switch"), "sched:sched_switch");
  EXPECT_TRUE(is_tracepoint("sched:sched_switch"));
  EXPECT_FALSE(is_tracepoint(event_name("cpu-clock:pppH")));
}

TEST(PerfObject, IsNamedAlikeOnAllMachines) {
  const std::vector<std::pair<const char*, const char*>> cases{
      {"/usr/lib/x86_64-linux-gnu/libc.so.6", "libc.so.6"},
      {"/usr/lib/x.so (deleted)", "x.so"},
      {"[kernel.kallsyms]", "[kernel]"},
      {"[kernel.kallsyms].init.text", "[kernel]"},
      {"/usr/lib/debug/boot/vmlinux-6.1.0", "[kernel]"},
      {"[nf_conntrack]", "[nf_conntrack]"},
      {"/lib/modules/6.1.0/kernel/net/nf-conntrack.ko.xz", "[nf_conntrack]"},
      {"[vdso]", "[vdso]"},
      {"/tmp/perf-4513.map", "[jit]"},
      {"//anon", "[jit]"},
      {"[JIT] tid 4513", "[jit]"},
      {"/root/.debug/jit/jitted-4513-7.so", "[jit]"},
      {"[guest.kernel.kallsyms]", "[guest.kernel]"},
      {"", ""},
      {"/", "/"},
      {"bpf_prog_6deef7357e7b4530_f", "bpf_prog_6deef7357e7b4530_f"}};
  for (const auto& [object, name] : cases) EXPECT_EQ(binary_name(object), name) << object;
}

}  // namespace
}  // namespace laggard::collect
