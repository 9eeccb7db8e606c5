#include "collect/samples/xz_memory.h"

#include <archive.h>

#include <memory>
#include <vector>

namespace laggard::collect {

namespace {

struct FreeArchive {
  void operator()(archive* a) const { archive_read_free(a); }
};

}  // namespace

std::optional<std::string> unpack_xz(std::string_view packed, std::size_t most) {
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  const std::unique_ptr<archive, FreeArchive> reader(archive_read_new());
  archive_entry* entry = nullptr;
  if (reader == nullptr || archive_read_support_filter_xz(reader.get()) != ARCHIVE_OK ||
      archive_read_support_format_raw(reader.get()) != ARCHIVE_OK ||
      archive_read_open_memory(reader.get(), packed.data(), packed.size()) != ARCHIVE_OK ||
      archive_read_next_header(reader.get(), &entry) != ARCHIVE_OK) {
    return std::nullopt;
  }
  // The format takes anything for content: what is not packed would come out as it is.
  if (archive_filter_code(reader.get(), 0) != ARCHIVE_FILTER_XZ) return std::nullopt;
  std::string content;
  std::vector<char> piece(kPiece);
  for (;;) {
    const la_ssize_t got = archive_read_data(reader.get(), piece.data(), piece.size());
    if (got == 0) return content;
    if (got < 0 || content.size() + static_cast<std::size_t>(got) > most) return std::nullopt;
    content.append(piece.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace laggard::collect
