#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/time.h"
#include "collect/syscalls/call_shapes.h"
#include "collect/syscalls/call_text.h"
#include "collect/syscalls/descriptor_tables.h"
#include "collect/syscalls/syscall_table.h"
#include "model/syscall_event.h"
#include "wire/syscall_record.h"

namespace laggard::collect {

/// Turns records of the kernel side, in their order, into calls, signals and ends of threads with their
/// texts. It follows what descriptors stand for meanwhile.
///
/// Records that are cut short, or of no known kind, are counted and otherwise passed over.
class RecordDecoder {
 public:
  /// \param offset  of the wall clock from the monotonic one, when the next records were made.
  void set_clock(Duration offset) { offset_ = offset; }

  /// \return what the record tells; null if that is nothing for the archive. Valid until the next call.
  [[nodiscard]] const SyscallEvent* decode(std::span<const std::byte> record);

  /// Whether there are processes whose open descriptors nobody has told; asking forgets it.
  [[nodiscard]] bool takes_newcomers();
  [[nodiscard]] bool uses_io_uring() const { return uses_io_uring_; }
  [[nodiscard]] std::uint64_t damaged() const { return damaged_; }
  [[nodiscard]] const DescriptorTables& descriptors() const { return descriptors_; }

 private:
  [[nodiscard]] WallTime wall(std::uint64_t mono_ns) const;
  [[nodiscard]] const SyscallEvent* decode_moment(std::span<const std::byte> record);
  void tell_call(const wire::CallRecord& call, std::string_view texts);
  void tell_signal(const wire::MomentRecord& moment);
  void tell_exit(const wire::MomentRecord& moment);
  [[nodiscard]] const DescriptorTables::Descriptor* descriptor_of(const wire::CallRecord& call,
                                                                  const SyscallSpec& spec);
  /// Its arguments and object.
  void tell_texts(const wire::CallRecord& call, const SyscallSpec* spec, std::string_view texts);
  void tell_object(const wire::CallRecord& call, const SyscallSpec& spec, std::string_view path);
  void tell_result(const wire::CallRecord& call, const SyscallSpec* spec);
  void follow(const wire::CallRecord& call);
  void describe(const wire::DescriptorRecord& record, std::string_view text);
  [[nodiscard]] const SyscallEvent* damaged_record();

  Duration offset_{};
  DescriptorTables descriptors_;
  CallShapes shapes_;
  ArgumentText call_arguments_;
  SyscallEvent event_{};  ///< That is told, and its texts.
  std::string name_;
  std::string arguments_;
  std::string result_;
  std::string object_;
  bool has_newcomers_ = false;
  bool uses_io_uring_ = false;
  std::uint64_t damaged_ = 0;
};

}  // namespace laggard::collect
