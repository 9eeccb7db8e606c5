#pragma once

#include <elf.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "collect/samples/elf_file.h"
#include "collect/samples/symbol_table.h"

namespace laggard::collect {

/// The functions of a program or library, by places in its file.
class BinarySymbols {
 public:
  /// A binary without functions.
  BinarySymbols() = default;
  /// Takes the functions of .symtab and .dynsym. Where the first is missing, it takes those of the file of
  /// debug information by build id, as packages install it, and else those of .gnu_debugdata, a small packed
  /// ELF file. \param root  Where usr/lib/debug is that belongs to the binary. \param where  names it in the
  /// error, which is kBadInput.
  [[nodiscard]] static Result<BinarySymbols> load(ElfBytes bytes, const std::filesystem::path& root,
                                                  const std::string& where);

  /// \param offset  Of a byte in the file.
  [[nodiscard]] std::optional<NearestSymbol> find(std::uint64_t offset) const;
  /// Memory that it takes.
  [[nodiscard]] std::size_t bytes() const { return sizeof *this + table_.bytes(); }

 private:
  std::vector<Elf64_Phdr> segments_;
  SymbolTable table_;
};

/// The shared object that the kernel maps into each process, from our own memory.
[[nodiscard]] BinarySymbols vdso_symbols();

}  // namespace laggard::collect
