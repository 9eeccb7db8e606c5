#include "send/position.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/time.h"

namespace laggard::send {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchemaName = "laggard.position/";
constexpr std::string_view kSchema = "laggard.position/1";

tl::unexpected<Error> unreadable(const std::string& where, std::string_view why) {
  return fail(ErrorCode::kBadInput, where,
              fmt::format("{}; move it away to send everything from the beginning, or name another with "
                          "--position",
                          why));
}

/// One stream's entry; false when it is none.
bool read_entry(const Json& entry, std::map<StreamKey, std::int64_t>& into) {
  if (!entry.is_object()) return false;
  const auto host = entry.find("host");
  const auto kind = entry.find("kind");
  const auto ms = entry.find("acknowledged_ms");
  if (host == entry.end() || !host->is_string() || kind == entry.end() || !kind->is_string()) return false;
  if (ms == entry.end() || !ms->is_number_integer()) return false;
  const auto known = device_kind(kind->get_ref<const std::string&>());
  if (!known) return false;
  constexpr std::int64_t kFarthestMs = to_unix_ns(kLatestTime) / 1'000'000;
  const auto acknowledged = ms->get<std::int64_t>();
  if (acknowledged < -kFarthestMs || acknowledged > kFarthestMs) return false;
  into[{host->get<std::string>(), *known}] = acknowledged;
  return true;
}

}  // namespace

std::filesystem::path usual_position(const std::filesystem::path& recording, std::string_view server) {
  std::string name;
  for (const char c :
       server.substr(server.find("://") == std::string_view::npos ? 0 : server.find("://") + 3)) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
    name.push_back(plain ? c : '_');
  }
  std::error_code unknown;
  const bool folder = std::filesystem::is_directory(recording, unknown);
  return (folder ? recording : recording.parent_path()) / ("sent-" + name + ".json");
}

Result<PositionText> parse_positions(std::string_view text, const std::string& where) {
  const Json json = Json::parse(text.begin(), text.end(), nullptr, false);
  if (!json.is_object()) return unreadable(where, "is no position file, or only the beginning of one");
  const auto schema = json.find("schema");
  if (schema == json.end() || !schema->is_string() ||
      !schema->get_ref<const std::string&>().starts_with(kSchemaName)) {
    return unreadable(where, "is no position file");
  }
  if (*schema != kSchema) {
    return fail(ErrorCode::kTooNew, where,
                fmt::format("is a position file of another version of laggard ({})",
                            schema->get_ref<const std::string&>()));
  }
  const auto server = json.find("server");
  const auto streams = json.find("streams");
  if (server == json.end() || !server->is_string() || streams == json.end() || !streams->is_array()) {
    return unreadable(where, "is a damaged position file");
  }
  PositionText out{server->get<std::string>(), {}};
  for (const Json& entry : *streams) {
    if (!read_entry(entry, out.acknowledged)) return unreadable(where, "is a damaged position file");
  }
  return out;
}

Result<Positions> Positions::open(std::filesystem::path path, std::string server) {
  Positions positions(std::move(path), std::move(server));
  std::error_code unknown;
  const auto status = std::filesystem::status(positions.path_, unknown);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return unreadable(positions.path_.string(), "is no file");  // A pipe would be waited for.
  }
  const Result<std::string> text = read_file(positions.path_);
  if (!text) {
    if (text.error().code == ErrorCode::kNotFound) return positions;
    return tl::unexpected<Error>(text.error());
  }
  Result<PositionText> parsed = parse_positions(*text, positions.path_.string());
  if (!parsed) return forward(parsed);
  if (parsed->server != positions.server_) {
    return fail(ErrorCode::kBadUse, positions.path_.string(),
                fmt::format("holds the position for {}, not for {}; name another file with --position",
                            parsed->server, positions.server_));
  }
  positions.acknowledged_ = std::move(parsed->acknowledged);
  return positions;
}

std::optional<std::int64_t> Positions::of(const StreamKey& stream) const {
  const auto found = acknowledged_.find(stream);
  if (found == acknowledged_.end()) return std::nullopt;
  return found->second;
}

void Positions::advance(const StreamKey& stream, std::int64_t ms) {
  const auto [found, added] = acknowledged_.try_emplace(stream, ms);
  if (!added) found->second = std::max(found->second, ms);
}

Status Positions::save() const {
  Json json;
  json["schema"] = kSchema;
  json["server"] = server_;
  json["streams"] = Json::array();
  for (const auto& [stream, ms] : acknowledged_) {
    json["streams"].push_back(
        {{"host", stream.host}, {"kind", to_name(stream.kind)}, {"acknowledged_ms", ms}});
  }
  return write_file(path_, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace laggard::send
