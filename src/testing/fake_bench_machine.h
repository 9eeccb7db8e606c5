#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "lab/bench/journal.h"
#include "lab/bench/machine.h"

namespace laggard::lab::bench {

/// The instance of the bench in a test.
inline const std::string kTestId = "0123456789abcdef0123456789abcdef";
inline constexpr const char* kAllowedControl = "/proc/sys/net/ipv4/tcp_allowed_congestion_control";

/// A clock that only sleeping moves.
class FakeClock final : public Clock {
 public:
  [[nodiscard]] WallTime wall() override { return from_unix_ns(now_.count()); }
  [[nodiscard]] MonoTime mono() override { return MonoTime{now_}; }
  void sleep_until(MonoTime deadline) override { now_ = std::max(now_, deadline.time_since_epoch()); }

 private:
  Duration now_{1};
};

/// Logs what it is asked to do, in order, and imitates only what callers look at: files, mounts, loop
/// devices.
class FakeMachine final : public Machine {
 public:
  [[nodiscard]] Result<Output> run(const Command& command) override {
    const std::string text = join(command.argv);
    log.push_back(text);
    for (const auto& [part, output] : answers) {
      if (text.find(part) != std::string::npos) return output;
    }
    environments[command.argv[0]] = command.environment;
    const std::string& last = command.argv.back();
    if (command.argv[0] == "mount") mount(last, "ext4", command.argv[command.argv.size() - 2]);
    if (command.argv[0] == "unshare") mount(command.argv[1].substr(6), "nsfs", "nsfs");
    if (command.argv[0] == "umount") {
      std::erase_if(mounts, [&](const Mount& m) { return m.point == last; });
    }
    if (command.argv[0] == "losetup" && command.argv[1] == "--find") {
      attached["loop" + std::to_string(7 + attached.size())] = {last, last};
    }
    if (command.argv[0] == "losetup" && command.argv[1] == "--detach") attached.erase(last.substr(5));
    return Output{};
  }
  [[nodiscard]] Result<int> start(const Command& command, const std::filesystem::path& /*output*/) override {
    log.push_back("start " + join(command.argv));
    environments[command.argv[0]] = command.environment;
    const std::string text = join(command.argv);
    if (started_mounts && text.find(" glusterfs ") != std::string::npos) {
      mount(command.argv.back(), "fuse.glusterfs", "glusterfs:(null)");
    }
    if (started_mounts && text.find(" ceph-fuse ") != std::string::npos) {
      mount(command.argv.back(), "fuse.ceph-fuse", "ceph-fuse");
    }
    const auto striped = std::find(command.argv.begin(), command.argv.end(), "mount");
    if (started_mounts && striped != command.argv.end())
      mount(*(striped + 1), "fuse", "laggard-striped-files");
    if (started_mounts && command.argv[0] == "chrt") mount(command.argv[4], "fuse", "laggard-modelled-disk");
    ++last_process_;
    if (!processes_end) processes.insert(last_process_);
    return last_process_;
  }
  [[nodiscard]] bool running(int process) override { return processes.count(process) != 0; }
  void stop(int process, int /*signal*/, Duration /*patience*/) override {
    log.push_back("stop " + std::to_string(process));
    processes.erase(process);
  }
  [[nodiscard]] Result<std::string> read(const std::filesystem::path& path) override {
    if (path == "/proc/self/mountinfo") {
      std::string text;
      for (const Mount& m : mounts) {
        text += "36 35 98:0 / " + m.point + " rw,noatime shared:2 - " + m.type + " " + m.source + " rw\n";
      }
      return text;
    }
    const auto at = files.find(path.native());
    if (at == files.end()) return fail(ErrorCode::kNotFound, path.string(), "is not there");
    return at->second;
  }
  [[nodiscard]] Status write(const std::filesystem::path& path, std::string_view text) override {
    log.push_back("write " + path.string() + " " + std::string(text));
    std::string& content = files[path.native()];
    if (path.filename() == "cgroup.subtree_control") {
      change_list(content, text);
    } else {
      content = text;
    }
    return {};
  }
  [[nodiscard]] bool exists(const std::filesystem::path& path) override {
    return files.count(path.native()) != 0 || folders.count(path.native()) != 0;
  }
  [[nodiscard]] Status make_folder(const std::filesystem::path& path) override {
    log.push_back("mkdir " + path.string());
    folders.insert(path.native());
    return {};
  }
  [[nodiscard]] Status remove_folder(const std::filesystem::path& path) override {
    log.push_back("remove " + path.string());
    folders.erase(path.native());
    return {};
  }
  [[nodiscard]] Status remove_empty(const std::filesystem::path& path) override {
    log.push_back("rmdir " + path.string());
    folders.erase(path.native());
    return {};
  }
  [[nodiscard]] std::map<std::string, Backing> loops() override { return attached; }
  void wake_marked(const std::string& entry) override { log.push_back("wake " + entry); }
  [[nodiscard]] Status end_marked(const std::string& entry) override {
    log.push_back("end " + entry);
    return {};
  }
  [[nodiscard]] Clock& clock() override { return clock_; }

  /// `+memory` adds a word, `-memory` removes it, as in the kernel's lists of controllers.
  static void change_list(std::string& list, std::string_view change) {
    const std::string word(change.substr(1));
    std::string rest;
    std::istringstream words(list);
    for (std::string old; words >> old;) rest += old == word ? "" : old + " ";
    list = rest + (change.front() == '+' ? word : "") + "\n";
  }

  void mount(const std::string& point, const std::string& type, const std::string& source) {
    mounts.push_back({point, type, source});
  }

  [[nodiscard]] std::size_t position(std::string_view part) const {
    for (std::size_t i = 0; i < log.size(); ++i) {
      if (log[i].find(part) != std::string::npos) return i;
    }
    return log.size();
  }

  static std::string join(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
  }

  std::vector<std::string> log;
  std::vector<std::pair<std::string, Output>> answers;  ///< For commands that contain a text.
  std::map<std::string, std::string> files;
  std::set<std::string> folders;
  std::vector<Mount> mounts;
  std::map<std::string, Backing> attached;                       ///< By loop device.
  std::map<std::string, std::vector<std::string>> environments;  ///< Of the last command, by program.
  std::set<int> processes;
  bool started_mounts = true;
  bool processes_end = false;  ///< As soon as they are started.

 private:
  FakeClock clock_;
  int last_process_ = 100;
};

/// Adds its entries to the log of a machine, so that tests see the order.
class NotedJournal final : public Journal {
 public:
  explicit NotedJournal(FakeMachine& machine) : machine_(machine) {}
  [[nodiscard]] Status enter(const Change& change) override {
    entries.push_back(change);
    std::string line = to_line(change);
    line.pop_back();
    machine_.log.push_back("journal " + line);
    return {};
  }
  std::vector<Change> entries;

 private:
  FakeMachine& machine_;
};

}  // namespace laggard::lab::bench
