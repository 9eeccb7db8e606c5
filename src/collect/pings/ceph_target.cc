#include "collect/pings/ceph_target.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "base/text.h"
#include "collect/pings/ceph_listing.h"

namespace laggard::collect {

namespace {

using Steady = std::chrono::steady_clock;

}  // namespace

Status CephTarget::check(const PingTargetSpec& target) {
  if (target.mount.empty() || target.mount.ends_with('@')) {
    return fail(ErrorCode::kBadUse, "--mount", "names no pool: POOL, or USER@POOL");
  }
  if (target.place.empty() || parse_osd_name(target.place)) return {};
  return fail(ErrorCode::kBadUse, "--target",
              target.name + "=" + target.place + " names no OSD such as osd.3");
}

std::unique_ptr<PingTarget> CephTarget::open(const PingTargetSpec& target, const PingBackendSetup& setup) {
  return std::make_unique<CephTarget>(target, setup, &open_rados_pool);
}

Result<PingListing> CephTarget::list(const std::string& mount) {
  auto pool = open_rados_pool(mount);
  if (!pool) return forward(pool);
  return list_ceph_osds(**pool, mount);
}

CephTarget::CephTarget(PingTargetSpec target, PingBackendSetup setup, Opener opener)
    : target_(std::move(target)),
      setup_(std::move(setup)),
      opener_(std::move(opener)),
      osd_(parse_osd_name(target_.place).value_or(-1)) {
  for (const std::string_view number : split(target_.known, ',')) {
    if (const auto known = to_number<std::uint64_t>(number)) known_.push_back(ceph_key(*known));
  }
}

int CephTarget::connect() {
  if (pool_ != nullptr) return 0;
  auto opened = opener_(target_.mount);
  if (!opened) return ENOTCONN;
  pool_ = std::move(*opened);
  return 0;
}

int CephTarget::try_key(const std::string& key, bool& fits) {
  CephPlace place;
  if (const int error = locate_ceph_key(*pool_, key, place); error != 0) return error;
  fits = place.osd == osd_;
  if (fits) key_ = key;
  return 0;
}

int CephTarget::find_key() {
  CephDown down;
  if (const int error = ask_ceph_down(*pool_, down); error != 0) return error;
  if (down.all.contains(osd_)) return EHOSTDOWN;
  bool fits = false;
  for (const std::string& key : known_) {
    if (const int error = try_key(key, fits); error != 0 || fits) return error;
  }
  for (std::uint64_t i = 0; i < kMostTries; ++i, next_key_ = (next_key_ + 1) % kMostKeys) {
    if (const int error = try_key(ceph_key(next_key_), fits); error != 0) return error;
    if (!fits) continue;
    known_.push_back(key_);
    return 0;
  }
  return EXDEV;
}

int CephTarget::prepare(std::string& key) {
  const std::lock_guard lock(mutex_);
  if (const int error = connect(); error != 0) return error;
  if (key_.empty()) {
    if (const int error = find_key(); error != 0) return error;
    const auto elsewhere = [&](const Object& object) { return object.key != key_; };
    std::erase_if(created_, elsewhere);
    if (elsewhere(existing_)) existing_ = {};
  }
  key = key_;
  return 0;
}

int CephTarget::check_place(const std::string& key) {
  CephPlace place;
  if (const int error = locate_ceph_key(*pool_, key, place); error != 0) return error;
  if (place.osd == osd_) return 0;
  {
    const std::lock_guard lock(mutex_);
    if (key_ == key) key_.clear();
  }
  CephDown down;
  if (const int error = ask_ceph_down(*pool_, down); error != 0) return error;
  return down.all.contains(osd_) ? EHOSTDOWN : EXDEV;
}

PingResult CephTarget::refused(int error) {
  if (error == EHOSTDOWN) return {.error = error};
  return PingResult::not_tried(error);
}

std::string CephTarget::fresh_name() {
  const std::lock_guard lock(mutex_);
  return ping_file_name(setup_.owner, ++serial_);
}

PingResult CephTarget::create_write(const PingPhases& phases) {
  Object object;
  {
    const std::lock_guard lock(mutex_);
    if (created_.size() >= kMostFiles) return PingResult::not_tried(0);  // RmEx hangs.
  }
  if (const int error = prepare(object.key); error != 0) return refused(error);
  object.name = fresh_name();
  phases(PingPhase::kUnderWay);
  const auto begin = Steady::now();
  const int error = pool_->write(object.key, object.name);
  const PingResult result = PingResult::since(begin, error);
  phases(PingPhase::kPreparing);
  {
    const std::lock_guard lock(mutex_);
    if (error == 0 && object.key == key_) created_.push_back(object);
  }
  const int place = check_place(object.key);
  return place == 0 ? result : refused(place);
}

PingResult CephTarget::write_existing(const PingPhases& phases) {
  std::string key;
  if (const int error = prepare(key); error != 0) return refused(error);
  std::string fresh = fresh_name();
  Object object;
  {
    const std::lock_guard lock(mutex_);
    // The first one makes it; that somebody removed it would show in nothing else than that either.
    if (existing_.name.empty()) existing_ = {key, std::move(fresh)};
    object = existing_;
  }
  phases(PingPhase::kUnderWay);
  const auto begin = Steady::now();
  const int error = pool_->write(object.key, object.name);
  const PingResult result = PingResult::since(begin, error);
  phases(PingPhase::kPreparing);
  const int place = check_place(object.key);
  return place == 0 ? result : refused(place);
}

int CephTarget::take_removable(const std::string& key, Object& object) {
  {
    const std::lock_guard lock(mutex_);
    if (!created_.empty()) {
      object = std::move(created_.front());
      created_.pop_front();
      return 0;
    }
  }
  object = {key, fresh_name()};
  return pool_->write(object.key, object.name);
}

PingResult CephTarget::remove_existing(const PingPhases& phases) {
  std::string key;
  if (const int error = prepare(key); error != 0) return refused(error);
  Object object;
  if (const int error = take_removable(key, object); error != 0) return refused(error);
  phases(PingPhase::kUnderWay);
  const auto begin = Steady::now();
  const int error = pool_->remove(object.key, object.name);
  const PingResult result = PingResult::since(begin, error);
  phases(PingPhase::kPreparing);
  const int place = check_place(object.key);
  if (error != 0 && error != ENOENT) {  // It is still there.
    const std::lock_guard lock(mutex_);
    if (object.key == key_) created_.push_back(std::move(object));
  }
  return place == 0 ? result : refused(place);
}

PingResult CephTarget::run(PingOperation operation, const PingPhases& phases) {
  switch (operation) {
    case PingOperation::kCreateWrite:
      return create_write(phases);
    case PingOperation::kWriteExisting:
      return write_existing(phases);
    case PingOperation::kRemoveExisting:
      return remove_existing(phases);
  }
  return PingResult::not_tried(0);
}

void CephTarget::remove_listed(const std::string& key, const std::function<bool(const CephObject&)>& wanted) {
  CephPlace place;
  std::vector<CephObject> objects;
  if (locate_ceph_key(*pool_, key, place) != 0 || pool_->list(key, place.hash, objects) != 0) return;
  for (const CephObject& object : objects) {
    if (wanted(object)) static_cast<void>(pool_->remove(key, object.name));
  }
}

void CephTarget::remove_abandoned() {
  std::string key;
  static_cast<void>(prepare(key));
  std::vector<std::string> keys;
  {
    const std::lock_guard lock(mutex_);
    if (pool_ == nullptr) return;
    keys = known_;
  }
  for (const std::string& one : keys) {
    remove_listed(one, [&](const CephObject& object) {
      PingOwner owner;
      return object.is_ping && parse_ping_file_name(object.name, owner) &&
             is_abandoned_ping(owner, setup_.owner, object.age, setup_.root);
    });
  }
}

void CephTarget::remove_own() {
  std::vector<std::string> keys;
  {
    const std::lock_guard lock(mutex_);
    if (pool_ == nullptr) return;
    keys = known_;
    created_.clear();
    existing_ = {};
  }
  // Not by what is known to have been made: of a write that hung nobody knows whether it was done.
  for (const std::string& key : keys) {
    remove_listed(key, [&](const CephObject& object) {
      PingOwner owner;
      return parse_ping_file_name(object.name, owner) && owner == setup_.owner;
    });
  }
}

}  // namespace laggard::collect
