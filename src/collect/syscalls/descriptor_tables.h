#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace laggard::collect {

/// Which descriptors of traced processes stand for what (the fd log of S §4), kept up to date from what calls
/// do to them. Times are in ns of the monotonic clock.
class DescriptorTables {
 public:
  /// Of those beyond, nothing is kept.
  static constexpr std::int64_t kMostDescriptors = 1 << 16;

  struct Descriptor {
    std::string text{};  ///< Empty: not open, or not known.
    std::uint64_t since_ns = 0;
    std::uint64_t id = 0;  ///< Of this text for this descriptor: another one each time that it is set.
    bool closes_on_exec = false;
    bool is_direct = false;  ///< Opened with O_DIRECT.
  };

  /// Its id is given here.
  void set(std::uint32_t process, std::int64_t descriptor, Descriptor what);
  /// Null when it is not known. Valid until the next change.
  [[nodiscard]] const Descriptor* descriptor(std::uint32_t process, std::int64_t number);
  /// Empty when it is not known. Valid until the next change.
  [[nodiscard]] std::string_view text(std::uint32_t process, std::int64_t descriptor);
  /// A call that began at `begun_ns` closed these, both included. A descriptor that another thread was given
  /// while the call was under way has the number of a closed one, but is none of those: nobody closes what
  /// was not returned to anybody yet.
  void close(std::uint32_t process, std::int64_t first, std::int64_t last, std::uint64_t begun_ns);
  /// They will be closed when a program is executed.
  void set_close_on_exec(std::uint32_t process, std::int64_t first, std::int64_t last);
  void execute(std::uint32_t process);
  /// \param shares  both have one table (CLONE_FILES); else the child has a copy.
  void fork(std::uint32_t parent, std::uint32_t child, bool shares);
  void end(std::uint32_t process);
  [[nodiscard]] std::size_t processes() const { return files_.size(); }

 private:
  using Table = std::vector<Descriptor>;
  /// What processes with common descriptors have in common. Its table may be that of others, too, until one
  /// of them is changed: most children execute another program before they change anything.
  struct Files {
    std::shared_ptr<Table> table;
  };

  [[nodiscard]] Files* find(std::uint32_t process);
  /// The table, which is its own from now on; null when the process is not known.
  [[nodiscard]] Table* find_to_change(std::uint32_t process);

  std::unordered_map<std::uint32_t, std::shared_ptr<Files>> files_;
  std::uint64_t last_id_ = 0;
  /// Of the last look-up: calls of a process come in runs.
  std::uint32_t last_process_ = 0;
  Files* last_ = nullptr;
};

}  // namespace laggard::collect
