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

}  // namespace laggard::lab::bench
