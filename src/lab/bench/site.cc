#include "lab/bench/site.h"

#include <fmt/format.h>

#include "base/text.h"

namespace laggard::lab::bench {

namespace {
using namespace std::chrono_literals;
constexpr Duration kMountPatience = 20s;
}  // namespace

std::string_view chosen(std::string_view setting) {
  setting = trim(setting);
  const std::size_t open = setting.find('[');
  const std::size_t close = setting.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return setting;
  return setting.substr(open + 1, close - open - 1);
}

Status Site::change(const Change& change, const Command& command) {
  if (Status entered = journal_.enter(change); !entered) return entered;
  return machine_.must(command);
}

Status Site::set(const std::filesystem::path& path, std::string_view value) {
  const Result<std::string> old = machine_.read(path);
  if (!old) return tl::unexpected<Error>(old.error());
  const std::string before(chosen(*old));
  if (before == trim(value)) return {};
  if (Status entered = journal_.enter({ChangeKind::kSetting, path, before}); !entered) return entered;
  return machine_.write(path, value);
}

Status Site::keep(const std::filesystem::path& path) {
  const Result<std::string> old = machine_.read(path);
  if (!old) return tl::unexpected<Error>(old.error());
  return journal_.enter({ChangeKind::kSetting, path, std::string(chosen(*old))});
}

Result<std::string> Site::attach_loop(const std::filesystem::path& backing) {
  const Status attached =
      change({ChangeKind::kLoop, backing, {}}, {{"losetup", "--find", "--direct-io=on", backing}, {}});
  if (!attached) return tl::unexpected<Error>(attached.error());
  const std::vector<std::string> loops = machine_.loops_of(backing);
  if (loops.size() != 1) {
    return fail(ErrorCode::kUnavailable, backing.string(),
                fmt::format("has {} block devices after one was attached", loops.size()));
  }
  return loops.front();
}

Result<int> Site::start(std::string_view host, Command command, std::string_view log) {
  return machine_.start(inside(layout_.network(host), std::move(command)),
                        layout_.logs() / fmt::format("{}.log", log));
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
      const Result<std::string> said = machine_.read(layout_.logs() / fmt::format("{}.log", log));
      const std::string why(said ? trim(*said) : std::string_view{});
      return fail(ErrorCode::kUnavailable, path.string(),
                  fmt::format("was not mounted: its program {}{}{}", gone ? "ended" : "is silent",
                              why.empty() ? "" : ": ", why.substr(why.rfind('\n') + 1)));
    }
    clock.sleep_until(clock.mono() + 50ms);
  }
}

}  // namespace laggard::lab::bench
