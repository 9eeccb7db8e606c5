#include "collect/samples/elf_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

namespace laggard::collect {

namespace {

bool read_at(int fd, std::uint64_t offset, std::span<char> into) {
  while (!into.empty()) {
    const ssize_t got = ::pread(fd, into.data(), into.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    into = into.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return true;
}

/// Entry `i` of a table; requires that it is in there.
template <typename Entry>
Entry entry_of(std::string_view table, std::size_t i) {
  Entry entry;
  std::memcpy(&entry, table.substr(i * sizeof entry, sizeof entry).data(), sizeof entry);
  return entry;
}

/// The text at `offset`, up to its zero byte; empty when it has none.
std::string_view text_at(std::string_view texts, std::uint64_t offset) {
  if (offset >= texts.size()) return {};
  const std::string_view rest = texts.substr(offset);
  const std::size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view{} : rest.substr(0, end);
}

/// Of a function as people know it: without the version, as in `memcpy@@GLIBC_2.14`.
std::string_view plain_name(std::string_view name) { return name.substr(0, name.find('@', 1)); }

std::string build_id_in(std::string_view notes) {
  constexpr std::string_view kOwner("GNU\0", 4);
  constexpr std::size_t kLongest = 64;
  const auto padded = [](std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; };
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    const auto header = entry_of<Elf64_Nhdr>(notes, 0);
    const std::uint64_t content = sizeof header + padded(header.n_namesz);
    const std::uint64_t end = content + padded(header.n_descsz);
    if (end > notes.size()) return {};
    if (header.n_type == NT_GNU_BUILD_ID && header.n_descsz <= kLongest &&
        notes.substr(sizeof header, header.n_namesz) == kOwner) {
      std::string digits;
      for (const char byte : notes.substr(content, header.n_descsz)) {
        digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
      }
      return digits;
    }
    notes.remove_prefix(end);
  }
  return {};
}

}  // namespace

Result<ElfBytes> ElfBytes::of_file(int fd, const std::string& where) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return fail_errno(errno, where, "cannot be read");
  if (!S_ISREG(status.st_mode)) return fail(ErrorCode::kBadInput, where, "is no file");
  return ElfBytes{
      .size = static_cast<std::uint64_t>(status.st_size),
      .read = [fd](std::uint64_t offset, std::span<char> into) { return read_at(fd, offset, into); }};
}

ElfBytes ElfBytes::of_memory(std::string_view bytes) {
  return {.size = bytes.size(), .read = [bytes](std::uint64_t offset, std::span<char> into) {
            if (offset > bytes.size() || into.size() > bytes.size() - offset) return false;
            bytes.copy(into.data(), into.size(), offset);
            return true;
          }};
}

Result<ElfFile> ElfFile::open(ElfBytes bytes, const std::string& where) {
  ElfFile file;
  file.bytes_ = std::move(bytes);
  const auto begin = file.read(0, sizeof(Elf64_Ehdr));
  if (!begin || !begin->starts_with(std::string_view(ELFMAG, SELFMAG))) {
    return fail(ErrorCode::kBadInput, where, "is no ELF file");
  }
  const auto header = entry_of<Elf64_Ehdr>(*begin, 0);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
    return fail(ErrorCode::kBadInput, where, "is no little-endian ELF file of 64 bits");
  }
  file.read_segments(header);
  file.read_sections(header);
  return file;
}

std::optional<std::string> ElfFile::read(std::uint64_t offset, std::uint64_t size) const {
  if (size > kMostTableBytes || offset > bytes_.size || size > bytes_.size - offset) return std::nullopt;
  std::string content(size, '\0');
  if (!bytes_.read(offset, content)) return std::nullopt;
  return content;
}

void ElfFile::read_segments(const Elf64_Ehdr& header) {
  const std::size_t count = header.e_phnum;
  if (header.e_phentsize != sizeof(Elf64_Phdr) || count > kMostSegments) return;
  const auto table = read(header.e_phoff, count * sizeof(Elf64_Phdr));
  if (!table) return;
  for (std::size_t i = 0; i < count; ++i) segments_.push_back(entry_of<Elf64_Phdr>(*table, i));
}

