#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "base/error.h"
#include "collect/record/event_recorder.h"

namespace laggard::collect {

/// Where a source of events looks.
struct EventSourceSetup {
  std::filesystem::path from;        ///< What the user names; empty: the source's own place below `root`.
  std::filesystem::path root = "/";  ///< Where /proc, /sys and /dev are.
};

/// A row of the table of event sources: `laggard record NAME`.
struct EventSourceSpec {
  std::string_view name;
  std::string_view help;  ///< What it records, as an imperative sentence without a full stop.
  Result<std::unique_ptr<EventSource>> (*open)(const EventSourceSetup& setup) = nullptr;
};

/// To add a source is to add a row.
[[nodiscard]] std::span<const EventSourceSpec> event_sources();

}  // namespace laggard::collect
