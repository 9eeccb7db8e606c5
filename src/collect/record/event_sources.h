#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "collect/record/event_recorder.h"
#include "model/observation_source.h"

namespace laggard::collect {

/// An option of a source's own on the command line: `--NAME VALUE`.
struct EventSourceOption {
  std::string_view name;
  std::string_view help;
  std::string_view type;     ///< Of its value, as help shows it.
  std::string_view initial;  ///< Its value when it is not given; empty: none.
  bool many = false;         ///< Takes several, separated by commas or each with the option's name.
  bool is_command = false;   ///< It is what stands at the end, behind `--`: a command with its arguments.
  bool is_flag = false;      ///< It has no value on the command line, and some value where it is given.
};

/// Where a source of events looks, and what else it is told.
struct EventSourceSetup {
  std::filesystem::path from = {};   ///< What the user names; empty: the source's own place below `root`.
  std::filesystem::path root = "/";  ///< Where /proc, /sys and /dev are.
  std::string host = {};             ///< As it will be recorded.
  std::map<std::string, std::vector<std::string>, std::less<>> options = {};  ///< By EventSourceOption::name.
  std::function<void(const std::string& sentence)> say =
      {};  ///< For what the user should know; may be empty.
  /// The bookmarks (EventTable) of the host's events of a kind in the recording that is continued. Not to be
  /// called before the first reading, when the recording is surely ours.
  std::function<Result<std::vector<std::string>>(const std::string& kind)> bookmarks = {};

  [[nodiscard]] std::vector<std::string> options_of(std::string_view name) const {
    const auto found = options.find(name);
    return found == options.end() ? std::vector<std::string>{} : found->second;
  }
  /// Of an option that takes one value; empty when it has none.
  [[nodiscard]] std::string option(std::string_view name) const {
    const auto all = options_of(name);
    return all.empty() ? std::string{} : all.back();
  }
};

/// The processes that `--pid` names, which exist. \return kBadUse for what is no number, kNotFound.
[[nodiscard]] Result<std::vector<pid_t>> chosen_processes(const EventSourceSetup& setup);

/// A row of the table of event sources: `laggard record NAME`.
struct EventSourceSpec {
  std::string_view name;
  std::string_view help;  ///< What it records, as an imperative sentence without a full stop.
  Result<std::unique_ptr<EventSource>> (*open)(const EventSourceSetup& setup) = nullptr;
  std::string_view from = "What to read; else the usual place";  ///< What `--from` is; empty: it takes none.
  std::span<const EventSourceOption> options = {};
  std::string_view example = {};  ///< Of options; goes into the help.
  bool is_counted = false;        ///< Its events are counted, and kept one by one where they need to be.
  ObservationShape shape = ObservationShape::kEvents;  ///< Of what it records.
};

/// To add a source is to add a row.
[[nodiscard]] std::span<const EventSourceSpec> event_sources();

}  // namespace laggard::collect
