#include "collect/logs/journal_follower.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>

namespace laggard::collect {

namespace {

constexpr Duration kShortestPause = std::chrono::seconds(1);
constexpr Duration kLongestPause = std::chrono::minutes(1);
/// How a child ends that could not become the program, as in a shell.
constexpr int kNotStarted = 127;

/// Becomes the program, with the pipe as its standard output. It ends with the recorder, however that ends.
[[noreturn]] void become(char* const* words, int output) {
  sigset_t none;
  ::sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (::dup2(nothing, STDIN_FILENO) >= 0 && ::dup2(output, STDOUT_FILENO) >= 0) ::execvp(words[0], words);
  ::_exit(kNotStarted);
}

std::string end_of(int status) {
  if (WIFSIGNALED(status)) return fmt::format("by signal {}", WTERMSIG(status));
  return fmt::format("with status {}", WEXITSTATUS(status));
}

}  // namespace

Result<std::unique_ptr<JournalFollower>> JournalFollower::open(Options options) {
  std::unique_ptr<JournalFollower> journal(new JournalFollower(std::move(options)));
  journal->any_ = Fd(::epoll_create1(EPOLL_CLOEXEC));
  if (!journal->any_.valid()) return fail_errno(errno, "", "cannot wait for the journal");
  return journal;
}

JournalFollower::~JournalFollower() { stop(SIGKILL); }

/// Only fields that are kept; journalctl adds the cursor and the time.
std::vector<std::string> JournalFollower::command() const {
  std::vector<std::string> words{
      options_.program,
      "--follow",
      "--merge",
      "--no-tail",
      "--quiet",
      "--no-pager",
      "--output=export",
      "--output-fields=MESSAGE,PRIORITY,SYSLOG_IDENTIFIER,_COMM,_PID,SYSLOG_PID,_HOSTNAME"};
  if (!options_.folder.empty()) words.push_back("--directory=" + options_.folder.string());
  if (!options_.cursor.empty()) {
    words.push_back("--after-cursor=" + options_.cursor);
  } else if (options_.since) {
    words.push_back(fmt::format("--since=@{}", to_unix_ns(*options_.since) / 1'000'000'000));
  }
  return words;
}

Status JournalFollower::start() {
  const std::string where = options_.program;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno(errno, where, "cannot be started: no pipe");
  pipe_ = Fd(ends[0]);
  const Fd output(ends[1]);
  std::vector<std::string> words = command();
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const pid_t process = ::fork();
  if (process == 0) become(pointers.data(), output.get());
  if (process < 0) {
    pipe_.reset();
    return fail_errno(errno, where, "cannot be started: no process");
  }
  process_ = process;
  epoll_event event{};
  event.events = EPOLLIN;
  const bool good = ::fcntl(pipe_.get(), F_SETFL, O_NONBLOCK) == 0 &&
                    ::epoll_ctl(any_.get(), EPOLL_CTL_ADD, pipe_.get(), &event) == 0;
  if (!good) return fail_errno(errno, where, "cannot be read");
  stream_ = {};
  unread_ = {};
  return {};
}

bool JournalFollower::read() {
  for (;;) {
    const ssize_t got = ::read(pipe_.get(), buffer_.data(), buffer_.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return false;
    if (got > 0) {
      unread_ = {buffer_.data(), static_cast<std::size_t>(got)};
      return true;
    }
    pipe_.reset();
    return false;
  }
}

/// \param signal  that ends it, unless it has ended.
void JournalFollower::stop(int signal) {
  pipe_.reset();
  if (!process_) return;
  ::kill(*process_, signal);
  static_cast<void>(::waitpid(*process_, nullptr, 0));
  process_.reset();
}

/// It has closed its output, and ends within a moment; one that does not is ended.
Status JournalFollower::wait_for_end(MonoTime now) {
  constexpr Duration kPatience = std::chrono::seconds(5);
  int status = 0;
  if (::waitpid(*process_, &status, WNOHANG) == 0) {
    if (!end_due_) end_due_ = now + kPatience;
    if (now >= *end_due_) ::kill(*process_, SIGKILL);
    return {};
  }
  process_.reset();
  end_due_.reset();
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotStarted && !has_read_) {
    return fail(ErrorCode::kNotFound, options_.program,
                "cannot be started, by which the journal is read; name files instead, with --file");
  }
  if (pause_ == Duration::zero()) {
    options_.say(
        fmt::format("{} ended {}; it is started again where it was", options_.program, end_of(status)));
  }
  pause_ = std::clamp<Duration>(2 * pause_, kShortestPause, kLongestPause);
  start_due_ = now + pause_;
  return {};
}

Result<const JournalEntry*> JournalFollower::peek(MonoTime now) {
  while (!stream_.has_entry()) {
    if (!process_) {
      if (now < start_due_) return nullptr;
      if (Status started = start(); !started) return forward(started);
    }
    unread_.remove_prefix(stream_.take(unread_));
    if (stream_.has_entry()) break;
    if (stream_.is_damaged()) {
      options_.say(options_.program + ": its output is damaged; it is started again behind the last entry");
      stop(SIGKILL);
      start_due_ = now + kShortestPause;
      stream_ = {};
      unread_ = {};
      return nullptr;
    }
    if (pipe_.valid() && read()) continue;
    if (pipe_.valid()) return nullptr;
    if (Status told = wait_for_end(now); !told) return forward(told);
    return nullptr;
  }
  return &stream_.entry();
}

void JournalFollower::take() {
  has_read_ = true;
  pause_ = {};
  if (!stream_.entry().cursor.empty()) options_.cursor = stream_.entry().cursor;
  stream_.next();
}

}  // namespace laggard::collect
