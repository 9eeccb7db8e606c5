#include "cmd/system_output.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <system_error>

#include "base/file.h"

namespace laggard::cmd {

void add_output_options(CLI::App& command, SystemOutput& output) {
  command.add_option("-o,--out", output.path, "File to write; standard output without it")
      ->option_text("FILE");
  command.add_flag("--force", output.force, "Overwrite the file");
}

Result<int> write_output(const SystemOutput& output, const std::function<Result<std::string>()>& make) {
  std::error_code error;
  const bool to_file = !output.path.empty() && output.path != "-";
  if (to_file && !output.force && std::filesystem::is_regular_file(output.path, error)) {
    return fail(ErrorCode::kBadUse, output.path, "is there already; --force overwrites it");
  }
  const auto text = make();
  if (!text) return tl::unexpected<Error>(text.error());
  if (!to_file) {
    fmt::print("{}", *text);
    return kClean;
  }
  Status written = write_file(output.path, *text);
  if (!written) return forward(written);
  fmt::print("Wrote {}. Read it, correct it, then: laggard system check {}\n", output.path, output.path);
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
