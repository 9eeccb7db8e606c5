#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "cmd/commands.h"
#include "cmd/system_command.h"
#include "topology/import/import.h"
#include "topology/import/saved_text.h"
#include "topology/sketch.h"

namespace laggard::cmd {

namespace {

using Importer = Result<topology::SystemSketch> (*)(std::span<const topology::SavedText>,
                                                    const topology::SiteMap&);

/// A file system whose tools can be read.
struct Source {
  const char* name;
  const char* help;
  const char* example;
  Importer import;
  /// Each file is one machine's and named after it unless `HOST=` says otherwise; folders are taken too.
  bool by_host = false;
};

constexpr Source kSources[] = {
    {"gpfs", "GPFS (Spectrum Scale): mmlsnsd, mmlscluster, mmlsdisk",
     "Example: mmlsnsd -L >nsd; mmlsnsd -X >dev; mmlscluster >nodes\n"
     "         laggard system import gpfs nsd dev nodes --map site.toml -o system.toml",
     topology::import_gpfs},
    {"lustre", "Lustre: lctl dl, lctl list_nids, lctl get_param, lfs osts, copies of /proc/fs/lustre",
     "Example: for h in oss1 oss2 mds1; do\n"
     "           ssh $h 'lctl dl; lctl list_nids; lctl get_param osd-*.*.mntdev' >$h.lctl\n"
     "         done; ssh mds1 lctl get_param 'osp.*.import' >imports\n"
     "         laggard system import lustre *.lctl imports -o system.toml",
     topology::import_lustre, true},
    {"ceph", "Ceph: ceph osd tree, ceph osd metadata, ceph device ls, each with -f json",
     "Example: ceph osd tree -f json >tree; ceph osd metadata -f json >osds\n"
     "         laggard system import ceph tree osds -o system.toml",
     topology::import_ceph},
    {"gluster", "GlusterFS: gluster volume info and volume status all detail, both with --xml",
     "Example: gluster volume info --xml >info; gluster volume status all detail --xml >detail\n"
     "         laggard system import gluster info detail -o system.toml",
     topology::import_gluster},
    {"moosefs", "MooseFS: mfscli -SCS -SHD",
     "Example: mfscli -SCS -SHD >disks\n"
     "         laggard system import moosefs disks --map site.toml -o system.toml",
     topology::import_moosefs},
};

struct ImportOptions {
  std::vector<std::string> files;
  std::string map;
  SystemOutput output;
};

/// `HOST=FILE` or `FILE`; a file whose name has the form is meant as it stands.
Result<std::vector<topology::SavedText>> read_saved(const std::string& argument, const Source& source) {
  std::filesystem::path path = argument;
  std::string host;
  std::error_code error;
  const std::size_t equals = argument.find('=');
  if (equals != std::string::npos && !std::filesystem::exists(path, error)) {
    host = argument.substr(0, equals);
    path = argument.substr(equals + 1);
  }
  const std::filesystem::path named = path.has_filename() ? path : path.parent_path();
  if (host.empty() && source.by_host) host = named.stem().string();
  if (source.by_host && std::filesystem::is_directory(path, error))
    return topology::read_saved_tree(path, host);
  auto text = read_file(path);
  if (!text) return forward(text);
  std::vector<topology::SavedText> saved;
  saved.push_back({.path = path.string(), .text = std::move(*text), .host = host});
  return saved;
}

/// As they may be meant: with and without a host before them.
std::vector<std::filesystem::path> saved_files(const ImportOptions& options) {
  std::vector<std::filesystem::path> files{options.map};
  for (const std::string& argument : options.files) {
    files.emplace_back(argument);
    files.emplace_back(argument.substr(argument.find('=') + 1));
  }
  return files;
}

Result<std::string> described(const ImportOptions& options, const Source& source) {
  topology::SiteMap map;
  if (!options.map.empty()) {
    auto text = read_file(options.map);
    if (!text) return forward(text);
    auto parsed = topology::parse_site_map(*text, options.map);
    if (!parsed) return forward(parsed);
    map = std::move(*parsed);
  }
  std::vector<topology::SavedText> files;
  for (const std::string& argument : options.files) {
    auto saved = read_saved(argument, source);
    if (!saved) return forward(saved);
    files.insert(files.end(), std::make_move_iterator(saved->begin()), std::make_move_iterator(saved->end()));
  }
  auto sketch = source.import(files, map);
  if (!sketch) return forward(sketch);
  auto text = topology::write_system(*sketch);
  // Only the whole of the files makes these mistakes; name the first, which is enough to begin looking.
  if (!text && text.error().where.empty()) text.error().where = files.front().path;
  return text;
}

}  // namespace

void add_system_import(CLI::App& system, Context& context) {
  CLI::App* import = system.add_subcommand(
      "import", "Write a system file from the saved output of a file system's own tools");
  import->require_subcommand(1);
  import->footer("What to save for each: docs/formats/topology.md");
  for (const Source& source : kSources) {
    auto options = std::make_shared<ImportOptions>();
    CLI::App* command = import->add_subcommand(source.name, source.help);
    command->add_option("FILE", options->files, "What the tools printed; HOST=FILE says on which machine")
        ->required();
    command
        ->add_option("--map", options->map,
                     "What the tools do not know: arrays, controllers, sets, names of hosts (TOML)")
        ->option_text("FILE");
    add_output_options(*command, options->output);
    command->footer(source.example);
    command->callback([options, &source, &context] {
      const Result<int> status =
          write_output(options->output, saved_files(*options), [&] { return described(*options, source); });
      context.status = status ? *status : report_error(status.error());
    });
  }
}

}  // namespace laggard::cmd
