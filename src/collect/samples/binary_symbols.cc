#include "collect/samples/binary_symbols.h"

#include <fcntl.h>
#include <sys/auxv.h>

#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "collect/samples/process_maps.h"
#include "collect/samples/xz_memory.h"

namespace laggard::collect {

namespace {

/// From the file that has the debug information of a binary; \return whether it has symbols.
bool add_separate(const std::filesystem::path& root, const std::string& build_id, ElfSymbols& symbols) {
  constexpr std::size_t kFolderDigits = 2;
  if (build_id.size() <= kFolderDigits) return false;
  const std::filesystem::path path = root / "usr/lib/debug/.build-id" / build_id.substr(0, kFolderDigits) /
                                     (build_id.substr(kFolderDigits) + ".debug");
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) return false;
  auto bytes = ElfBytes::of_file(file.get(), path.string());
  if (!bytes) return false;
  const auto elf = ElfFile::open(std::move(*bytes), path.string());
  return elf && elf->build_id() == build_id && elf->add_functions(SHT_SYMTAB, symbols);
}

/// From the packed ELF file that distributions of Red Hat's family put into stripped binaries.
void add_packed(const ElfFile& file, ElfSymbols& symbols) {
  constexpr std::size_t kMostUnpacked = std::size_t{64} << 20;
  const auto packed = file.section(".gnu_debugdata");
  if (!packed) return;
  const auto unpacked = unpack_xz(*packed, kMostUnpacked);
  if (!unpacked) return;
  const auto inner = ElfFile::open(ElfBytes::of_memory(*unpacked), ".gnu_debugdata");
  if (inner) static_cast<void>(inner->add_functions(SHT_SYMTAB, symbols));
}

}  // namespace

Result<BinarySymbols> BinarySymbols::load(ElfBytes bytes, const std::filesystem::path& root,
                                          const std::string& where) {
  auto file = ElfFile::open(std::move(bytes), where);
  if (!file) return forward(file);
  ElfSymbols symbols;
  const bool has_all = file->add_functions(SHT_SYMTAB, symbols);
  static_cast<void>(file->add_functions(SHT_DYNSYM, symbols));
  if (!has_all && !add_separate(root, file->build_id(), symbols)) add_packed(*file, symbols);
  BinarySymbols binary;
  binary.segments_.assign(file->segments().begin(), file->segments().end());
  binary.table_ = SymbolTable(std::move(symbols.symbols));
  return binary;
}

std::optional<NearestSymbol> BinarySymbols::find(std::uint64_t offset) const {
  const auto address = address_of(segments_, offset);
  return address ? table_.find(*address) : std::nullopt;
}

BinarySymbols vdso_symbols() {
  // The kernel tells where it is, and the map how large it is.
  const std::uint64_t start = ::getauxval(AT_SYSINFO_EHDR);
  const auto text = read_file("/proc/self/maps");
  if (start == 0 || !text) return {};
  const ProcessMaps maps = ProcessMaps::parse(*text);
  const Mapping* mapping = maps.find(start);
  if (mapping == nullptr) return {};
  const char* memory = reinterpret_cast<const char*>(start);  // NOLINT(performance-no-int-to-ptr)
  auto symbols =
      BinarySymbols::load(ElfBytes::of_memory({memory, mapping->end - mapping->start}), {}, "[vdso]");
  return symbols ? std::move(*symbols) : BinarySymbols();
}

}  // namespace laggard::collect
