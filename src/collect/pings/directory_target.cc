#include "collect/pings/directory_target.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <utility>
#include <vector>

#include "collect/pings/direct_write.h"

namespace laggard::collect {

namespace {

using Steady = std::chrono::steady_clock;

PingResult failed(int error, Steady::time_point begin, bool direct = true) {
  return {.error = error, .skipped = false, .direct = direct, .latency = Steady::now() - begin};
}

constexpr PingResult kSkipped{.error = 0, .skipped = true, .direct = true, .latency = {}};

}  // namespace

Status DirectoryTarget::check(const PingTargetSpec& target) {
  if (target.place.starts_with('/')) return {};
  return fail(ErrorCode::kBadUse, "--target",
              target.name + "=" + target.place + " names no absolute directory");
}

std::string DirectoryTarget::fresh_name() { return ping_file_name(setup_.owner, ++serial_); }

Fd DirectoryTarget::open_directory(int& error) const {
  // What laggard makes is no link.
  const int follow = pin_ == nullptr ? 0 : O_NOFOLLOW;
  Fd directory{::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | follow)};
  error = directory.valid() ? 0 : errno;
  return directory;
}

int DirectoryTarget::check_place(int fd) {
  struct stat here {};
  struct stat machine {};
  if (::fstat(fd, &here) != 0 || ::stat("/", &machine) != 0) return errno;
  if (here.st_dev != machine.st_dev) {
    is_mounted_ = true;
    return 0;
  }
  return is_mounted_ ? ENODEV : 0;
}

int DirectoryTarget::make_directory() {
  const std::lock_guard lock(making_);
  if (is_made_) return 0;
  const int error = pin_->make(directory_);
  is_made_ = error == 0;
  return error;
}

PingResult DirectoryTarget::create(int directory, const std::string& name, const PingPhases& phases) {
  const auto begin = Steady::now();
  PingFile file = open_ping_file(directory, name.c_str(), O_CREAT | O_EXCL);
  if (!file.fd.valid()) return failed(file.error, begin);
  const int error = write_ping_block(file, kPingText);
  file.fd.reset();
  const PingResult result = failed(error, begin, file.direct);
  int place = 0;
  if (pin_ != nullptr && error == 0) {
    phases(PingPhase::kPreparing);
    place = pin_->check(directory_ / name);
  }
  if (error != 0 || place != 0) ::unlinkat(directory, name.c_str(), 0);
  return place == 0 ? result : PingResult::not_tried(place);
}

PingResult DirectoryTarget::create_write(int directory, const PingPhases& phases) {
  {
    const std::lock_guard lock(mutex_);
    if (created_.size() >= kMostFiles) return kSkipped;  // RmEx hangs.
  }
  std::string name = fresh_name();
  const PingResult result = create(directory, name, phases);
  if (result.error != 0) return result;
  const std::lock_guard lock(mutex_);
  created_.push_back(std::move(name));
  return result;
}

PingResult DirectoryTarget::write_existing(int directory, const PingPhases& phases) {
  std::string name;
  {
    const std::lock_guard lock(mutex_);
    name = existing_;
  }
  if (name.empty()) {
    name = fresh_name();
    if (const PingResult made = create(directory, name, phases); made.error != 0) return made;
    const std::lock_guard lock(mutex_);
    existing_ = name;
  }
  if (pin_ != nullptr) phases(PingPhase::kUnderWay);
  const auto begin = Steady::now();
  PingFile file = open_ping_file(directory, name.c_str(), 0);
  if (!file.fd.valid()) {
    const PingResult result = failed(file.error, begin);
    const std::lock_guard lock(mutex_);
    if (result.error == ENOENT) existing_.clear();  // Somebody removed it: the next one makes another.
    return result;
  }
  const int error = write_ping_block(file, kPingText);
  const bool direct = file.direct;
  file.fd.reset();
  return failed(error, begin, direct);
}

PingResult DirectoryTarget::remove_existing(int directory) {
  std::string name;
  {
    const std::lock_guard lock(mutex_);
    if (!created_.empty()) {
      name = std::move(created_.front());
      created_.pop_front();
    }
  }
  if (name.empty()) {
    name = fresh_name();
    if (create(directory, name, [](PingPhase) {}).error != 0) return kSkipped;
  }
  const auto begin = Steady::now();
  const int error = ::unlinkat(directory, name.c_str(), 0) == 0 ? 0 : errno;
  const PingResult result = failed(error, begin);
  if (error == 0 || error == ENOENT) return result;
  const std::lock_guard lock(mutex_);
  created_.push_back(std::move(name));  // It is still there.
  return result;
}

PingResult DirectoryTarget::run(PingOperation operation, const PingPhases& phases) {
  if (pin_ != nullptr) {
    if (const int error = make_directory(); error != 0) return PingResult::not_tried(error);
    phases(PingPhase::kUnderWay);  // Without a pin all of it is the target's to answer for.
  }
  const auto begin = Steady::now();
  int error = 0;
  const Fd directory = open_directory(error);
  if (error == 0) error = check_place(directory.get());
  if (error == ENOENT && pin_ != nullptr) {  // Somebody removed it: the next one makes it anew.
    const std::lock_guard lock(making_);
    is_made_ = false;
  }
  if (error != 0) return failed(error, begin);
  switch (operation) {
    case PingOperation::kCreateWrite:
      return create_write(directory.get(), phases);
    case PingOperation::kWriteExisting:
      return write_existing(directory.get(), phases);
    case PingOperation::kRemoveExisting:
      return remove_existing(directory.get());
  }
  return kSkipped;
}

void DirectoryTarget::remove_abandoned() {
  int error = pin_ == nullptr ? 0 : make_directory();
  if (error != 0) return;
  const Fd directory = open_directory(error);
  if (error != 0) return;
  // A file of now tells what time it is where the others' times were taken.
  const std::string name = fresh_name();
  if (create(directory.get(), name, [](PingPhase) {}).error != 0) return;
  remove_abandoned_pings(directory_, setup_.owner, name, setup_.root);
  ::unlinkat(directory.get(), name.c_str(), 0);
}

void DirectoryTarget::remove_own() {
  std::vector<std::string> names;
  {
    const std::lock_guard lock(mutex_);
    names.assign(created_.begin(), created_.end());
    if (!existing_.empty()) names.push_back(existing_);
    created_.clear();
    existing_.clear();
  }
  int error = 0;
  const Fd directory = open_directory(error);
  if (error != 0) return;
  for (const std::string& name : names) ::unlinkat(directory.get(), name.c_str(), 0);
  if (pin_ == nullptr) return;
  remove_pings_of(directory_, setup_.owner);
  ::rmdir(directory_.c_str());  // Another recorder of this host may have files there.
}

}  // namespace laggard::collect
