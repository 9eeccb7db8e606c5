#include "collect/samples/binary_symbols.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "collect/samples/process_maps.h"
#include "collect/samples/xz_memory.h"
#include "testing/fake_machine.h"
#include "testing/made_up_elf.h"

namespace laggard::collect {
namespace {

using testing_support::MadeUpElf;

constexpr std::uint64_t kOffset = MadeUpElf::kCodeOffset;
constexpr std::uint64_t kAddress = MadeUpElf::kCodeAddress;

std::string name_at(const BinarySymbols& symbols, std::uint64_t offset) {
  const auto found = symbols.find(offset);
  return !found ? "" : (found->is_near ? "near " : "") + std::string(found->name);
}

BinarySymbols load(const std::string& bytes, const std::filesystem::path& root = "/nonexistent") {
  auto symbols = BinarySymbols::load(ElfBytes::of_memory(bytes), root, "made up");
  return symbols ? std::move(*symbols) : BinarySymbols();
}

std::string packed_by_xz(const std::string& content) {
  std::string packed(content.size() + (std::size_t{1} << 16), '\0');
  std::size_t used = 0;
  archive* a = archive_write_new();
  archive_write_set_format_raw(a);
  archive_write_add_filter_xz(a);
  archive_write_set_bytes_in_last_block(a, 1);
  archive_write_open_memory(a, packed.data(), packed.size(), &used);
  archive_entry* entry = archive_entry_new();
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_write_header(a, entry);
  archive_write_data(a, content.data(), content.size());
  archive_entry_free(entry);
  archive_write_close(a);
  archive_write_free(a);
  packed.resize(used);
  return packed;
}

TEST(BinarySymbols, OffsetsBecomeAddressesByTheSegments) {
  const BinarySymbols symbols =
      load(MadeUpElf().function("f", kAddress + 0x10, 0x20).function("g@@V2", kAddress + 0x40, 0).bytes());
  EXPECT_EQ(name_at(symbols, kOffset + 0x10), "f");
  EXPECT_EQ(name_at(symbols, kOffset + 0x30), "near f");
  EXPECT_EQ(name_at(symbols, kOffset + 0x50), "g");
  EXPECT_EQ(name_at(symbols, kOffset), "");
  EXPECT_EQ(name_at(symbols, 0), "");  // Is not loaded.
  EXPECT_EQ(name_at(symbols, kOffset + MadeUpElf::kCodeBytes), "");
}

TEST(BinarySymbols, AStrippedBinaryHasThoseThatArePackedIntoIt) {
  const std::string inner = MadeUpElf().function("hidden", kAddress + 0x80, 0x10).bytes();
  const std::string packed = packed_by_xz(inner);
  const std::string outer =
      MadeUpElf().function("exported", kAddress, 0x10).section(".gnu_debugdata", packed).bytes(SHT_DYNSYM);
  const BinarySymbols symbols = load(outer);
  EXPECT_EQ(name_at(symbols, kOffset), "exported");
  EXPECT_EQ(name_at(symbols, kOffset + 0x80), "hidden");
  EXPECT_EQ(unpack_xz(packed, inner.size()), inner);
  EXPECT_EQ(unpack_xz(packed, inner.size() - 1), std::nullopt);
  EXPECT_EQ(unpack_xz(packed.substr(0, packed.size() / 2), inner.size()), std::nullopt);
  EXPECT_EQ(unpack_xz("no xz at all", 100), std::nullopt);
}

TEST(BinarySymbols, AStrippedBinaryHasThoseOfItsDebugFile) {
  const FakeRoot root;
  const std::string id = "\x01\x23\x45\x67";
  const std::string debug = MadeUpElf().build_id(id).function("hidden", kAddress + 0x80, 0x10).bytes();
  const std::string stripped = MadeUpElf().build_id(id).bytes(SHT_DYNSYM);
  EXPECT_EQ(name_at(load(stripped, root.path()), kOffset + 0x80), "");
  root.write("usr/lib/debug/.build-id/01/234567.debug", debug);
  EXPECT_EQ(name_at(load(stripped, root.path()), kOffset + 0x80), "hidden");
  // That of another build, under a wrong name.
  root.write("usr/lib/debug/.build-id/01/234567.debug",
             MadeUpElf().build_id("\x01\x23\x45\x68").function("other", kAddress + 0x80, 0x10).bytes());
  EXPECT_EQ(name_at(load(stripped, root.path()), kOffset + 0x80), "");
}

TEST(BinarySymbols, OurOwnFunctionsAndThoseOfTheKernelsObject) {
  const auto text = read_file("/proc/self/maps");
  ASSERT_TRUE(text);
  const ProcessMaps maps = ProcessMaps::parse(*text);
  const auto address = reinterpret_cast<std::uint64_t>(&std::fputs);
  const Mapping* mapping = maps.find(address);
  ASSERT_NE(mapping, nullptr);
  const Fd file(::open(mapping->path.c_str(), O_RDONLY | O_CLOEXEC));
  auto bytes = ElfBytes::of_file(file.get(), mapping->path);
  ASSERT_TRUE(bytes);
  const auto symbols = BinarySymbols::load(std::move(*bytes), "/", mapping->path);
  ASSERT_TRUE(symbols);
  EXPECT_EQ(name_at(*symbols, address - mapping->start + mapping->offset), "fputs");
  EXPECT_GT(vdso_symbols().bytes(), sizeof(BinarySymbols));
}

/// Names by address, as nm tells them of functions.
std::map<std::uint64_t, std::set<std::string>> names_by_nm(const std::filesystem::path& path) {
  std::map<std::uint64_t, std::set<std::string>> names;
  std::FILE* nm = ::popen(("nm -D --defined-only " + path.string() + " 2>/dev/null").c_str(), "r");  // NOLINT
  char line[4096];
  while (nm != nullptr && std::fgets(line, sizeof line, nm) != nullptr) {
    unsigned long long address = 0;
    char type = 0;
    char name[4000];
    if (std::sscanf(line, "%llx %c %3999s", &address, &type, name) != 3) continue;  // NOLINT
    if (std::string_view("TtWwi").find(type) == std::string_view::npos) continue;
    const std::string_view known(name);
    names[address].insert(std::string(known.substr(0, known.find('@', 1))));
  }
  if (nm != nullptr) ::pclose(nm);
  return names;
}

TEST(BinarySymbols, EveryFunctionThatNmKnowsHasOneOfItsNames) {
  std::size_t compared = 0;
  for (const char* path : {"/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
                           "/usr/lib/x86_64-linux-gnu/libm.so.6", "/usr/bin/bash", "/usr/bin/python3"}) {
    const Fd file(::open(path, O_RDONLY | O_CLOEXEC));
    if (!file.valid()) continue;
    auto bytes = ElfBytes::of_file(file.get(), path);
    ASSERT_TRUE(bytes);
    const auto elf = ElfFile::open(std::move(*bytes), path);
    ASSERT_TRUE(elf) << path;
    ElfSymbols symbols;
    EXPECT_TRUE(elf->add_functions(SHT_DYNSYM, symbols)) << path;
    const SymbolTable table(symbols.symbols);
    for (const auto& [address, names] : names_by_nm(path)) {
      const auto found = table.find(address);
      if (!found || found->is_near) continue;  // Data: nm tells weak names of them as those of functions.
      ++compared;
      EXPECT_TRUE(names.contains(std::string(found->name)))
          << path << " at " << address << ": " << found->name;
    }
  }
  if (compared == 0) GTEST_SKIP() << "needs nm and a library of the system";
}

TEST(BinarySymbols, DamagedBinariesGiveSomeNamesOrNone) {
  const std::string packed = packed_by_xz(MadeUpElf().function("hidden", kAddress, 0x10).bytes());
  const std::string good = MadeUpElf()
                               .build_id("\x01\x23\x45\x67")
                               .function("f", kAddress, 0x10)
                               .function("g", kAddress + 0x10, 0x10)
                               .section(".gnu_debugdata", packed)
                               .bytes(SHT_DYNSYM);
  const auto real = read_file("/usr/bin/true");
  std::mt19937_64 random(7);
  for (const std::string& sound : {good, real ? *real : good}) {
    for (int round = 0; round < 3000; ++round) {
      std::string bytes = sound;
      // Where the tables are: the code between them is not read.
      const std::size_t tables = random() % 2 == 0 ? 0x400 : bytes.size();
      const std::size_t from = tables == bytes.size() ? bytes.size() - bytes.size() / 3 : 0;
      for (std::size_t flips = 1 + random() % 8; flips > 0; --flips) {
        bytes[from + random() % (tables - from)] = static_cast<char>(random());
      }
      if (random() % 4 == 0) bytes.resize(random() % bytes.size());
      const BinarySymbols symbols = load(bytes);
      for (std::uint64_t offset = 0; offset < 0x3000; offset += 0x80)
        static_cast<void>(name_at(symbols, offset));
      static_cast<void>(symbols.find(random()));
    }
  }
}

TEST(BinarySymbols, WhatIsNoBinaryIsSaid) {
  for (const std::string text : {"",
                                 "\x7f"
                                 "ELF",
                                 "#!/bin/sh\n"}) {
    const auto symbols = BinarySymbols::load(ElfBytes::of_memory(text), "/", "script");
    ASSERT_FALSE(symbols);
    EXPECT_EQ(symbols.error().code, ErrorCode::kBadInput);
  }
  std::string narrow = MadeUpElf().bytes();
  narrow[EI_CLASS] = ELFCLASS32;
  EXPECT_FALSE(BinarySymbols::load(ElfBytes::of_memory(narrow), "/", "narrow"));
}

}  // namespace
}  // namespace laggard::collect
