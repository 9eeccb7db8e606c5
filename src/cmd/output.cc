#include "cmd/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/file.h"
#include "base/output_file.h"
#include "base/terminal_text.h"

namespace laggard::cmd {

namespace {

constexpr const char* kRefusal = "cannot write to standard output";

/// \param flags  the wrong way round, so that using it fails as using a closed one does.
void hold(int descriptor, int flags) {
  if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) return;
  // The lowest free number is given, which is this one: those below it were held before.
  LAGGARD_CHECK(::open("/dev/null", flags) ==
                descriptor);  // NOLINT(android-cloexec-open): programs get it too.
}

Styling styling_of(int fd) { return ::isatty(fd) == 1 ? Styling::kOurs : Styling::kNone; }

}  // namespace

void prepare_standard_streams() {
  hold(STDIN_FILENO, O_WRONLY);
  hold(STDOUT_FILENO, O_RDONLY);
  hold(STDERR_FILENO, O_RDONLY);
  // A handler and not SIG_IGN, which the programs that are started would inherit.
  struct sigaction broken_pipe {};
  broken_pipe.sa_handler = [](int) {};
  broken_pipe.sa_flags = SA_RESTART;
  LAGGARD_CHECK(::sigaction(SIGPIPE, &broken_pipe, nullptr) == 0);
}

Status print(std::string_view text) {
  return write_all(STDOUT_FILENO, terminal_text(text, styling_of(STDOUT_FILENO)), "", kRefusal);
}

Status print_document(std::string_view document) {
  if (::isatty(STDOUT_FILENO) == 1) return print(document);
  return write_all(STDOUT_FILENO, document, "", kRefusal);
}

Status print_or_write(const std::string& where, std::string_view document) {
  return where == "-" ? print_document(document) : write_file(where, document);
}

Status close_standard_output() {
  if (::close(STDOUT_FILENO) != 0 && errno != EINTR) return fail_errno(errno, "", kRefusal);
  return {};
}

/// What stdio hands on; text that is kept for the next piece is shown when none follows.
class SafeStandardError::Sink {
 public:
  static ssize_t write(void* self, const char* bytes, std::size_t n) {
    auto& sink = *static_cast<Sink*>(self);
    try {
      const Status written = write_all(STDERR_FILENO, sink.text_.take({bytes, n}), "");
      return written ? static_cast<ssize_t>(n) : 0;
    } catch (const std::bad_alloc&) {  // Nothing of C may be left by an exception.
      return 0;
    }
  }
  void finish() { static_cast<void>(write_all(STDERR_FILENO, text_.finish(), "")); }

 private:
  TerminalText text_{styling_of(STDERR_FILENO)};
};

SafeStandardError::SafeStandardError() : sink_(std::make_unique<Sink>()), before_(stderr) {
  cookie_io_functions_t calls{};
  calls.write = &Sink::write;
  std::FILE* const ours = ::fopencookie(sink_.get(), "w", calls);
  if (ours == nullptr) throw std::bad_alloc();
  std::setvbuf(ours, nullptr, _IONBF, BUFSIZ);
  stderr = ours;
}

SafeStandardError::~SafeStandardError() {
  std::fclose(stderr);
  sink_->finish();
  stderr = before_;
}

namespace {

namespace fs = std::filesystem;

/// Recordings and ledgers, and what SQLite puts beside them while they are written.
bool has_name_of_recording(const fs::path& file) {
  std::string name = file.filename();
  for (const std::string_view beside : {"-wal", "-shm", "-journal"}) {
    if (name.ends_with(beside)) name.resize(name.size() - beside.size());
  }
  return name.ends_with(".lgd") || name.ends_with(".lgl");
}

/// Under whatever name.
bool has_content_of_recording(const fs::path& file) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  const Fd fd(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  std::array<char, kMagic.size()> head{};
  const auto got = fd.valid() ? read_some(fd.get(), head, "") : Result<std::size_t>(0);
  return got && std::string_view(head.data(), *got) == kMagic;
}

bool is_same_file(const struct stat& one, const fs::path& other) {
  struct stat there {};
  return !other.empty() && ::stat(other.c_str(), &there) == 0 && S_ISREG(there.st_mode) &&
         there.st_ino == one.st_ino && there.st_dev == one.st_dev;
}

/// Also of a file that is not there yet.
fs::path one_name(const OutputTarget& target) {
  std::error_code error;
  const fs::path folder = fs::canonical(target.folder(), error);
  return error ? target.file.lexically_normal() : folder / target.file.filename();
}

Status check_output(const NamedOutput& output, const OutputTarget& target, std::span<const fs::path> inputs) {
  if (has_name_of_recording(target.file) || (target.there && has_content_of_recording(target.file))) {
    return fail(ErrorCode::kBadUse, output.path.string(),
                fmt::format("is a file of a recording or a ledger; name another for {}", output.option));
  }
  const bool read = target.there && std::ranges::any_of(inputs, [&](const fs::path& input) {
                      return is_same_file(*target.there, input);
                    });
  if (!read) return {};
  return fail(ErrorCode::kBadUse, output.path.string(),
              fmt::format("is read, and {} would overwrite it; name another file", output.option));
}

}  // namespace

Status check_outputs(std::span<const NamedOutput> outputs, std::span<const fs::path> inputs) {
  std::vector<std::pair<fs::path, std::string_view>> seen;
  for (const NamedOutput& output : outputs) {
    if (output.path.empty() || output.path == "-") continue;
    const auto target = find_output_target(output.path);
    if (!target) return tl::unexpected<Error>(target.error());
    if (!target->replaceable()) continue;
    if (Status sound = check_output(output, *target, inputs); !sound) return sound;
    const fs::path name = one_name(*target);
    const auto same = std::ranges::find(seen, name, [](const auto& one) { return one.first; });
    if (same != seen.end()) {
      return fail(ErrorCode::kBadUse, output.path.string(),
                  fmt::format("cannot be both {} and {}; name two files", same->second, output.option));
    }
    seen.emplace_back(name, output.option);
    if (output.appended) continue;
    // Created and, for want of a commit, gone again.
    if (auto trial = OutputFile::create(output.path); !trial) return forward(trial);
  }
  return {};
}

}  // namespace laggard::cmd
