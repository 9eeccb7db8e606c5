#include "cmd/watch_outputs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/output_file.h"
#include "base/time.h"
#include "cmd/output.h"
#include "cmd/watch_state.h"
#include "report/json.h"
#include "report/text.h"
#include "report/textfile.h"
#include "report/wording.h"

namespace laggard::cmd {

namespace {

constexpr const char* kOption = "--on-change";
constexpr int kLookAgain = 100;  ///< Milliseconds after which we ask whether we were stopped.

/// A file in memory that holds the text, at its beginning: unlike a pipe it needs nobody who fills it.
Result<Fd> file_of(std::string_view text) {
  Fd file{::memfd_create("change", MFD_CLOEXEC)};
  if (!file.valid()) return fail_errno(errno, kOption, "cannot make a file in memory");
  while (!text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return fail_errno(errno, kOption, "cannot write a file in memory");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::lseek(file.get(), 0, SEEK_SET) != 0)
    return fail_errno(errno, kOption, "cannot rewind a file in memory");
  return file;
}

/// Our own environment without earlier answers to the same names, and the change. A name that holds a NUL
/// ends there: an environment can hold no more of it.
std::vector<std::string> environment_of(const Change& change) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view setting = *entry;
    if (!setting.starts_with("LAGGARD_")) out.emplace_back(setting);
  }
  const Incident& incident = change.incident;
  out.push_back(fmt::format("LAGGARD_CHANGE={}", to_name(change.kind)));
  out.push_back(fmt::format("LAGGARD_NUMBER={}", change.number));
  out.push_back(fmt::format("LAGGARD_INCIDENT={}", incident.id));
  out.push_back(fmt::format("LAGGARD_KIND={}", to_name(incident.blame.kind)));
  out.push_back(fmt::format("LAGGARD_PART={}", incident.blame.name));
  out.push_back(fmt::format("LAGGARD_CAUSE={}", incident.cause));
  out.push_back(fmt::format("LAGGARD_STATE={}", to_name(incident.state)));
  return out;
}

