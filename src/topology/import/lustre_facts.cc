#include "topology/import/lustre_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace laggard::topology {

namespace {

/// `tail` of "head=tail"; the whole is a parameter's name and its value.
struct Parameter {
  std::string_view name;
  std::string_view value;
};

/// A parameter's name is words with dots between, without blanks.
std::optional<Parameter> parameter(std::string_view line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos || equals == 0) return std::nullopt;
  const std::string_view name = line.substr(0, equals);
  if (name.find('.') == std::string_view::npos || name.find_first_of(" \t") != std::string_view::npos) {
    return std::nullopt;
  }
  return Parameter{name, trim(line.substr(equals + 1))};
}

bool is_nid(std::string_view text) {
  const std::size_t at = text.find('@');
  return at != std::string_view::npos && at > 0 && at + 1 < text.size() &&
         text.find_first_of(" \t:=[]", at) == std::string_view::npos;
}

/// The target that a connection such as `scratch-OST0000-osc-MDT0000` leads to.
std::string_view connection_target(std::string_view name) {
  for (const std::string_view kind : {"-osc", "-mdc", "-osp"}) {
    const std::size_t at = name.find(kind);
    if (at != std::string_view::npos && lustre_target(name.substr(0, at))) return name.substr(0, at);
  }
  return {};
}

std::string_view without_uuid(std::string_view text) {
  constexpr std::string_view kSuffix = "_UUID";
  if (text.ends_with(kSuffix)) text.remove_suffix(kSuffix.size());
  return text;
}

/// `HOST: ` at the beginning of a line, as pdsh puts it. Not `import:`, not `0: scratch-OST0000_UUID`.
std::string_view pdsh_host(std::string_view line) {
  const std::size_t colon = line.find(": ");
  if (colon == std::string_view::npos || colon == 0) return {};
  const std::string_view host = line.substr(0, colon);
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  if (host.find_first_not_of(kLetters) != std::string_view::npos) return {};
  return host.find_first_not_of("0123456789") == std::string_view::npos ? std::string_view{} : host;
}

/// Whether a whole text has been through pdsh.
bool is_from_pdsh(const SavedText& file) {
  SavedLines lines(file);
  bool any = false;
  while (const auto line = lines.next()) {
    if (trim(line->text).empty()) continue;
    const std::size_t colon = line->text.find(':');
    // pdsh prints nothing after the colon of an empty line.
    const bool bare = colon + 1 == line->text.size() && any;
    if (pdsh_host(line->text).empty() && !bare) return false;
    any = true;
  }
  return any;
}

/// Whether a parameter is a list of devices or targets, not the value of one name.
bool is_list(std::string_view param) { return param.ends_with("devices") || param.ends_with("target_obd"); }

class LustreReader {
 public:
  Status read(const SavedText& file);
  [[nodiscard]] LustreFacts take() { return std::move(facts_); }

 private:
  void line(std::string_view text);
  bool device_line(std::string_view text);
  bool target_line(std::string_view text);
  void parameter_line(const Parameter& parameter);
  bool import_line(std::string_view text);
  LustreFacts::Target& target(std::string_view name);
  void mounted(std::string_view name);

  LustreFacts facts_;
  std::string host_;
  std::string place_;
  std::string importing_;  ///< The target of the import block that the lines are in.
  bool found_ = false;
};

LustreFacts::Target& LustreReader::target(std::string_view name) {
  found_ = true;
  LustreFacts::Target& target = facts_.targets[std::string(name)];
  if (target.place.empty()) target.place = place_;
  return target;
}

void LustreReader::mounted(std::string_view name) {
  LustreFacts::Target& here = target(name);
  if (!host_.empty()) here.mounted_on.insert(host_);
}

/// `  3 UP obdfilter scratch-OST0000 scratch-OST0000_UUID 5`, with -t a NID behind it.
bool LustreReader::device_line(std::string_view text) {
  constexpr std::array<std::string_view, 4> kServing{"obdfilter", "ofd", "mdt", "mds"};
  if (!to_number<std::uint32_t>(take_word(text))) return false;
  const std::string_view state = take_word(text);
  const std::string_view type = take_word(text);
  const std::string_view name = take_word(text);
  if (name.empty() || take_word(text).empty() || !to_number<std::uint32_t>(take_word(text))) return false;
  found_ = true;
  if (std::find(kServing.begin(), kServing.end(), type) != kServing.end() && lustre_target(name)) {
    mounted(name);
    if (state != "UP") target(name).trouble = state;
  }
  const std::string_view nid = take_word(text);
  const std::string_view remote = connection_target(name);
  if (!remote.empty() && is_nid(nid)) target(remote).connected_to.emplace(nid);
  return true;
}

