#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "detect/syscalls/error_propagation.h"
#include "detect/syscalls/stopped_servers.h"
#include "model/event.h"
#include "model/recorded_call.h"
#include "model/resolver.h"
#include "model/syscall_event.h"

namespace laggard::detect {

/// The calls of a table, and which of them failed.
class FailedCalls {
 public:
  /// \param table  of the kind kSyscallKind; outlives this.
  explicit FailedCalls(const EventTable& table)
      : table_(table), errors_(table.find_attribute("errno", AttributeForm::kWord)) {}

  /// Events that returned an error.
  [[nodiscard]] std::span<const std::uint32_t> events() const;
  [[nodiscard]] std::string_view error(std::size_t e) const { return table_.word(errors_, e); }
  /// The call with its error, which may be none.
  [[nodiscard]] FailedCall at(std::size_t e) const;

 private:
  const EventTable& table_;
  const AttributeColumn* errors_;
};

/// Hands the calls of one client's table over to what follows them, in their order.
class ClientCalls {
 public:
  /// All outlive this.
  ClientCalls(const EventTable& table, const SeriesResolver& resolver, ErrorPropagation& errors,
              StoppedServers& stopped);
  /// What was found on the way.
  void take(std::vector<StoppedServers::Stopped>& found);

 private:
  /// What is known of a word as the subject of calls.
  struct Object {
    bool is_known = false;
    bool is_file = false;
    std::string server;  ///< At the other end of a connection; empty: it is none to a server.
  };
  [[nodiscard]] const Object& object(Word word);
  [[nodiscard]] CallKind kind(Word word);
  [[nodiscard]] std::int64_t number(const AttributeColumn* column, std::size_t e,
                                    std::int64_t otherwise) const;
  void take_talk(std::size_t e, CallKind kind, const Object& object);
  void take_application(std::size_t e);

  const EventTable& table_;
  const SeriesResolver& resolver_;
  ErrorPropagation& errors_;
  StoppedServers& stopped_;
  FailedCalls failed_;
  const AttributeColumn* results_;
  const AttributeColumn* ends_;
  const AttributeColumn* lwps_;
  std::vector<std::optional<CallKind>> kinds_;  ///< By word.
  std::vector<Object> objects_;                 ///< By word.
};

}  // namespace laggard::detect
