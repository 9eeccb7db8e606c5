#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <system_error>

#include "cmd/commands.h"
#include "cmd/diagnose.h"
#include "cmd/output.h"

namespace laggard::cmd {

namespace {

constexpr const char* kExample = "ddr-disk-busy-s2";

/// Beside an installed program in share/laggard, else in the source tree that it was built from.
std::filesystem::path examples_folder() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path installed = program.parent_path() / "../share/laggard/examples";
  return std::filesystem::is_directory(installed, error) ? installed
                                                         : std::filesystem::path(LAGGARD_EXAMPLES);
}

Status demo(const std::string& out) {
  const std::filesystem::path recording = examples_folder() / kExample;
  std::error_code error;
  if (!std::filesystem::is_directory(recording, error)) {
    return fail(ErrorCode::kNotFound, recording.string(),
                "the example recording is not there; reinstall laggard");
  }
  Status told = print(fmt::format(
      "Nine GlusterFS servers, four clients reading large files. After a minute something that the servers "
      "cannot\n"
      "see begins to use the disk under one of them. All that laggard gets is what the hosts recorded of "
      "themselves:\n"
      "/proc/diskstats, /proc/net/dev and the state of their TCP connections, once a second, for four and a "
      "half\n"
      "minutes.\n\n"
      "$ laggard diagnose {} --html {}\n\n",
      recording.string(), out));
  if (!told) return told;
  DiagnoseOptions options;
  options.analysis.recordings = {recording};
  options.html = out;
  auto diagnosis = diagnose(options);
  if (!diagnosis) return fail(diagnosis.error().code, diagnosis.error().where, diagnosis.error().what);
  return print("\nThe truth: s2's disk was kept busy from below, from 19:22:36Z to 19:25:36Z.\n");
}

}  // namespace

void add_demo_command(CLI::App& app, Context& context) {
  auto out = std::make_shared<std::string>("laggard-demo.html");
  CLI::App* command =
      app.add_subcommand("demo", "Diagnose a recorded incident of a real parallel file system");
  command->add_option("--html", *out, "Where the page with the plots goes")
      ->capture_default_str()
      ->type_name("FILE");
  command->footer("Example:\n  laggard demo --html /tmp/demo.html");
  command->callback([out, &context] {
    if (Status shown = demo(*out); !shown) context.status = report_error(shown.error());
  });
}

}  // namespace laggard::cmd
