#include "cmd/system_output.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <system_error>

#include "base/file.h"
#include "base/terminal_text.h"
#include "cmd/output.h"

namespace laggard::cmd {

void add_output_options(CLI::App& command, SystemOutput& output) {
  command.add_option("-o,--out", output.path, "File to write; standard output without it")
      ->option_text("FILE");
  command.add_flag("--force", output.force, "Overwrite the file");
}

Result<int> write_output(const SystemOutput& output, std::span<const std::filesystem::path> inputs,
                         const std::function<Result<std::string>()>& make) {
  std::error_code error;
  const bool to_file = !output.path.empty() && output.path != "-";
  if (to_file && !output.force && std::filesystem::is_regular_file(output.path, error)) {
    return fail(ErrorCode::kBadUse, output.path, "is there already; --force overwrites it");
  }
  const NamedOutput named{"--out", output.path};
  if (Status safe = check_outputs({&named, 1}, inputs); !safe) return forward(safe);
  const auto text = make();
  if (!text) return tl::unexpected<Error>(text.error());
  Status done = to_file ? write_file(output.path, *text) : print_document(with_escapes(*text));
  if (done && to_file) {
    done = print(fmt::format("Wrote {}. Read it, correct it, then: laggard system check {}\n",
                             printable(output.path), printable(output.path)));
  }
  if (!done) return forward(done);
  return kClean;
}

void add_peers_option(CLI::App& command, DiskPeers& peers) {
  const std::map<std::string, DiskPeers> words{{"auto", DiskPeers::kAuto},
                                               {"rank", DiskPeers::kRank},
                                               {"host", DiskPeers::kHost},
                                               {"all", DiskPeers::kAll}};
  command
      .add_option(
          "--peers", peers,
          "Which disks of several hosts are peers: rank (first with first), host (those of one host), all, "
          "or auto")
      ->transform(CLI::CheckedTransformer(words, CLI::ignore_case))
      ->option_text("MODE");
}

}  // namespace laggard::cmd
