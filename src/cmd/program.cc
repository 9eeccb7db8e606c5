#include "cmd/program.h"

#include <cstdio>
#include <exception>

#include "cmd/commands.h"
#include "cmd/ranks.h"

namespace laggard::cmd {

int report_error(const Error& error) {
  std::fprintf(stderr, "laggard: %s\n", error.message().c_str());
  return error.code == ErrorCode::kInternal ? kInternal : kBadUse;
}

namespace {

/// Of several ranks the first one talks; what the others have to say they tell it.
void keep_other_ranks_silent() {
  if (launched_rank() == 0) return;
  const bool silent =
      std::freopen("/dev/null", "w", stdout) != nullptr && std::freopen("/dev/null", "w", stderr) != nullptr;
  LAGGARD_CHECK(silent);
}

}  // namespace

int run(int argc, char** argv) {
  keep_other_ranks_silent();
  CLI::App app{"laggard finds the component that limps in a parallel file system.", "laggard"};
  app.set_version_flag("--version", LAGGARD_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  Context context;
  add_commands(app, context);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? kClean : kBadUse;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "laggard: internal error: %s\n", error.what());
    return kInternal;
  }
  return context.status;
}

}  // namespace laggard::cmd
