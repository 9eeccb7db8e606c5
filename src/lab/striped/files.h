#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "lab/striped/client.h"
#include "lab/striped/message.h"
#include "lab/striped/stripes.h"

namespace laggard::lab::striped {

/// Files on top of the servers, by PVFS's pattern of requests: a name is asked of one server, and a file's
/// size, removal and truncation are asked of all of them. May be used by several threads at a time.
class Files {
 public:
  /// \param strip  bytes
  Files(Client& client, std::uint64_t strip) : client_(client), stripes_{client.servers(), strip} {}

  /// The bytes of a strip on each server.
  [[nodiscard]] std::size_t whole_request() const { return stripes_.servers * stripes_.strip; }

  [[nodiscard]] OrErrno<Entry> look(std::string_view path);
  [[nodiscard]] OrErrno<Entry> make(std::string_view path, Kind kind);
  /// Removes a name, and a file's objects with it. ENOTEMPTY for a folder with something in it.
  [[nodiscard]] OrErrno<void> remove(std::string_view path);
  [[nodiscard]] OrErrno<std::set<std::string>> list(std::string_view folder);

  [[nodiscard]] OrErrno<std::size_t> read(std::uint64_t object, std::uint64_t offset, std::span<char> into);
  /// All or nothing is reported, though some servers may have written their part when another fails.
  [[nodiscard]] OrErrno<void> write(std::uint64_t object, std::uint64_t offset, std::span<const char> bytes);
  [[nodiscard]] OrErrno<std::uint64_t> size(std::uint64_t object);
  [[nodiscard]] OrErrno<void> truncate(std::uint64_t object, std::uint64_t size);
  [[nodiscard]] OrErrno<void> sync(std::uint64_t object);

 private:
  /// To all servers that have a part of the object.
  [[nodiscard]] std::vector<Exchange> to_all(Operation operation, std::uint64_t object) const;
  [[nodiscard]] OrErrno<Entry> ask_name(Operation operation, std::string_view path, std::uint64_t kind);
  [[nodiscard]] OrErrno<void> run(std::span<Exchange> exchanges);

  Client& client_;
  Stripes stripes_;
};

}  // namespace laggard::lab::striped
