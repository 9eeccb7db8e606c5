#include "lab/striped/files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace laggard::lab::striped {

namespace {

Header request(Operation operation, std::uint64_t object) {
  Header header;
  header.code = static_cast<std::uint32_t>(operation);
  header.object = object;
  return header;
}

std::span<const char> bytes_of(std::string_view text) { return {text.data(), text.size()}; }

/// The pieces of one server, in order: in its object they follow each other without a gap.
struct ServerRange {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::vector<Stripes::Piece> pieces;
};

std::vector<ServerRange> by_server(const Stripes& stripes, std::uint64_t object, std::uint64_t offset,
                                   std::uint64_t length) {
  std::vector<ServerRange> ranges(stripes.servers);
  for (const Stripes::Piece& piece : stripes.pieces(object, offset, length)) {
    ServerRange& range = ranges[piece.server];
    if (range.pieces.empty()) range.offset = piece.offset;
    range.length += piece.length;
    range.pieces.push_back(piece);
  }
  return ranges;
}

}  // namespace

std::vector<Exchange> Files::to_all(Operation operation, std::uint64_t object) const {
  const auto only = pinned_to(object);
  std::vector<Exchange> exchanges(only ? 1 : stripes_.servers);
  for (std::size_t i = 0; i < exchanges.size(); ++i) {
    exchanges[i].server = only.value_or(i);
    exchanges[i].request = request(operation, object);
  }
  return exchanges;
}

/// \return the first error by the order of the requests
OrErrno<void> Files::run(std::span<Exchange> exchanges) {
  client_.exchange(exchanges);
  for (const Exchange& exchange : exchanges) {
    if (exchange.answer.code != 0) return tl::unexpected(static_cast<int>(exchange.answer.code));
  }
  return {};
}

OrErrno<Entry> Files::ask_name(Operation operation, std::string_view path, std::uint64_t kind) {
  Exchange exchange;
  exchange.server = server_of_path(path, stripes_.servers);
  exchange.request = request(operation, 0);
  exchange.request.length = kind;
  exchange.body = bytes_of(path);
  if (const auto done = run({&exchange, 1}); !done) return tl::unexpected(done.error());
  return Entry{kind_of(exchange.answer.length), exchange.answer.object};
}

OrErrno<Entry> Files::look(std::string_view path) {
  if (path == "/") return Entry{Kind::kFolder, 0};
  return ask_name(Operation::kLook, path, 0);
}

OrErrno<Entry> Files::make(std::string_view path, Kind kind) {
  return ask_name(Operation::kMake, path, static_cast<std::uint64_t>(kind));
}

OrErrno<void> Files::remove(std::string_view path) {
  const auto entry = look(path);
  if (!entry) return tl::unexpected(entry.error());
  if (entry->kind == Kind::kFolder) {
    const auto inside = list(path);
    if (!inside) return tl::unexpected(inside.error());
    if (!inside->empty()) return tl::unexpected(ENOTEMPTY);
  }
  if (const auto dropped = ask_name(Operation::kDrop, path, 0); !dropped)
    return tl::unexpected(dropped.error());
  if (entry->kind == Kind::kFolder) return {};
  auto erase = to_all(Operation::kErase, entry->object);
  return run(erase);
}

OrErrno<std::set<std::string>> Files::list(std::string_view folder) {
  auto exchanges = to_all(Operation::kList, 0);
  for (Exchange& exchange : exchanges) exchange.body = bytes_of(folder);
  if (const auto done = run(exchanges); !done) return tl::unexpected(done.error());
  std::set<std::string> names;
  for (const Exchange& exchange : exchanges) {
    std::string_view rest = exchange.answer_body;
    while (!rest.empty()) {
      const std::string_view name = rest.substr(0, rest.find('\0'));
      names.emplace(name);
      rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    }
  }
  return names;
}

OrErrno<std::size_t> Files::read(std::uint64_t object, std::uint64_t offset, std::span<char> into) {
  const auto ranges = by_server(stripes_, object, offset, into.size());
  std::vector<Exchange> exchanges;
  for (std::size_t server = 0; server < ranges.size(); ++server) {
    if (ranges[server].length == 0) continue;
    Exchange exchange;
    exchange.server = server;
    exchange.request = request(Operation::kRead, object);
    exchange.request.offset = ranges[server].offset;
    exchange.request.length = ranges[server].length;
    exchanges.push_back(std::move(exchange));
  }
  if (const auto done = run(exchanges); !done) return tl::unexpected(done.error());
  std::memset(into.data(), 0, into.size());
  bool whole = true;
  for (const Exchange& exchange : exchanges) {
    std::string_view rest = exchange.answer_body;
    whole = whole && rest.size() == exchange.request.length;
    for (const Stripes::Piece& piece : ranges[exchange.server].pieces) {
      const std::string_view part = rest.substr(0, piece.length);
      std::copy(part.begin(), part.end(), into.data() + piece.within);
      rest.remove_prefix(part.size());
    }
  }
  if (whole) return into.size();
  // The end of the file, or a hole.
  const auto end = size(object);
  if (!end) return tl::unexpected(end.error());
  return *end <= offset ? 0 : std::min<std::uint64_t>(*end - offset, into.size());
}

OrErrno<void> Files::write(std::uint64_t object, std::uint64_t offset, std::span<const char> bytes) {
  const auto ranges = by_server(stripes_, object, offset, bytes.size());
  std::vector<std::vector<char>> bodies(ranges.size());
  std::vector<Exchange> exchanges;
  for (std::size_t server = 0; server < ranges.size(); ++server) {
    const ServerRange& range = ranges[server];
    if (range.length == 0) continue;
    Exchange exchange;
    exchange.server = server;
    exchange.request = request(Operation::kWrite, object);
    exchange.request.offset = range.offset;
    if (range.pieces.size() == 1) {
      exchange.body = bytes.subspan(range.pieces[0].within, range.pieces[0].length);
    } else {
      for (const Stripes::Piece& piece : range.pieces) {
        const auto part = bytes.subspan(piece.within, piece.length);
        bodies[server].insert(bodies[server].end(), part.begin(), part.end());
      }
      exchange.body = bodies[server];
    }
    exchanges.push_back(std::move(exchange));
  }
  return run(exchanges);
}

OrErrno<std::uint64_t> Files::size(std::uint64_t object) {
  auto exchanges = to_all(Operation::kSize, object);
  if (const auto done = run(exchanges); !done) return tl::unexpected(done.error());
  std::vector<std::uint64_t> sizes(stripes_.servers, 0);
  for (const Exchange& exchange : exchanges) sizes[exchange.server] = exchange.answer.length;
  return stripes_.file_size(object, sizes);
}

OrErrno<void> Files::truncate(std::uint64_t object, std::uint64_t size) {
  auto exchanges = to_all(Operation::kTruncate, object);
  for (Exchange& exchange : exchanges) {
    exchange.request.length = stripes_.object_size(object, exchange.server, size);
  }
  return run(exchanges);
}

OrErrno<void> Files::sync(std::uint64_t object) {
  auto exchanges = to_all(Operation::kSync, object);
  return run(exchanges);
}

}  // namespace laggard::lab::striped
