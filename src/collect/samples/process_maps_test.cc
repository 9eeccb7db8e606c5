#include "collect/samples/process_maps.h"

#include <gtest/gtest.h>

#include <string>

#include "collect/samples/kernel_symbols.h"
#include "collect/samples/perf_map.h"
#include "testing/property.h"

namespace laggard::collect {
namespace {

TEST(ProcessMaps, ExecutablePiecesAsProcShowsThem) {
  const ProcessMaps maps = ProcessMaps::parse(
      "00400000-00452000 r-xp 00001000 08:02 173521      /usr/bin/a program\n"
      "00651000-00652000 r--p 00051000 08:02 173521      /usr/bin/a program\n"
      "7f00-8000 r-xp 00000000 00:00 0 \n"
      "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0          [vsyscall]\n"
      "no line\n"
      "5-4 r-xp 0 0:0 0\n");
  EXPECT_EQ(maps.size(), 3U);
  const Mapping* binary = maps.find(0x451fff);
  ASSERT_NE(binary, nullptr);
  EXPECT_EQ(binary->path, "/usr/bin/a program");
  EXPECT_EQ(binary->offset, 0x1000U);
  EXPECT_EQ(binary->file, (MappedFile{8, 2, 173521}));
  EXPECT_EQ(maps.find(0x452000), nullptr);
  ASSERT_NE(maps.find(0x7f00), nullptr);
  EXPECT_EQ(maps.find(0x7f00)->path, "");
}

TEST(ProcessMaps, WhatIsMappedLaterReplacesWhatWasThere) {
  expect_property("maps are what was mapped last at each address", [] {
    constexpr std::uint64_t kSpan = 40;
    ProcessMaps maps;
    std::vector<std::string> path_at(kSpan);
    std::vector<std::uint64_t> offset_at(kSpan);
    const auto count = *rc::gen::inRange(0, 12);
    for (int i = 0; i < count; ++i) {
      const auto start = *rc::gen::inRange<std::uint64_t>(0, kSpan);
      const auto end = *rc::gen::inRange<std::uint64_t>(start, kSpan);
      maps.add({.start = start, .end = end, .offset = 100, .file = {}, .path = std::to_string(i)});
      for (std::uint64_t at = start; at < end; ++at) {
        path_at[at] = std::to_string(i);
        offset_at[at] = 100 + at - start;
      }
    }
    for (std::uint64_t at = 0; at < kSpan; ++at) {
      const Mapping* found = maps.find(at);
      RC_ASSERT((found == nullptr) == path_at[at].empty());
      if (found == nullptr) continue;
      RC_ASSERT(found->path == path_at[at]);
      RC_ASSERT(found->offset + (at - found->start) == offset_at[at]);
    }
  });
}

TEST(KernelSymbols, FunctionsOfTheKernelAndOfModules) {
  const KernelSymbols symbols = KernelSymbols::parse(
      "ffffffff81000000 T _text\n"
      "ffffffff81000100 t __pfx_tcp_sendmsg\n"
      "ffffffff81000110 T tcp_sendmsg\n"
      "ffffffff82000000 D jiffies\n"
      "ffffffffc0000000 t nf_conntrack_in\t[nf_conntrack]\n"
      "nonsense\n");
  EXPECT_EQ(symbols.find(0xffffffff81000118), (KernelFunction{"[kernel]", "tcp_sendmsg"}));
  EXPECT_EQ(symbols.find(0xffffffffc0000010), (KernelFunction{"[nf_conntrack]", "nf_conntrack_in"}));
  EXPECT_EQ(symbols.find(0x1000), std::nullopt);
  EXPECT_TRUE(KernelSymbols::parse("0000000000000000 T _text\n").empty());
}

TEST(PerfMap, FunctionsWithBlanksInTheirNames) {
  const SymbolTable table =
      parse_perf_map("3ef414c0 398 RegExp:bar[a z]\n0x100 0x10 f\n200 0 empty\n\nbad 1 2\n");
  ASSERT_TRUE(table.find(0x3ef414c0));
  EXPECT_EQ(table.find(0x3ef414c0)->name, "RegExp:bar[a z]");
  EXPECT_EQ(table.find(0x10f)->name, "f");
  EXPECT_TRUE(table.find(0x200)->is_near);
}

}  // namespace
}  // namespace laggard::collect
