#include "collect/syscalls/call_shapes.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "collect/syscalls/call_text.h"
#include "testing/property.h"

namespace laggard::collect {
namespace {

/// read, close, lseek, mmap, openat, stat, dup, sendto, fchownat, setsockopt, umask, kill, fadvise64
constexpr std::array<std::uint16_t, 13> kSomeCalls{0, 3, 8, 9, 257, 4, 32, 44, 260, 54, 95, 62, 221};
/// AT_FDCWD among them.
constexpr std::array<std::uint64_t, 9> kSomeArguments{
    0, 1, 2, 4095, 4096, UINT64_MAX, 1 << 24, std::uint64_t{0} - 100, 1ULL << 40};

wire::CallRecord any_call(std::mt19937_64& random) {
  wire::CallRecord call{};
  call.head.kind = wire::kCallRecord;
  call.head.number = kSomeCalls.at(random() % kSomeCalls.size());
  call.head.process = static_cast<std::uint32_t>(random() % 3);
  for (std::uint64_t& argument : call.arguments)
    argument = kSomeArguments.at(random() % kSomeArguments.size());
  return call;
}

void change(DescriptorTables& tables, std::mt19937_64& random) {
  const auto process = static_cast<std::uint32_t>(random() % 3);
  const auto descriptor = static_cast<std::int64_t>(random() % 3);
  constexpr std::array<const char*, 4> kTexts{"/a", "/b", "/<u>", ""};
  switch (random() % 4) {
    case 0:
      return tables.close(process, descriptor, descriptor, UINT64_MAX);
    case 1:
      return tables.fork(process, static_cast<std::uint32_t>(random() % 3), random() % 2 == 0);
    case 2:
      return tables.execute(process);
    default:
      return tables.set(process, descriptor,
                        {.text = kTexts.at(random() % kTexts.size()), .is_direct = random() % 2 == 0});
  }
}

TEST(CallShapes, AreTheTextsThatWouldBeWritten) {
  expect_property("any calls, any descriptors", [] {
    std::mt19937_64 random{*rc::gen::arbitrary<std::uint64_t>()};
    CallShapes shapes;
    DescriptorTables tables;
    ArgumentText text;
    std::size_t found = 0;
    for (int i = 0; i < 2000; ++i) {
      if (random() % 8 == 0) change(tables, random);
      const wire::CallRecord call = any_call(random);
      const SyscallSpec& spec = *find_syscall(call.head.number);
      const CallShapes::Shape* const known = shapes.find(call, spec, tables);
      text.set(call, &spec, {}, tables);
      if (known == nullptr) {
        if (text.has_places()) static_cast<void>(shapes.keep(text.text(), {}, false));
        continue;
      }
      ++found;
      RC_ASSERT(known->arguments == text.text());
      RC_ASSERT(std::vector(shapes.values().begin(), shapes.values().end()) ==
                std::vector(text.values().begin(), text.values().end()));
    }
    RC_ASSERT(found > 100U);
  });
}

class ShapesOfReads : public testing::Test {
 protected:
  std::uint32_t id_of(std::uint64_t descriptor, std::uint64_t bytes) {
    wire::CallRecord call{};
    call.arguments[0] = descriptor;
    call.arguments[2] = bytes;
    const auto* const known = shapes_.find(call, *find_syscall(0), tables_);
    return known != nullptr ? known->id : shapes_.keep("text", "object", false);
  }

  CallShapes shapes_;
  DescriptorTables tables_;
};

TEST_F(ShapesOfReads, HaveANumberEach) {
  const std::uint32_t of_three = id_of(3, 100);
  EXPECT_NE(of_three, 0U);
  EXPECT_EQ(id_of(3, 200), of_three) << "sizes are values";
  EXPECT_NE(id_of(4, 100), of_three);
  EXPECT_EQ(id_of(3, 100), of_three);
  tables_.set(0, 3, {.text = "/etc/passwd"});
  const std::uint32_t of_passwd = id_of(3, 100);
  EXPECT_NE(of_passwd, of_three);
  tables_.set(0, 3, {.text = "/etc/passwd"});
  EXPECT_NE(id_of(3, 100), of_passwd) << "it may be another file of that name, and open in another way";
}

TEST_F(ShapesOfReads, HaveNoneWithoutADescriptor) {
  EXPECT_EQ(id_of(UINT64_MAX, 100), 0U);
  EXPECT_EQ(id_of(1 << 24, 100), 0U);
}

}  // namespace
}  // namespace laggard::collect
