#include "lab/bench/machine.h"

#include <fmt/format.h>

#include "base/text.h"

namespace laggard::lab::bench {

namespace {
/// The last line of what a program wrote is where programs say what is wrong.
std::string_view last_line(std::string_view text) {
  text = trim(text);
  const std::size_t at = text.rfind('\n');
  return at == std::string_view::npos ? text : text.substr(at + 1);
}
}  // namespace

Command repeat(const std::string& command) {
  return {{"sh", "-c", fmt::format("while {}; do :; done", command)}, {}};
}

Status Machine::must(const Command& command) {
  const Result<Output> output = run(command);
  if (!output) return tl::unexpected<Error>(output.error());
  if (output->status == 0) return {};
  const std::string said(last_line(output->text));
  return fail(ErrorCode::kUnavailable, fmt::format("{}", fmt::join(command.argv, " ")),
              fmt::format("ended with status {}{}{}", output->status, said.empty() ? "" : ": ", said));
}

namespace {
Command prefixed(std::vector<std::string> argv, Command command) {
  argv.insert(argv.end(), command.argv.begin(), command.argv.end());
  command.argv = std::move(argv);
  return command;
}
}  // namespace

Command urgent(Command command) { return prefixed({"nice", "-n", "-15"}, std::move(command)); }

Command inside(const std::filesystem::path& network, Command command) {
  return prefixed({"nsenter", "--net=" + network.native(), "--"}, std::move(command));
}

std::vector<Mount> parse_mounts(std::string_view mountinfo) {
  std::vector<Mount> mounts;
  for (const std::string_view line : split(mountinfo, '\n')) {
    const std::vector<std::string_view> words = split(line, ' ');
    // id, parent, device, root, point, options, optional fields, "-", type, source, options
    for (std::size_t i = 6; i + 2 < words.size(); ++i) {
      if (words[i] != "-") continue;
      mounts.push_back({std::string(words[4]), std::string(words[i + 1]), std::string(words[i + 2])});
      break;
    }
  }
  return mounts;
}

}  // namespace laggard::lab::bench
