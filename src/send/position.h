#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "send/window.h"

namespace laggard::send {

/// Where a recording's positions for a server are kept unless something else was said: in the recording's
/// folder, beside `metrics`, under a name of the server.
[[nodiscard]] std::filesystem::path usual_position(const std::filesystem::path& recording,
                                                   std::string_view server);

/// How far each stream has been acknowledged by one server: a file that is written anew after each
/// acknowledged batch, so that whoever is killed sends at most one batch again.
class Positions {
 public:
  /// Without the file: from the beginning. kBadInput when it is something else, torn, or of another server;
  /// kTooNew.
  [[nodiscard]] static Result<Positions> open(std::filesystem::path path, std::string server);

  /// The last acknowledged millisecond of a stream.
  [[nodiscard]] std::optional<std::int64_t> of(const StreamKey& stream) const;
  /// Only forward; a time before the present one changes nothing.
  void advance(const StreamKey& stream, std::int64_t ms);
  [[nodiscard]] Status save() const;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  Positions(std::filesystem::path path, std::string server)
      : path_(std::move(path)), server_(std::move(server)) {}

  std::filesystem::path path_;
  std::string server_;
  std::map<StreamKey, std::int64_t> acknowledged_;
};

/// The text of a position file. \param where  names it in errors.
struct PositionText {
  std::string server;
  std::map<StreamKey, std::int64_t> acknowledged;
};
[[nodiscard]] Result<PositionText> parse_positions(std::string_view text, const std::string& where);

}  // namespace laggard::send
