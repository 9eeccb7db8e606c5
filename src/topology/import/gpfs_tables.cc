#include "topology/import/gpfs_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "base/text.h"

namespace laggard::topology {

namespace {

using Words = std::vector<std::string_view>;

Words words_of(std::string_view text) {
  Words words;
  for (std::string_view word = take_word(text); !word.empty(); word = take_word(text)) words.push_back(word);
  return words;
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::vector<std::string> server_list(std::string_view text) {
  std::vector<std::string> servers;
  for (const std::string_view server : split(text, ',')) {
    if (!trim(server).empty()) servers.emplace_back(trim(server));
  }
  return servers;
}

/// `/dev/mapper/mpatha` -> `mpatha`, `/dev/dm-3` -> `dm-3`; a dash is no device.
std::string device_name(std::string_view text) {
  if (text == "-") return "";
  return std::string(text.substr(text.rfind('/') + 1));
}

/// Which table the lines after a heading belong to.
enum class Table : std::uint8_t {
  kNone,
  kNsd,
  kNsdLong,
  kNsdPairs,
  kDevices,
  kDevicesTyped,
  kDisk,
  kCluster
};

class GpfsReader {
 public:
  Status read(const SavedText& file);
  [[nodiscard]] GpfsTables take() { return std::move(tables_); }

 private:
  bool start_table(std::string_view line);
  Status row(const SavedLines& lines, const SavedLine& line);
  Status nsd_row(const SavedLines& lines, const SavedLine& line, const Words& words);
  Status device_row(const SavedLines& lines, const SavedLine& line, const Words& words);
  Status disk_row(const SavedLines& lines, const SavedLine& line, const Words& words);
  Status cluster_row(const SavedLines& lines, const SavedLine& line, const Words& words);
  Status encoded_row(const SavedLines& lines, const SavedLine& line);
  Status encoded_nsd(const std::map<std::string, std::string>& row, const std::string& place);
  void take_cluster_name(std::string_view line);

  GpfsTables tables_;
  Table table_ = Table::kNone;
  bool rows_seen_ = false;
  bool with_disk_id_ = false;
  bool found_ = false;                                        ///< A table of any kind in this file.
  std::map<std::string, std::vector<std::string>> headings_;  ///< Of -Y, by `command:section`.
};

/// Recognises the line above the dashes. Two spellings of one heading differ in blanks only.
bool GpfsReader::start_table(std::string_view line) {
  const Words words = words_of(line);
  const std::string joined = fmt::format("{}", fmt::join(words, " "));
  Table table = Table::kNone;
  if (joined.starts_with("File system Disk name")) {
    table = has(joined, "Primary node") ? Table::kNsdPairs : Table::kNsd;
    if (has(joined, "NSD volume ID")) table = Table::kNsdLong;
  } else if (joined.starts_with("Disk name NSD volume ID")) {
    table = has(joined, "Devtype") ? Table::kDevicesTyped : Table::kDevices;
  } else if (joined.starts_with("name type size group metadata data status availability")) {
    table = Table::kDisk;
    with_disk_id_ = has(joined, "disk id");
  } else if (joined.starts_with("Node Daemon node name")) {
    table = Table::kCluster;
  }
  if (table == Table::kNone) return false;
  table_ = table;
  rows_seen_ = false;
  found_ = true;
  return true;
}

Status GpfsReader::nsd_row(const SavedLines& lines, const SavedLine& line, const Words& words) {
  GpfsTables::Nsd nsd;
  nsd.place = lines.place(line);
  std::size_t at = 0;
  // `(free disk)` stands for the file system; `(directly attached)` for the servers.
  if (words.front().starts_with('(')) {
    while (at < words.size() && !words[at].ends_with(')')) ++at;
    ++at;
  } else {
    nsd.filesystem = words.front();
    at = 1;
  }
  if (at >= words.size()) {
    return lines.bad(line, "a row of mmlsnsd has a file system, a disk name and servers");
  }
  nsd.name = words[at++];
  if (table_ == Table::kNsdLong && at < words.size()) ++at;
  for (; at < words.size() && !words[at].starts_with('('); ++at) {
    const std::vector<std::string> some = server_list(words[at]);
    nsd.servers.insert(nsd.servers.end(), some.begin(), some.end());
    // Only the old form has two columns; later ones have no blanks inside a list.
    if (table_ != Table::kNsdPairs) break;
  }
  tables_.nsds.push_back(std::move(nsd));
  return {};
}

Status GpfsReader::device_row(const SavedLines& lines, const SavedLine& line, const Words& words) {
  const std::size_t node = table_ == Table::kDevicesTyped ? 4 : 3;
  if (words.size() <= node) {
    return lines.bad(line, "a row of mmlsnsd -m or -X has a disk name, an id, a device and a node name");
  }
  GpfsTables::Device device;
  device.place = lines.place(line);
  device.nsd = words[0];
  device.device = device_name(words[2]);
  device.node = words[node];
  device.server = has(line.text, "server node");
  if (has(line.text, "not found")) device.device.clear();
  tables_.devices.push_back(std::move(device));
  return {};
}

Status GpfsReader::disk_row(const SavedLines& lines, const SavedLine& line, const Words& words) {
  constexpr std::array<std::string_view, 4> kAvailabilities{"up", "down", "recovering", "unrecovered"};
  constexpr std::size_t kStatus = 6;
  const auto first_status = words.begin() + static_cast<std::ptrdiff_t>(std::min(kStatus, words.size()));
  const auto availability =
      std::find_first_of(first_status, words.end(), kAvailabilities.begin(), kAvailabilities.end());
  if (availability == words.end() || availability == first_status) {
    return lines.bad(line,
                     "a row of mmlsdisk has a name, type, sector size, failure group, two times yes or no, "
                     "status and availability");
  }
  GpfsTables::Disk disk;
  disk.nsd = words[0];
  disk.failure_group = words[3];
  disk.metadata = words[4] != "no";
  disk.data = words[5] != "no";
  // The status can be several words: `to be emptied`.
  disk.status = fmt::format("{}", fmt::join(first_status, availability, " "));
  disk.availability = *availability;
  auto pool = availability + 1;
  if (with_disk_id_ && pool != words.end()) ++pool;
  if (pool != words.end()) disk.pool = *pool;
  tables_.disks.push_back(std::move(disk));
  return {};
}

Status GpfsReader::cluster_row(const SavedLines& lines, const SavedLine& line, const Words& words) {
  if (words.size() < 4 || !to_number<std::uint32_t>(words[0])) {
    return lines.bad(
        line, "a row of mmlscluster has a number, a daemon node name, an address and an admin node name");
  }
  tables_.nodes.push_back(
      {std::string(words[1]), std::string(words[2]), std::string(words[3]), lines.place(line)});
  return {};
}

Status GpfsReader::row(const SavedLines& lines, const SavedLine& line) {
  const Words words = words_of(line.text);
  if (words.empty()) {
    if (rows_seen_) table_ = Table::kNone;
    return {};
  }
  // The line below the heading, in one piece or one for each column.
  if (words.front().find_first_not_of('-') == std::string_view::npos && words.front().size() > 1) return {};
  rows_seen_ = true;
  switch (table_) {
    case Table::kNone:
      return {};
    case Table::kNsd:
    case Table::kNsdLong:
    case Table::kNsdPairs:
      return nsd_row(lines, line, words);
    case Table::kDevices:
    case Table::kDevicesTyped:
      return device_row(lines, line, words);
    case Table::kDisk:
      // Remarks below the table: `Number of quorum disks: 3`.
      if (words.front() == "Number" || words.front() == "Read" || words.front() == "Write") return {};
      return disk_row(lines, line, words);
    case Table::kCluster:
      return cluster_row(lines, line, words);
  }
  return {};
}

/// -Y writes what would break its columns as %XX.
std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    if (text[i] == '%' && i + 2 < text.size()) {
      const auto [end, error] = std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16);
      if (error == std::errc{} && end == text.data() + i + 3) {
        out += static_cast<char>(value);
        i += 2;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

Status GpfsReader::encoded_nsd(const std::map<std::string, std::string>& row, const std::string& place) {
  const auto cell = [&](const char* key) {
    const auto found = row.find(key);
    return found == row.end() ? std::string() : found->second;
  };
  if (cell("diskName").empty())
    return fail(ErrorCode::kBadInput, place, "this row of mmlsnsd -Y has no diskName");
  const std::string remarks = cell("remarks");
  // With -m and -X a row is one node's view, and its serverList is the node.
  if (row.contains("localDiskName")) {
    const bool found = !has(remarks, "not found") && !cell("localDiskName").empty();
    tables_.devices.push_back({.nsd = cell("diskName"),
                               .node = cell("serverList"),
                               .device = found ? device_name(cell("localDiskName")) : std::string(),
                               .server = has(remarks, "server node"),
                               .place = place});
    return {};
  }
  std::string filesystem = cell("fileSystem");
  if (filesystem.starts_with('(')) filesystem.clear();
  std::vector<std::string> servers = server_list(cell("serverList"));
  std::erase_if(servers, [](const std::string& server) { return server.starts_with('('); });
  tables_.nsds.push_back({cell("diskName"), std::move(filesystem), std::move(servers), place});
  return {};
}

Status GpfsReader::encoded_row(const SavedLines& lines, const SavedLine& line) {
  std::vector<std::string> cells;
  for (const std::string_view cell : split(line.text, ':')) cells.push_back(decoded(cell));
  constexpr std::size_t kFirstCells = 6;
  if (cells.size() < kFirstCells) return lines.bad(line, "this row is cut off: it has less than six columns");
  found_ = true;
  const std::string key = cells[0] + ":" + cells[1];
  if (cells[2] == "HEADER") {
    headings_[key] = std::move(cells);
    return {};
  }
  const auto heading = headings_.find(key);
  if (heading == headings_.end()) return lines.bad(line, "the HEADER line of these rows is missing");
  std::map<std::string, std::string> row;
  for (std::size_t c = 0; c < std::min(cells.size(), heading->second.size()); ++c) {
    if (!heading->second[c].empty()) row.emplace(heading->second[c], cells[c]);
  }
  const auto cell = [&](const char* name) { return row.contains(name) ? row.at(name) : std::string(); };
  if (cells[0] == "mmlsnsd") return encoded_nsd(row, lines.place(line));
  if (cells[0] == "mmlsdisk" && !cell("nsdName").empty()) {
    const auto yes = [](std::string_view text) { return text != "No" && text != "no"; };
    tables_.disks.push_back({cell("nsdName"), cell("failureGroup"), yes(cell("metadata")), yes(cell("data")),
                             cell("status"), cell("availability"), cell("storagePool")});
  } else if (cells[0] == "mmlscluster" && cells[1] == "clusterNode") {
    tables_.nodes.push_back(
        {cell("daemonNodeName"), cell("ipAddress"), cell("adminNodeName"), lines.place(line)});
  } else if (cells[0] == "mmlscluster" && !cell("clusterName").empty()) {
    tables_.cluster = cell("clusterName");
  }
  return {};
}

void GpfsReader::take_cluster_name(std::string_view line) {
  constexpr std::string_view kKey = "GPFS cluster name:";
  const std::size_t at = line.find(kKey);
  if (at == std::string_view::npos) return;
  tables_.cluster = trim(line.substr(at + kKey.size()));
  found_ = true;
}

Status GpfsReader::read(const SavedText& file) {
  SavedLines lines(file);
  table_ = Table::kNone;
  found_ = false;
  headings_.clear();
  while (const auto line = lines.next()) {
    const std::string_view text = line->text;
    Status taken;
    if (text.starts_with("mmlsnsd:") || text.starts_with("mmlsdisk:") || text.starts_with("mmlscluster:")) {
      taken = encoded_row(lines, *line);
    } else if (!start_table(text)) {
      if (table_ == Table::kNone) take_cluster_name(text);
      if (table_ != Table::kNone) taken = row(lines, *line);
    }
    if (!taken) return taken;
  }
  if (found_) return {};
  return fail(
      ErrorCode::kBadInput, file.path,
      "holds no output of mmlsnsd, mmlsdisk or mmlscluster, as far as the headings of their columns tell");
}

}  // namespace

Result<GpfsTables> read_gpfs_tables(std::span<const SavedText> files) {
  GpfsReader reader;
  for (const SavedText& file : files) {
    if (Status read = reader.read(file); !read) return forward(read);
  }
  return reader.take();
}

}  // namespace laggard::topology