/// `0: scratch-OST0000_UUID ACTIVE`.
bool LustreReader::target_line(std::string_view text) {
  const std::size_t colon = text.find(": ");
  if (colon == std::string_view::npos || !to_number<std::uint32_t>(trim(text.substr(0, colon)))) return false;
  text.remove_prefix(colon + 2);
  const std::string_view name = without_uuid(take_word(text));
  if (!lustre_target(name)) return false;
  const std::string_view state = take_word(text);
  LustreFacts::Target& seen = target(name);
  if (!state.empty() && state != "ACTIVE") seen.trouble = state;
  return true;
}

void LustreReader::parameter_line(const Parameter& parameter) {
  const std::vector<std::string_view> parts = split(parameter.name, '.');
  importing_.clear();
  if (parts.size() < 3) return;
  found_ = true;
  const std::string_view kind = parts[0];
  const std::string_view name = parts[1];
  const std::string_view last = parts.back();
  if ((kind == "obdfilter" || kind == "mdt") && lustre_target(name)) mounted(name);
  if (kind.starts_with("osd-") && lustre_target(name)) {
    mounted(name);
    if (last == "mntdev" && !host_.empty()) target(name).devices[host_] = parameter.value;
  }
  const std::string_view remote = connection_target(name);
  if (remote.empty()) return;
  if (last == "import") importing_ = remote;
  if (last.ends_with("_conn_uuid") && is_nid(parameter.value)) {
    target(remote).connected_to.emplace(parameter.value);
  }
}

/// Lines of `lctl get_param osc.*.import`.
bool LustreReader::import_line(std::string_view text) {
  text = trim(text);
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view key = text.substr(0, colon);
  std::string value(trim(text.substr(colon + 1)));
  std::erase_if(value, [](char c) { return c == '"' || c == '[' || c == ']'; });
  if (key == "target") {
    const std::string_view name = without_uuid(trim(value));
    importing_ = lustre_target(name) ? name : std::string_view{};
    return !importing_.empty();
  }
  if (importing_.empty()) return false;
  if (key == "current_connection" && is_nid(trim(value))) {
    target(importing_).connected_to.emplace(trim(value));
    return true;
  }
  if (key != "failover_nids") return false;
  std::vector<std::string> nids;
  for (const std::string_view nid : split(value, ',')) {
    if (is_nid(trim(nid))) nids.emplace_back(trim(nid));
  }
  // Clients know different amounts; the longest list is the most complete.
  LustreFacts::Target& served = target(importing_);
  if (nids.size() > served.nids.size()) served.nids = std::move(nids);
  return true;
}

void LustreReader::line(std::string_view text) {
  const std::string_view bare = trim(text);
  if (bare.empty()) return;
  if (bare.find_first_of(" \t") == std::string_view::npos && is_nid(bare) && !parameter(bare)) {
    if (!host_.empty() && !bare.ends_with("@lo")) facts_.nids[host_].emplace(bare);
    found_ = true;
    return;
  }
  if (const auto named = parameter(bare)) {
    parameter_line(*named);
    return;
  }
  if (import_line(bare) || target_line(bare)) return;
  device_line(bare);
}

Status LustreReader::read(const SavedText& file) {
  const bool pdsh = file.param.empty() && is_from_pdsh(file);
  SavedLines lines(file);
  found_ = false;
  host_ = file.host;
  importing_.clear();
  bool first = true;
  while (const auto saved = lines.next()) {
    place_ = lines.place(*saved);
    std::string_view text = saved->text;
    if (pdsh) {
      const std::size_t colon = text.find(':');
      if (colon == std::string_view::npos) continue;
      host_ = text.substr(0, colon);
      text.remove_prefix(colon + 1);
    }
    if (!host_.empty()) facts_.hosts.insert(host_);
    std::string whole;
    if (first && !file.param.empty() && !is_list(file.param)) {
      whole = fmt::format("{}={}", file.param, text);
      text = whole;
    }
    first = false;
    line(text);
  }
  if (found_ || !file.param.empty()) return {};
  return fail(ErrorCode::kBadInput, file.path,
              "holds no output of lctl dl, lctl list_nids, lctl get_param, lfs osts or lfs mdts");
}

}  // namespace

std::optional<LustreTarget> lustre_target(std::string_view name) {
  constexpr std::size_t kIndexDigits = 4;
  for (const std::string_view kind : {"-OST", "-MDT"}) {
    const std::size_t at = name.rfind(kind);
    if (at == std::string_view::npos || at == 0) continue;
    const std::string_view index = name.substr(at + kind.size());
    const bool hexadecimal = index.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
    if (index.size() == kIndexDigits && hexadecimal) return LustreTarget{name.substr(0, at), kind == "-MDT"};
  }
  return std::nullopt;
}

Result<LustreFacts> read_lustre_facts(std::span<const SavedText> files) {
  LustreReader reader;
  for (const SavedText& file : files) {
    if (Status read = reader.read(file); !read) return forward(read);
  }
  return reader.take();
}

}  // namespace laggard::topology
