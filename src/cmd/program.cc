#include "cmd/program.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <system_error>

#include "base/file.h"
#include "base/text.h"
#include "cmd/did_you_mean.h"
#include "cmd/output.h"
#include "cmd/ranks.h"

namespace laggard::cmd {

int report_error(const Error& error, const char* program) {
  if (error.code == ErrorCode::kBrokenPipe) return kNobodyReads;
  std::fprintf(stderr, "%s: %s\n", program, error.message().c_str());
  return error.code == ErrorCode::kInternal ? kInternal : kBadUse;
}

namespace {

constexpr rlim_t kLeastStack = rlim_t{256} << 10;
constexpr std::size_t kThreadStack = std::size_t{1} << 20;

/// Of several ranks the first one talks; what the others have to say they tell it.
void keep_other_ranks_silent() {
  if (launched_rank() == 0) return;
  const Fd nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  LAGGARD_CHECK(::dup2(nowhere.get(), STDOUT_FILENO) >= 0 && ::dup2(nowhere.get(), STDERR_FILENO) >= 0);
}

/// Of help and version, too, all has to arrive; and what was typed is shown as text.
int exit_status(const Program& program, const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream text;
  std::ostringstream mistake;
  const int status = app.exit(error, text, mistake);
  std::fputs(mistake.str().c_str(), stderr);
  if (Status printed = print(text.str()); !printed) return report_error(printed.error(), program.name);
  return status == 0 ? kClean : kBadUse;
}

/// A file that reaches the limit of sizes (ulimit -f) is then an error of that write, like a full disk. A
/// handler, and not to ignore it: programs that are started begin with the usual action.
void outlive_file_size_limit() {
  struct sigaction nothing {};
  nothing.sa_handler = [](int) {};
  nothing.sa_flags = SA_RESTART;
  ::sigaction(SIGXFSZ, &nothing, nullptr);
}

/// Without memory of its own, which may be what is missing.
int tell_lack(const Program& program, const char* sentence) {
  std::array<char, 192> text{};
  const int size = std::snprintf(text.data(), text.size(), "%s: %s\n", program.name, sentence);
  LAGGARD_CHECK(size > 0 && static_cast<std::size_t>(size) < text.size());
  static_cast<void>(::write(STDERR_FILENO, text.data(), static_cast<std::size_t>(size)) < 0);
  return kBadUse;
}

int tell_lack_of_memory(const Program& program) {
  return tell_lack(program, "not enough memory (the machine's, or a limit like ulimit -v or -d)");
}

int tell_internal_error(const Program& program, const std::exception& error) {
  std::fprintf(stderr, "%s: internal error: %s\n", program.name, error.what());
  return kInternal;
}

int run_command(const Program& program, int argc, char** argv) {
  keep_other_ranks_silent();
  const SafeStandardError standard_error;
  CLI::App app{program.description, program.name};
  app.set_version_flag("--version", program.version);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  // What is quoted of a command line may be a URL with a password.
  app.failure_message([](const CLI::App* from, const CLI::Error& error) {
    std::string said = CLI::FailureMessage::simple(from, error);
    said.insert(std::min(said.find('\n'), said.size()), did_you_mean(*from));
    return without_passwords(said);
  });
  Context context{.program = program.name};
  program.add_commands(app, context);
  try {
    app.parse(argc, argv);
  } catch (const CLI::RuntimeError& error) {  // Told already.
    return error.get_exit_code();
  } catch (const CLI::ParseError& error) {
    return exit_status(program, app, error);
  } catch (const std::bad_alloc&) {
    return tell_lack_of_memory(program);
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::resource_unavailable_try_again) {
      return tell_lack(program, "no further thread could be started (a limit like ulimit -u or -v)");
    }
    return tell_internal_error(program, error);
  } catch (const std::exception& error) {
    return tell_internal_error(program, error);
  }
  return context.status;
}

/// Threads get as much stack as the process, by default, and some of ours need more than the least of that.
void give_threads_stack() {
  pthread_attr_t usual;
  if (::pthread_getattr_default_np(&usual) != 0) return;
  std::size_t bytes = 0;
  if (::pthread_attr_getstacksize(&usual, &bytes) == 0 && bytes < kThreadStack &&
      ::pthread_attr_setstacksize(&usual, kThreadStack) == 0) {
    ::pthread_setattr_default_np(&usual);
  }
  ::pthread_attr_destroy(&usual);
}

/// Whether the stack may grow as far as any command needs: beyond its limit nothing can be told any more.
bool has_stack(const Program& program) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kLeastStack) return true;
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(), "the stack may be only %ju KiB (ulimit -s); give it 1024 or more",
                static_cast<std::uintmax_t>(limit.rlim_cur / 1024));
  tell_lack(program, text.data());
  return false;
}

}  // namespace

int run(const Program& program, int argc, char** argv) noexcept {
  if (!has_stack(program)) return kBadUse;
  give_threads_stack();
  outlive_file_size_limit();
  try {
    return run_command(program, argc, argv);
  } catch (const std::bad_alloc&) {  // Before there was a command, or while an error was told.
    return tell_lack_of_memory(program);
  }
}

int run_program(const Program& program, int argc, char** argv) {
  prepare_standard_streams();
  const int status = run(program, argc, argv);
  const Status closed = close_standard_output();
  return closed ? status : report_error(closed.error(), program.name);
}

}  // namespace laggard::cmd
