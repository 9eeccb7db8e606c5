#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "collect/syscalls/descriptor_tables.h"
#include "collect/syscalls/syscall_table.h"
#include "model/syscall_event.h"
#include "wire/syscall_record.h"

namespace laggard::collect {

/// The paths that a call names, in the order of its arguments; a null pointer where it could not be read.
using CallPaths = std::array<std::string_view, 2>;

/// The arguments of a call as strace writes them: descriptors with what they stand for, paths in quotes,
/// flags of open and AT_FDCWD by name. Other memory that an argument points to was not read and is an
/// address, other bits are hexadecimal. Numbers that differ from call to call are values
/// (SyscallEvent::values).
class ArgumentText {
 public:
  /// \param spec  null: all six in hexadecimal.
  void set(const wire::CallRecord& call, const SyscallSpec* spec, const CallPaths& paths,
           DescriptorTables& descriptors);
  /// Valid until the next call of `set`.
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::span<const std::uint64_t> values() const { return {values_.data(), count_}; }
  /// Whether these are values, and not in the text because the name of a file reads like a place.
  [[nodiscard]] bool has_places() const { return has_places_; }

 private:
  void write_all(const wire::CallRecord& call, const SyscallSpec& spec, const CallPaths& paths,
                 DescriptorTables& descriptors);
  void write(char letter, std::uint64_t value);
  void write_number(std::uint64_t value, std::string_view place);

  std::string text_;
  std::array<std::uint64_t, kMostArgumentValues> values_{};
  std::size_t count_ = 0;
  bool has_places_ = true;  ///< Else numbers are in the text.
};

/// Whether an int is part of the text: kinds, signals and options are few; other numbers may be many.
[[nodiscard]] constexpr bool is_in_text(std::int32_t number) {
  constexpr std::int32_t kSmall = 4096;
  return number > -kSmall && number < kSmall;
}

/// The result of a call where that is a number and no more.
[[nodiscard]] std::optional<std::int64_t> plain_result(const wire::CallRecord& call, const SyscallSpec* spec);

/// Adds the result of a call: a number, `3</etc/passwd>`, an address, `-1 ENOENT (No such file or
/// directory)`, or `? ERESTARTSYS (...)`.
void add_result(const wire::CallRecord& call, const SyscallSpec* spec, DescriptorTables& descriptors,
                std::string& text);

/// The name of a signal: `SIGTERM`, `SIGRT_3`.
[[nodiscard]] std::string signal_text(int number);

/// What is said of a signal that was delivered: `{si_signo=SIGTERM, si_code=SI_USER, si_pid=17}`.
[[nodiscard]] std::string signal_details(const wire::MomentRecord& signal);

}  // namespace laggard::collect
