#include "collect/syscalls/descriptor_tables.h"

#include <algorithm>
#include <utility>

namespace laggard::collect {

DescriptorTables::Files* DescriptorTables::find(std::uint32_t process) {
  if (last_ != nullptr && last_process_ == process) return last_;
  const auto found = files_.find(process);
  if (found == files_.end()) return nullptr;
  last_process_ = process;
  last_ = found->second.get();
  return last_;
}

DescriptorTables::Table* DescriptorTables::find_to_change(std::uint32_t process) {
  Files* const files = find(process);
  if (files == nullptr) return nullptr;
  if (files->table.use_count() > 1) files->table = std::make_shared<Table>(*files->table);
  return files->table.get();
}

void DescriptorTables::set(std::uint32_t process, std::int64_t descriptor, Descriptor what) {
  if (descriptor < 0 || descriptor >= kMostDescriptors) return;
  Table* table = find_to_change(process);
  if (table == nullptr) {
    const auto files = std::make_shared<Files>(Files{std::make_shared<Table>()});
    files_.emplace(process, files);
    table = files->table.get();
  }
  const auto at = static_cast<std::size_t>(descriptor);
  if (at >= table->size()) table->resize(at + 1);
  what.id = ++last_id_;
  (*table)[at] = std::move(what);
}

const DescriptorTables::Descriptor* DescriptorTables::descriptor(std::uint32_t process, std::int64_t number) {
  const Files* const files = find(process);
  if (files == nullptr) return nullptr;
  const Table& table = *files->table;
  if (number < 0 || number >= static_cast<std::int64_t>(table.size())) return nullptr;
  return &table[static_cast<std::size_t>(number)];
}

std::string_view DescriptorTables::text(std::uint32_t process, std::int64_t number) {
  const Descriptor* const known = descriptor(process, number);
  return known == nullptr ? std::string_view{} : known->text;
}

void DescriptorTables::close(std::uint32_t process, std::int64_t first, std::int64_t last,
                             std::uint64_t begun_ns) {
  Table* const table = find_to_change(process);
  if (table == nullptr) return;
  last = std::min(last, static_cast<std::int64_t>(table->size()) - 1);
  for (std::int64_t d = std::max<std::int64_t>(first, 0); d <= last; ++d) {
    Descriptor& descriptor = (*table)[static_cast<std::size_t>(d)];
    if (descriptor.since_ns < begun_ns) descriptor = {};
  }
}

void DescriptorTables::set_close_on_exec(std::uint32_t process, std::int64_t first, std::int64_t last) {
  Table* const table = find_to_change(process);
  if (table == nullptr) return;
  last = std::min(last, static_cast<std::int64_t>(table->size()) - 1);
  for (std::int64_t d = std::max<std::int64_t>(first, 0); d <= last; ++d) {
    (*table)[static_cast<std::size_t>(d)].closes_on_exec = true;
  }
}

void DescriptorTables::execute(std::uint32_t process) {
  const auto found = files_.find(process);
  if (found == files_.end()) return;
  // What was shared is shared no longer.
  auto own = std::make_shared<Table>(*found->second->table);
  for (Descriptor& descriptor : *own) {
    if (descriptor.closes_on_exec) descriptor = {};
  }
  found->second = std::make_shared<Files>(Files{std::move(own)});
  last_ = nullptr;
}

void DescriptorTables::fork(std::uint32_t parent, std::uint32_t child, bool shares) {
  if (parent == child) return;
  const auto found = files_.find(parent);
  if (found == files_.end()) return;
  const std::shared_ptr<Files> of_parent = found->second;
  files_[child] = shares ? of_parent : std::make_shared<Files>(*of_parent);
  last_ = nullptr;
}

void DescriptorTables::end(std::uint32_t process) {
  files_.erase(process);
  last_ = nullptr;
}

}  // namespace laggard::collect
