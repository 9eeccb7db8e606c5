#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace laggard::testing_support {

/// A small ELF file of 64 bits: one segment of code, a build id, functions, and sections as asked for.
class MadeUpElf {
 public:
  static constexpr std::uint64_t kCodeOffset = 0x1000;
  static constexpr std::uint64_t kCodeAddress = 0x401000;  ///< So that addresses are no offsets.
  static constexpr std::uint64_t kCodeBytes = 0x1000;

  /// \param address  in symbols; not below kCodeAddress.
  MadeUpElf& function(const std::string& name, std::uint64_t address, std::uint64_t size) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(names_.size());
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_shndx = 1;
    symbol.st_value = address;
    symbol.st_size = size;
    symbols_.append(reinterpret_cast<const char*>(&symbol), sizeof symbol);
    names_ += name + '\0';
    return *this;
  }
  MadeUpElf& section(std::string name, std::string content) {
    extra_.push_back({std::move(name), std::move(content)});
    return *this;
  }
  /// \param bytes  a multiple of four of them.
  MadeUpElf& build_id(std::string_view bytes) {
    const Elf64_Nhdr header{4, static_cast<Elf64_Word>(bytes.size()), NT_GNU_BUILD_ID};
    note_.assign(reinterpret_cast<const char*>(&header), sizeof header);
    note_ += std::string("GNU\0", 4) + std::string(bytes);
    return *this;
  }

  /// \param type  of the table of symbols: SHT_SYMTAB or SHT_DYNSYM.
  [[nodiscard]] std::string bytes(Elf64_Word type = SHT_SYMTAB) const {
    std::string file(kCodeOffset + kCodeBytes, '\0');
    std::vector<Elf64_Shdr> sections;
    sections.reserve(extra_.size() + 8);  // References stay valid.
    sections.emplace_back();
    std::string names(1, '\0');
    const auto add = [&](std::string_view name, Elf64_Word kind, std::string_view content) -> Elf64_Shdr& {
      Elf64_Shdr& section = sections.emplace_back();
      section.sh_name = static_cast<Elf64_Word>(names.size());
      section.sh_type = kind;
      section.sh_offset = file.size();
      section.sh_size = content.size();
      names.append(name).push_back('\0');
      file += content;
      return section;
    };
    Elf64_Shdr& code = add(".text", SHT_PROGBITS, "");
    code.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
    code.sh_offset = kCodeOffset;
    code.sh_size = kCodeBytes;
    Elf64_Shdr& symbols = add(".symbols", type, std::string(sizeof(Elf64_Sym), '\0') + symbols_);
    symbols.sh_entsize = sizeof(Elf64_Sym);
    symbols.sh_link = 3;
    add(".strtab", SHT_STRTAB, names_);
    if (!note_.empty()) add(".note", SHT_NOTE, note_);
    for (const Extra& extra : extra_) add(extra.name, SHT_PROGBITS, extra.content);
    Elf64_Shdr& section_names = add(".shstrtab", SHT_STRTAB, "");
    section_names.sh_size = names.size();
    file += names;

    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 1;
    header.e_shoff = file.size();
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<Elf64_Half>(sections.size());
    header.e_shstrndx = static_cast<Elf64_Half>(sections.size() - 1);
    Elf64_Phdr segment{};
    segment.p_type = PT_LOAD;
    segment.p_flags = PF_R | PF_X;
    segment.p_offset = kCodeOffset;
    segment.p_vaddr = kCodeAddress;
    segment.p_filesz = segment.p_memsz = kCodeBytes;
    std::memcpy(file.data(), &header, sizeof header);
    std::memcpy(file.data() + sizeof header, &segment, sizeof segment);
    file.append(reinterpret_cast<const char*>(sections.data()), sections.size() * sizeof(Elf64_Shdr));
    return file;
  }

 private:
  struct Extra {
    std::string name;
    std::string content;
  };

  std::string symbols_;
  std::string names_ = std::string(1, '\0');
  std::string note_;
  std::vector<Extra> extra_;
};

}  // namespace laggard::testing_support