/// The shell's process, as the leader of a group of its own and with the signals as they were before we took
/// them for ourselves.
Result<pid_t> start_shell(const OnChange& how, const Change& change) {
  Result<Fd> input = file_of(report::to_json_line(change) + "\n");
  if (!input) return forward(input);
  std::vector<std::string> words{"/bin/sh", "-c", how.command};
  std::vector<std::string> settings = environment_of(change);
  const auto pointers = [](std::vector<std::string>& texts) {
    std::vector<char*> out;
    out.reserve(texts.size() + 1);
    for (std::string& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
  };
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_adddup2(&actions, input->get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  sigset_t none;
  sigset_t usual;
  ::sigemptyset(&none);
  ::sigemptyset(&usual);
  for (const int signal : {SIGPIPE, SIGTERM, SIGINT, SIGXFSZ}) ::sigaddset(&usual, signal);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &usual);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, "/bin/sh", &actions, &attributes, pointers(words).data(),
                                  pointers(settings).data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return fail_errno(error, kOption, "cannot start /bin/sh");
  return pid;
}

/// \return  whether it ended before its time was over; it is not waited for yet.
bool ends_in_time(pid_t pid, const OnChange& how) {
  const Fd process{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
  SystemClock clock;
  MonoTime deadline = clock.mono() + how.limit;
  bool asked = false;
  for (;;) {
    pollfd end{process.get(), POLLIN, 0};
    // Without the descriptor (an old kernel) poll only sleeps, and waitid tells.
    static_cast<void>(::poll(&end, 1, kLookAgain));
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == pid) {
      return true;
    }
    const MonoTime now = clock.mono();
    if (now >= deadline) return false;
    if (!asked && how.stopped && how.stopped()) {
      asked = true;
      deadline = std::min(deadline, now + how.grace);
    }
  }
}

Status run_once(const OnChange& how, const Change& change) {
  Result<pid_t> pid = start_shell(how, change);
  if (!pid) return forward(pid);
  const bool in_time = ends_in_time(*pid, how);
  if (!in_time) ::kill(-*pid, SIGKILL);
  int status = 0;
  while (::waitpid(*pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) {
    return fail(ErrorCode::kUnavailable, kOption,
                fmt::format("took too long for change {} and was killed", change.number));
  }
  if (WIFSIGNALED(status)) {
    return fail(ErrorCode::kUnavailable, kOption,
                fmt::format("ended by signal {} at change {}", WTERMSIG(status), change.number));
  }
  if (WEXITSTATUS(status) != 0) {
    return fail(ErrorCode::kUnavailable, kOption,
                fmt::format("exited with status {} at change {}", WEXITSTATUS(status), change.number));
  }
  return {};
}

/// \return  whether to go on; not when we were asked to stop.
bool waits(Duration pause, const OnChange& how) {
  SystemClock clock;
  const MonoTime until = clock.mono() + pause;
  while (clock.mono() < until) {
    if (how.stopped && how.stopped()) return false;
    clock.sleep_until(std::min(until, clock.mono() + std::chrono::milliseconds(kLookAgain)));
  }
  return true;
}

}  // namespace

Status run_on_change(const OnChange& how, const Change& change) {
  Duration pause = how.pause;
  for (int trial = 1;; ++trial, pause *= 5) {
    Status ran = run_once(how, change);
    if (ran || trial >= how.tries || !waits(pause, how)) return ran;
  }
}

Result<WatchOutputs> WatchOutputs::open(const WatchOutputOptions& options, std::function<bool()> stopped,
                                        Note note) {
  WatchOutputs outputs(options, std::move(note));
  outputs.on_change_ = {.command = options.on_change, .stopped = stopped};
  if (options.alertmanager.url.empty()) return outputs;
  auto url = server_url(options.alertmanager);
  if (!url) return forward(url);
  net::HttpOptions http;
  http.stopped = std::move(stopped);
  http.stop_grace = std::chrono::seconds(2);  // For the last changes.
  auto transport = connect_server(options.alertmanager, *url, std::move(http));
  if (!transport) return forward(transport);
  outputs.transport_ = std::move(*transport);
  outputs.alertmanager_ = std::make_unique<send::Alertmanager>(
      *outputs.transport_, send::AlertmanagerOptions{.server = url->shown(), .generator_url = {}});
  return outputs;
}

void WatchOutputs::hold(const engine::ChangeTracker::State& state) {
  if (!alertmanager_) return;
  for (const engine::ChangeTracker::Told& told : state.told) {
    if (told.kind != ChangeKind::kClosed) {
      alertmanager_->hold(told.incident, report::verdict(told.incident));
    }
  }
}

Status WatchOutputs::deliver(const Change& change) {
  delivered_ = true;
  ++changes_.at(static_cast<std::size_t>(change.kind));
  Status printed = options_.json ? print_document(report::to_json_line(change) + "\n")
                                 : print(report::change_line(change) + "\n");
  if (!printed) return printed;
  if (alertmanager_) alertmanager_->take(change, report::verdict(change.incident));
  if (!on_change_.command.empty()) {
    if (Status ran = run_on_change(on_change_, change); !ran) note_(ran.error().message());
  }
  return {};
}

Status WatchOutputs::keep(const Watch& watch) {
  write_textfile(watch);
  if (Status kept = keep_learnt(watch); !kept) return kept;
  const bool news = delivered_ || watch.checkpoint_after() != kept_after_;
  return news ? keep_decided(watch) : Status{};
}

Status WatchOutputs::keep_decided(const Watch& watch) {
  delivered_ = false;
  kept_after_ = watch.checkpoint_after();
  return options_.state.empty() ? Status{} : write_watch_state(options_.state, watch.state());
}

/// When another day is over.
Status WatchOutputs::keep_learnt(const Watch& watch) {
  if (options_.learn.empty() || watch.diagnoser() == nullptr) return {};
  const std::optional<WallTime> until = watch.diagnoser()->learnt_until();
  if (until == std::exchange(learnt_until_, until)) return {};
  return write_learnt(*watch.diagnoser(), options_.learn);
}

void WatchOutputs::write_textfile(const Watch& watch) {
  if (options_.textfile.empty()) return;
  const std::vector<Incident> open = watch.open();
  const std::string text = report::to_textfile({.open = open,
                                                .changes = changes_,
                                                .complete_until = watch.complete_until(),
                                                .outcome = watch.outcome(),
                                                .judged = watch.judged().lately,
                                                .components = watch.judged().components.there});
  note_once(textfile_trouble_, write_file(options_.textfile, text));
}

void WatchOutputs::post(Clock& clock) {
  if (!alertmanager_ || !alertmanager_->due(clock.mono())) return;
  note_once(server_trouble_, alertmanager_->post({.wall = clock.wall(), .mono = clock.mono()}));
}

Duration WatchOutputs::patience() const {
  return alertmanager_ ? Duration(std::chrono::seconds(5)) : Duration::max();
}

/// What fails every few seconds is not said every few seconds.
void WatchOutputs::note_once(std::optional<std::string>& last, const Status& status) {
  if (status) {
    last.reset();
    return;
  }
  std::string sentence = status.error().message();
  if (last != sentence) note_(sentence);
  last = std::move(sentence);
}

}  // namespace laggard::cmd