/// Where there are too many for the header, the first section tells how many there are.
void ElfFile::read_sections(const Elf64_Ehdr& header) {
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shoff == 0) return;
  const auto begin = read(header.e_shoff, sizeof(Elf64_Shdr));
  if (!begin) return;
  const auto first = entry_of<Elf64_Shdr>(*begin, 0);
  const std::uint64_t count = header.e_shnum != 0 ? header.e_shnum : first.sh_size;
  const std::uint64_t names = header.e_shstrndx != SHN_XINDEX ? header.e_shstrndx : first.sh_link;
  if (count > kMostSections) return;
  const auto table = read(header.e_shoff, count * sizeof(Elf64_Shdr));
  if (!table) return;
  for (std::size_t i = 0; i < count; ++i) sections_.push_back(entry_of<Elf64_Shdr>(*table, i));
  if (names >= count || sections_[names].sh_type == SHT_NOBITS) return;
  section_names_ = read(sections_[names].sh_offset, sections_[names].sh_size).value_or("");
}

std::optional<std::uint64_t> address_of(std::span<const Elf64_Phdr> segments, std::uint64_t offset) {
  std::optional<std::uint64_t> address;
  for (const Elf64_Phdr& segment : segments) {
    const bool has_it = segment.p_type == PT_LOAD && offset >= segment.p_offset &&
                        offset - segment.p_offset < segment.p_filesz;
    if (!has_it) continue;
    const bool is_code = (segment.p_flags & PF_X) != 0;
    if (!address || is_code) address = offset - segment.p_offset + segment.p_vaddr;
    if (is_code) break;
  }
  return address;
}

std::optional<std::uint64_t> ElfFile::address_of(std::uint64_t offset) const {
  return collect::address_of(segments_, offset);
}

std::string ElfFile::build_id() const {
  constexpr std::uint64_t kMostNotes = std::uint64_t{1} << 20;
  const auto id_at = [&](std::uint64_t offset, std::uint64_t size) {
    return build_id_in(size > kMostNotes ? std::string{} : read(offset, size).value_or(""));
  };
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_NOTE) continue;
    if (std::string id = id_at(segment.p_offset, segment.p_filesz); !id.empty()) return id;
  }
  for (const Elf64_Shdr& section : sections_) {
    if (section.sh_type != SHT_NOTE) continue;
    if (std::string id = id_at(section.sh_offset, section.sh_size); !id.empty()) return id;
  }
  return {};
}

/// Labels of assembly have no type; in sections of code they are functions all the same. What begins with `$`
/// marks kinds of code on other processors.
bool ElfFile::is_function(const Elf64_Sym& symbol) const {
  const unsigned type = ELF64_ST_TYPE(symbol.st_info);
  if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) return false;
  if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= sections_.size()) return false;
  return (sections_[symbol.st_shndx].sh_flags & SHF_EXECINSTR) != 0;
}

bool ElfFile::add_functions(std::uint32_t type, ElfSymbols& symbols) const {
  const auto section = std::ranges::find(sections_, type, &Elf64_Shdr::sh_type);
  if (section == sections_.end() || section->sh_entsize != sizeof(Elf64_Sym)) return false;
  if (section->sh_link >= sections_.size()) return false;
  const Elf64_Shdr& names = sections_[section->sh_link];
  if (names.sh_type != SHT_STRTAB) return false;
  auto table = read(section->sh_offset, section->sh_size);
  auto texts = read(names.sh_offset, names.sh_size);
  if (!table || !texts) return false;
  const std::string& kept = symbols.texts.emplace_back(std::move(*texts));
  for (std::size_t i = 0; i < table->size() / sizeof(Elf64_Sym); ++i) {
    const auto entry = entry_of<Elf64_Sym>(*table, i);
    if (!is_function(entry)) continue;
    const std::string_view name = plain_name(text_at(kept, entry.st_name));
    if (name.empty() || name.front() == '$') continue;
    const unsigned binding = ELF64_ST_BIND(entry.st_info);
    const unsigned worth = binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 1 : 2;
    symbols.symbols.push_back({.start = entry.st_value,
                               .size = entry.st_size,
                               .name = name,
                               .binding = static_cast<std::uint8_t>(worth)});
  }
  return true;
}

std::optional<std::string> ElfFile::section(std::string_view name) const {
  for (const Elf64_Shdr& section : sections_) {
    if (section.sh_type == SHT_NOBITS || text_at(section_names_, section.sh_name) != name) continue;
    return read(section.sh_offset, section.sh_size);
  }
  return std::nullopt;
}

}  // namespace laggard::collect
