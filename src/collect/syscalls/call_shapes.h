#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collect/syscalls/descriptor_tables.h"
#include "collect/syscalls/syscall_table.h"
#include "model/syscall_event.h"
#include "wire/syscall_record.h"

namespace laggard::collect {

/// Texts of calls that differ in their values alone (SyscallEvent::values): a program that reads a file a
/// million times makes one, which is sooner found again than written.
///
/// Calls that name paths are not among them, nor those whose result is a descriptor.
class CallShapes {
 public:
  struct Shape {
    std::uint32_t id = 0;   ///< SyscallEvent::shape; 0: there is none.
    std::string arguments;  ///< With places for values.
    std::string object;
    bool is_direct = false;
  };

  CallShapes() : slots_(kSlots) {}

  /// Null when none is kept for calls like this one. Valid until the next call; so are `values`.
  [[nodiscard]] const Shape* find(const wire::CallRecord& call, const SyscallSpec& spec,
                                  DescriptorTables& descriptors);
  /// Of the call that was looked for last.
  [[nodiscard]] std::span<const std::uint64_t> values() const { return {values_.data(), count_}; }
  /// Keeps the shape of the call that was looked for last, in vain. \return its id
  std::uint32_t keep(std::string_view arguments, std::string_view object, bool is_direct);

 private:
  static constexpr std::size_t kSlots = 1024;
  /// The call's number, and of each argument what its text depends on.
  using Key = std::array<std::uint64_t, 1 + kMostArgumentValues>;
  struct Slot {
    Key key{};
    Shape shape;
  };

  [[nodiscard]] bool set_key(const wire::CallRecord& call, const SyscallSpec& spec,
                             DescriptorTables& descriptors);
  [[nodiscard]] std::uint64_t part_of(char letter, std::uint64_t value);
  std::uint64_t take_value(std::uint64_t value);

  std::vector<Slot> slots_;
  Key key_{};
  Slot* last_ = nullptr;  ///< Where the call that was looked for belongs; null: nowhere.
  std::array<std::uint64_t, kMostArgumentValues> values_{};
  std::size_t count_ = 0;
  std::uint32_t last_id_ = 0;
};

}  // namespace laggard::collect
