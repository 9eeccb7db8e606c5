#include "lab/bench/site.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"

namespace laggard::lab::bench {

namespace {
using namespace std::chrono_literals;
constexpr Duration kMountPatience = 20s;

/// What has to be remembered of a setting that reads as `text`.
std::string to_keep(Setting setting, std::string_view text) {
  // What is written there is a change, not a value: taking it back is another change.
  return setting == Setting::kMemoryController ? std::string{} : std::string(chosen(text));
}
}  // namespace

std::string_view chosen(std::string_view setting) {
  setting = trim(setting);
  const std::size_t open = setting.find('[');
  const std::size_t close = setting.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return setting;
  return setting.substr(open + 1, close - open - 1);
}

std::string process_mark(const Layout& layout) { return "LAGGARD_BENCH=" + layout.instance; }

std::string disk_mark(const Layout& layout) { return "LAGGARD_BENCH_DISK=" + layout.instance; }

Status Site::set(Setting setting, const std::string& loop, std::string_view value) {
  const std::filesystem::path path = path_of(setting, loop);
  const Result<std::string> old = machine_.read(path);
  if (!old) return tl::unexpected<Error>(old.error());
  const std::string before = to_keep(setting, *old);
  if (before == trim(value)) return {};
  if (Status entered = journal_.enter({setting, loop, before}); !entered) return entered;
  return machine_.write(path, value);
}

Status Site::keep(Setting setting, const std::string& loop) {
  const Result<std::string> old = machine_.read(path_of(setting, loop));
  if (!old) return tl::unexpected<Error>(old.error());
  return journal_.enter({setting, loop, to_keep(setting, *old)});
}

Result<std::string> Site::attach_loop(const std::filesystem::path& backing) {
  const Status attached = must({{"losetup", "--find", "--direct-io=on", backing}, {}});
  if (!attached) return tl::unexpected<Error>(attached.error());
  std::vector<std::string> found;
  for (const auto& [loop, behind] : machine_.loops()) {
    if (behind.file == backing.native()) found.push_back(loop);
  }
  if (found.size() == 1) return found.front();
  return fail(ErrorCode::kUnavailable, backing.string(),
              fmt::format("has {} block devices after one was attached", found.size()));
}

Status Site::must(Command command) {
  command.environment.push_back(process_mark(layout_));
  return machine_.must(command);
}

std::filesystem::path Site::log_file(std::string_view log) const {
  return layout_.logs() / fmt::format("{}.log", log);
}

Result<int> Site::start(std::string_view host, Command command, std::string_view log) {
  command.environment.push_back(process_mark(layout_));
  return machine_.start(inside(layout_.network(host), std::move(command)), log_file(log));
}

Result<int> Site::start_disk(Command command, std::string_view log) {
  command.environment.push_back(disk_mark(layout_));
  return machine_.start(command, log_file(log));
}

Status Site::await_mount(const std::filesystem::path& path, int process, std::string_view log) {
  Clock& clock = machine_.clock();
  const MonoTime deadline = clock.mono() + kMountPatience;
  for (;;) {
    const Result<std::string> mounts = machine_.read("/proc/self/mountinfo");
    if (!mounts) return tl::unexpected<Error>(mounts.error());
    if (mounts->find(" " + path.string() + " ") != std::string::npos) return {};
    const bool gone = !machine_.running(process);
    if (gone || clock.mono() >= deadline) {
      const Result<std::string> said = machine_.read(log_file(log));
      const std::string why(said ? trim(*said) : std::string_view{});
      return fail(ErrorCode::kUnavailable, path.string(),
                  fmt::format("was not mounted: its program {}{}{}", gone ? "ended" : "is silent",
                              why.empty() ? "" : ": ", why.substr(why.rfind('\n') + 1)));
    }
    clock.sleep_until(clock.mono() + 50ms);
  }
}

}  // namespace laggard::lab::bench
