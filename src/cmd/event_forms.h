#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "model/event.h"

namespace laggard::cmd {

/// A form in which events are written.
struct EventForm {
  std::string_view name;   ///< As --format has it.
  std::string_view kind;   ///< Of the only events that it can tell; empty: any.
  std::string_view begin;  ///< What stands before all events, ...
  std::string_view end;    ///< ... and behind them.
  /// Adds some events of a table.
  void (*write)(const EventTable& events, std::span<const std::uint32_t> which, std::string& text);
};

/// csv; json, an object a line; strace, as `strace -f -ttt -T -o` writes it; chrome, as Perfetto and
/// chrome://tracing read it.
[[nodiscard]] std::span<const EventForm> event_forms();

/// Events as `time,host,kind,subject,what,duration_s,attributes`, the attributes as `key=value` with blanks
/// between.
void write_csv(const EventTable& events, std::span<const std::uint32_t> which, std::string& text);

}  // namespace laggard::cmd
