#include "collect/pings/gluster_graph.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <system_error>

#include "base/file.h"
#include "base/text.h"

namespace laggard::collect {

namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 16;  ///< Translators above each other; a volume has five to ten.

/// `.meta/graphs/active`, which the root of a mount has and no listing shows.
std::optional<fs::path> find_graph(fs::path directory) {
  std::error_code error;
  for (;; directory = directory.parent_path()) {
    fs::path graph = directory / ".meta/graphs/active";
    if (fs::is_directory(graph, error)) return graph;
    if (directory == directory.parent_path()) return std::nullopt;
  }
}

std::string word_of(const fs::path& file) {
  const auto text = read_file(file);
  return text ? std::string(trim(*text)) : "";
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    names.push_back(it->path().filename().string());
  std::ranges::sort(names, natural_less);
  return names;
}

/// Those below a translator: links `0`, `1`, … to the folders of others.
std::vector<std::string> subvolumes_of(const fs::path& graph, const std::string& translator) {
  std::vector<std::string> names;
  const fs::path folder = graph / translator / "subvolumes";
  for (const std::string& number : names_in(folder)) {
    std::error_code error;
    names.push_back(fs::read_symlink(folder / number, error).filename().string());
  }
  return names;
}

void add_bricks(const fs::path& graph, const std::string& translator, int depth,
                std::vector<GlusterBrick>& bricks) {
  if (depth > kDeepest || translator.empty()) return;
  if (word_of(graph / translator / "type") == "protocol/client") {
    const fs::path options = graph / translator / "options";
    bricks.push_back({word_of(options / "remote-host"), word_of(options / "remote-subvolume")});
    return;
  }
  for (const std::string& below : subvolumes_of(graph, translator))
    add_bricks(graph, below, depth + 1, bricks);
}

}  // namespace

bool GlusterSubvolume::is_called(std::string_view place) const {
  return place == name || (bricks.size() == 1 && place == bricks[0].host + ":" + bricks[0].path);
}

Result<std::vector<GlusterSubvolume>> read_gluster_graph(const fs::path& directory) {
  const auto graph = find_graph(directory);
  if (!graph)
    return fail(ErrorCode::kUnavailable, directory.string(), "is not on a mounted volume of GlusterFS");
  std::vector<std::string> distributing;
  for (const std::string& name : names_in(*graph)) {
    if (word_of(*graph / name / "type") == "cluster/distribute") distributing.push_back(name);
  }
  std::vector<GlusterSubvolume> subvolumes;
  if (distributing.size() == 1) {
    for (const std::string& name : subvolumes_of(*graph, distributing[0])) {
      subvolumes.push_back({name, {}});
      add_bricks(*graph, name, 0, subvolumes.back().bricks);
    }
  }
  if (subvolumes.empty() || std::ranges::any_of(subvolumes, [](const auto& s) { return s.bricks.empty(); })) {
    return fail(ErrorCode::kUnavailable, directory.string(),
                "the volume there does not distribute its files among bricks in a way that is known");
  }
  return subvolumes;
}

}  // namespace laggard::collect
