#include "collect/samples/process_table.h"

#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace laggard::collect {

namespace {

/// The maps of a process to change them: a copy if others share them.
ProcessMaps& own_maps(SampledProcess& process) {
  if (process.maps == nullptr || process.maps.use_count() > 1) {
    process.maps =
        process.maps ? std::make_shared<ProcessMaps>(*process.maps) : std::make_shared<ProcessMaps>();
  }
  // All of them are made as above, or in look_at, and none is const by itself.
  return const_cast<ProcessMaps&>(*process.maps);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

}  // namespace

void ProcessTable::make_room() {
  if (processes_.size() >= kMost) processes_.clear();
}

SampledProcess ProcessTable::look_at(std::uint32_t process, MonoTime now) const {
  const std::filesystem::path folder = root_ / "proc" / std::to_string(process);
  SampledProcess seen{.name = {}, .maps = {}, .is_kernel = false, .looked = now};
  if (const auto name = read_file(folder / "comm")) seen.name = trim(*name);
  const auto maps = read_file(folder / "maps");
  seen.is_kernel = maps && maps->empty();
  seen.maps = std::make_shared<ProcessMaps>(maps ? ProcessMaps::parse(*maps) : ProcessMaps());
  return seen;
}

const SampledProcess& ProcessTable::of(std::uint32_t process, MonoTime now) {
  const auto known = processes_.find(process);
  if (known != processes_.end()) return known->second;
  make_room();
  return processes_.emplace(process, look_at(process, now)).first->second;
}

void ProcessTable::look_again(std::uint32_t process, MonoTime now) {
  make_room();
  processes_.insert_or_assign(process, look_at(process, now));
}

const Mapping* ProcessTable::find(std::uint32_t process, std::uint64_t address, MonoTime now) {
  constexpr Duration kAtMost = std::chrono::seconds(10);
  const SampledProcess& known = of(process, now);
  const Mapping* mapping = known.maps->find(address);
  if (mapping != nullptr || known.is_kernel || now - known.looked < kAtMost) return mapping;
  SampledProcess again = look_at(process, now);
  SampledProcess& kept = processes_[process];
  kept.looked = now;
  if (again.maps->size() == 0) return nullptr;  // It is gone: what is known of it stays.
  kept = std::move(again);
  return kept.maps->find(address);
}

/// Of a process that nobody has asked for there is nothing to change: it will be looked at then.
void ProcessTable::take(const PerfMapped& mapped) {
  const auto known = processes_.find(mapped.process);
  if (known != processes_.end()) own_maps(known->second).add(mapped.mapping);
}

/// What executes another program has nothing of the old one; records of what it maps follow.
void ProcessTable::take(const PerfNamed& named) {
  if (named.thread != named.process) return;
  if (named.executes) {
    make_room();
    SampledProcess& process = processes_[named.process];
    process.maps = std::make_shared<ProcessMaps>();
    process.is_kernel = false;
  }
  const auto known = processes_.find(named.process);
  if (known != processes_.end()) known->second.name = named.name;
}

/// Its parent is looked at now, if need be, as it may be too late for the child when that has a sample.
void ProcessTable::take(const PerfForked& forked, MonoTime now) {
  if (forked.process == forked.parent) return;
  SampledProcess child = of(forked.parent, now);
  make_room();
  processes_.insert_or_assign(forked.process, std::move(child));
}

void ProcessTable::take(const PerfExited& exited) {
  if (exited.process == exited.thread) processes_.erase(exited.process);
}

}  // namespace laggard::collect
