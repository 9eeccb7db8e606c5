#include "collect/syscalls/descriptor_tables.h"

#include <algorithm>
#include <utility>

namespace laggard::collect {

DescriptorTables::Table* DescriptorTables::find(std::uint32_t process) {
  if (last_ != nullptr && last_process_ == process) return last_;
  const auto found = tables_.find(process);
  if (found == tables_.end()) return nullptr;
  last_process_ = process;
  last_ = found->second.get();
  return last_;
}

void DescriptorTables::set(std::uint32_t process, std::int64_t descriptor, Descriptor what) {
  if (descriptor < 0 || descriptor >= kMostDescriptors) return;
  Table* table = find(process);
  if (table == nullptr) {
    table = tables_.emplace(process, std::make_shared<Table>()).first->second.get();
    last_process_ = process;
    last_ = table;
  }
  const auto at = static_cast<std::size_t>(descriptor);
  if (at >= table->size()) table->resize(at + 1);
  (*table)[at] = std::move(what);
}

std::string_view DescriptorTables::text(std::uint32_t process, std::int64_t descriptor) {
  const Table* table = find(process);
  if (table == nullptr || descriptor < 0 || descriptor >= static_cast<std::int64_t>(table->size())) return {};
  return (*table)[static_cast<std::size_t>(descriptor)].text;
}

void DescriptorTables::close(std::uint32_t process, std::int64_t first, std::int64_t last,
                             std::uint64_t begun_ns) {
  Table* table = find(process);
  if (table == nullptr) return;
  last = std::min(last, static_cast<std::int64_t>(table->size()) - 1);
  for (std::int64_t d = std::max<std::int64_t>(first, 0); d <= last; ++d) {
    Descriptor& descriptor = (*table)[static_cast<std::size_t>(d)];
    if (descriptor.since_ns < begun_ns) descriptor = {};
  }
}

void DescriptorTables::set_close_on_exec(std::uint32_t process, std::int64_t first, std::int64_t last) {
  Table* table = find(process);
  if (table == nullptr) return;
  last = std::min(last, static_cast<std::int64_t>(table->size()) - 1);
  for (std::int64_t d = std::max<std::int64_t>(first, 0); d <= last; ++d) {
    (*table)[static_cast<std::size_t>(d)].closes_on_exec = true;
  }
}

void DescriptorTables::execute(std::uint32_t process) {
  const auto found = tables_.find(process);
  if (found == tables_.end()) return;
  // What was shared is shared no longer.
  auto own = std::make_shared<Table>(*found->second);
  for (Descriptor& descriptor : *own) {
    if (descriptor.closes_on_exec) descriptor = {};
  }
  found->second = std::move(own);
  last_ = nullptr;
}

void DescriptorTables::fork(std::uint32_t parent, std::uint32_t child, bool shares) {
  if (parent == child) return;
  const auto found = tables_.find(parent);
  if (found == tables_.end()) return;
  const std::shared_ptr<Table> of_parent = found->second;
  tables_[child] = shares ? of_parent : std::make_shared<Table>(*of_parent);
  last_ = nullptr;
}

void DescriptorTables::end(std::uint32_t process) {
  tables_.erase(process);
  last_ = nullptr;
}

}  // namespace laggard::collect
