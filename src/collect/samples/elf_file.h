#pragma once

#include <elf.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "collect/samples/symbol_table.h"

namespace laggard::collect {

/// The bytes of a binary, read where they are needed. Files are read and not mapped, because one that is cut
/// off meanwhile would kill who has it mapped.
struct ElfBytes {
  std::uint64_t size = 0;
  /// Fills all of `into`; false when that cannot be.
  std::function<bool(std::uint64_t offset, std::span<char> into)> read;

  /// \param fd  outlives this.
  [[nodiscard]] static Result<ElfBytes> of_file(int fd, const std::string& where);
  /// \param bytes  outlive this.
  [[nodiscard]] static ElfBytes of_memory(std::string_view bytes);
};

/// Symbols, and the texts that their names are views into.
struct ElfSymbols {
  std::vector<Symbol> symbols;
  std::deque<std::string> texts;
};

/// What profiles need of an ELF file of 64 bits: where it is loaded to, its build id and its functions. Every
/// offset and number in it is checked: binaries of containers are written by whoever runs there.
class ElfFile {
 public:
  /// The bounds of what is read: larger tables are left out.
  static constexpr std::uint64_t kMostTableBytes = std::uint64_t{256} << 20;
  static constexpr std::size_t kMostSegments = 1024;
  static constexpr std::size_t kMostSections = std::size_t{1} << 17;

  /// \param where  names the file in the error, which is kBadInput.
  [[nodiscard]] static Result<ElfFile> open(ElfBytes bytes, const std::string& where);

  /// The address that a byte of the file has in symbols, by the segments that are loaded; of several that
  /// have it by an executable one. Nothing when none is loaded there.
  [[nodiscard]] std::optional<std::uint64_t> address_of(std::uint64_t offset) const;
  /// Lower-case hexadecimal digits; empty when there is none.
  [[nodiscard]] std::string build_id() const;
  /// \param type  SHT_SYMTAB or SHT_DYNSYM. \return whether there is such a table.
  bool add_functions(std::uint32_t type, ElfSymbols& symbols) const;
  /// The content of a section; nothing when it is not there, has none in the file or is too large.
  [[nodiscard]] std::optional<std::string> section(std::string_view name) const;
  [[nodiscard]] std::span<const Elf64_Phdr> segments() const { return segments_; }

 private:
  ElfFile() = default;
  void read_segments(const Elf64_Ehdr& header);
  void read_sections(const Elf64_Ehdr& header);
  [[nodiscard]] std::optional<std::string> read(std::uint64_t offset, std::uint64_t size) const;
  [[nodiscard]] bool is_function(const Elf64_Sym& symbol) const;

  ElfBytes bytes_;
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Shdr> sections_;
  std::string section_names_;
};

/// The address that a byte of a file has in symbols (ElfFile::address_of).
[[nodiscard]] std::optional<std::uint64_t> address_of(std::span<const Elf64_Phdr> segments,
                                                      std::uint64_t offset);

}  // namespace laggard::collect
