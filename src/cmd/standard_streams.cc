#include "cmd/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <new>

#include "base/file.h"
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

}  // namespace laggard::cmd
