#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "archive/reader.h"
#include "archive/recover.h"
#include "base/node_set.h"
#include "base/terminal_text.h"
#include "base/text.h"
#include "base/time.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/uncompared.h"

namespace laggard::cmd {

namespace {

using Json = nlohmann::ordered_json;

struct InfoOptions {
  std::vector<std::filesystem::path> recordings;
  std::string recover_to;
  bool json = false;
  bool verify = false;
  bool devices = false;
};

/// Devices of one kind that were recorded alike: one line of the overview.
struct Line {
  std::string host;
  DeviceKind kind = DeviceKind::kDisk;
  std::vector<std::string> devices;
  std::size_t active = 0;  ///< Devices under load: something happened in 5 % of their samples.
  WallTime first = WallTime::max();
  WallTime last = WallTime::min();
  std::uint64_t samples = 0;
  std::optional<Duration> interval;
};

constexpr double kUnderLoad = 0.05;

bool under_load(const DeviceInfo& device) {
  return static_cast<double>(device.active_samples) >= kUnderLoad * static_cast<double>(device.samples);
}

std::vector<Line> overview(const Inventory& inventory) {
  std::vector<Line> lines;
  for (const DeviceInfo& device : inventory.devices) {
    if (lines.empty() || lines.back().host != device.host || lines.back().kind != device.kind) {
      lines.push_back({device.host, device.kind, {}, 0, WallTime::max(), WallTime::min(), 0, {}});
    }
    Line& line = lines.back();
    line.devices.push_back(device.device);
    line.active += under_load(device) ? 1U : 0U;
    line.first = std::min(line.first, device.first);
    line.last = std::max(line.last, device.last);
    line.samples = std::max(line.samples, device.samples);
    if (device.interval)
      line.interval = line.interval ? std::min(*line.interval, *device.interval) : *device.interval;
  }
  return lines;
}

/// Rounded so that a recorder's jitter does not show: `1s`, not `999ms987us`.
std::string interval_text(const std::optional<Duration>& interval) {
  if (!interval) return "–";
  using std::chrono::milliseconds;
  const auto rounded = std::chrono::round<milliseconds>(*interval);
  const auto step = rounded > milliseconds(950) ? milliseconds(100) : milliseconds(10);
  return to_text((rounded + step / 2) / step * step);
}

std::string device_list(const Line& line) {
  constexpr std::size_t kLongest = 60;
  const std::string folded = line.kind == DeviceKind::kTcp
                                 ? fmt::format("{} connections", line.devices.size())
                                 : fold_node_set(line.devices);
  return folded.size() <= kLongest ? printable(folded) : printable(folded.substr(0, kLongest)) + "…";
}

/// What a recording holds, whatever its shape.
struct Contents {
  Inventory inventory;
  std::vector<ObservationStream> observations;
};

std::string_view shape_name(ObservationShape shape) {
  return shape == ObservationShape::kEvents ? "events" : "profiles";
}

/// A line per kind of events and profiles.
std::string observations_text(const std::vector<ObservationStream>& observations) {
  if (observations.empty()) return "";
  std::string text = fmt::format("\n{:<16} {:<8} {:<12} {:>12} {:>10}  {}\n", "host", "stream", "kind",
                                 "count", "lost", "from and to");
  for (const ObservationStream& stream : observations) {
    text += fmt::format("{:<16} {:<8} {:<12} {:>12} {:>10}  {} to {}\n", printable(stream.host),
                        shape_name(stream.shape), stream.kind.empty() ? "–" : printable(stream.kind),
                        stream.count, stream.lost, to_iso8601(stream.first), to_iso8601(stream.last));
  }
  return text;
}

/// Gaps, clock steps, notices and damage.
std::string trouble_text(const Inventory& inventory) {
  std::string text;
  if (!inventory.gaps.empty()) text += fmt::format("\ngaps\n");
  for (const Gap& gap : inventory.gaps) {
    text +=
        fmt::format("  {} {} to {} ({}){}\n", printable(gap.host), to_iso8601(gap.from), to_iso8601(gap.to),
                    to_text(std::chrono::duration_cast<std::chrono::seconds>(gap.to - gap.from)),
                    gap.reason.empty() ? "" : ": " + printable(gap.reason));
  }
  if (!inventory.clock_steps.empty()) text += "\nclock steps\n";
  for (const ClockStep& step : inventory.clock_steps) {
    text += fmt::format("  {} {} to {}: {}\n", printable(step.host), to_iso8601(step.before),
                        to_iso8601(step.after), printable(step.reason));
  }
  for (const std::string& notice : inventory.notices) text += fmt::format("notice: {}\n", printable(notice));
  for (const std::string& sentence : uncompared(inventory)) {
    text += fmt::format("not compared: {}\n", printable(sentence));
  }
  const std::size_t damaged = inventory.damaged.size();
  if (damaged > 0) text += fmt::format("{} file{} damaged\n", damaged, damaged == 1 ? " is" : "s are");
  return text;
}

/// A line per kind of devices of a host.
std::string lines_text(const std::vector<Line>& lines) {
  std::string text = fmt::format("{:<16} {:<6} {:>7} {:>9} {:>11}  {}\n", "host", "kind", "every", "samples",
                                 "under load", "devices");
  for (const Line& line : lines) {
    text += fmt::format("{:<16} {:<6} {:>7} {:>9} {:>6} of {:<3} {}\n", printable(line.host),
                        to_name(line.kind), interval_text(line.interval), line.samples, line.active,
                        line.devices.size(), device_list(line));
  }
  return text;
}

std::string contents_text(const Contents& contents, const archive::Reader& reader, bool devices) {
  const Inventory& inventory = contents.inventory;
  const std::vector<Line> lines = overview(inventory);
  WallTime first = WallTime::max();
  WallTime last = WallTime::min();
  std::map<std::string, int> hosts;
  for (const Line& line : lines) {
    first = std::min(first, line.first);
    last = std::max(last, line.last);
    ++hosts[line.host];
  }
  for (const ObservationStream& stream : contents.observations) {
    first = std::min(first, stream.first);
    last = std::max(last, stream.last);
    ++hosts[stream.host];
  }
  std::uint64_t bytes = 0;
  std::error_code error;
  for (const auto& file : reader.files()) bytes += std::filesystem::file_size(file, error);
  std::string text = fmt::format("{} host{}, {} devices, {} in {} file{}\n", hosts.size(),
                                 hosts.size() == 1 ? "" : "s", inventory.devices.size(), human_bytes(bytes),
                                 reader.files().size(), reader.files().size() == 1 ? "" : "s");
  if (first <= last) text += fmt::format("{} to {}\n\n", to_iso8601(first), to_iso8601(last));
  if (!lines.empty() || contents.observations.empty()) text += lines_text(lines);
  if (devices) {
    text += fmt::format("\n");
    for (const DeviceInfo& device : inventory.devices) {
      std::string facts;
      for (const auto& [key, value] : device.facts) facts += fmt::format(" {}={}", key, value);
      text += fmt::format("{}/{} {} to {}, {} samples, active in {}{}\n", printable(device.host),
                          printable(device.device), to_iso8601(device.first), to_iso8601(device.last),
                          device.samples, device.active_samples, printable(facts));
    }
  }
  return text + observations_text(contents.observations) + trouble_text(inventory);
}

std::string contents_json(const Contents& contents, const archive::Reader& reader) {
  const Inventory& inventory = contents.inventory;
  Json out;
  out["schema"] = "laggard.info/1";
  out["files"] = Json::array();
  for (const auto& file : reader.files()) out["files"].push_back(file.string());
  out["devices"] = Json::array();
  for (const DeviceInfo& device : inventory.devices) {
    Json entry{{"host", device.host},
               {"kind", to_name(device.kind)},
               {"device", device.device},
               {"from", to_iso8601(device.first)},
               {"to", to_iso8601(device.last)},
               {"samples", device.samples},
               {"active_samples", device.active_samples}};
    entry["interval_s"] = device.interval ? Json(to_seconds(*device.interval)) : Json(nullptr);
    for (const TableCounter& counter : device.counters) entry["counters"].push_back(counter.name);
    for (const auto& [key, value] : device.facts) entry["facts"][key] = value;
    out["devices"].push_back(std::move(entry));
  }
  out["gaps"] = Json::array();
  for (const Gap& gap : inventory.gaps) {
    out["gaps"].push_back({{"host", gap.host},
                           {"from", to_iso8601(gap.from)},
                           {"to", to_iso8601(gap.to)},
                           {"reason", gap.reason}});
  }
  out["notices"] = inventory.notices;
  out["damaged"] = inventory.damaged;
  out["clock_steps"] = Json::array();
  for (const ClockStep& step : inventory.clock_steps) {
    out["clock_steps"].push_back({{"host", step.host},
                                  {"before", to_iso8601(step.before)},
                                  {"after", to_iso8601(step.after)},
                                  {"reason", step.reason}});
  }
  out["observations"] = Json::array();
  for (const ObservationStream& stream : contents.observations) {
    out["observations"].push_back({{"stream", shape_name(stream.shape)},
                                   {"host", stream.host},
                                   {"kind", stream.kind},
                                   {"from", to_iso8601(stream.first)},
                                   {"to", to_iso8601(stream.last)},
                                   {"count", stream.count},
                                   {"lost", stream.lost}});
  }
  return with_escapes(out.dump(1, ' ', false, Json::error_handler_t::replace)) + "\n";
}

Result<int> recover(const InfoOptions& options) {
  SystemClock clock;
  auto recovery = archive::recover(options.recordings, options.recover_to, clock);
  if (!recovery) return forward(recovery);
  std::string text;
  if (options.json) {
    const Json out{
        {"schema", "laggard.recovery/1"},           {"out", options.recover_to}, {"files", recovery->files},
        {"damaged_files", recovery->damaged_files}, {"values", recovery->cells}, {"lost", recovery->lost},
        {"observations", recovery->observations}};
    text = with_escapes(out.dump(1, ' ', false, Json::error_handler_t::replace)) + "\n";
  } else {
    for (const std::string& lost : recovery->lost) text += fmt::format("lost: {}\n", printable(lost));
    const std::string observations =
        recovery->observations == 0 ? "" : fmt::format(" and {} events and profiles", recovery->observations);
    text += fmt::format("{} of {} files damaged; {} values{} saved in {}\n", recovery->damaged_files,
                        recovery->files, recovery->cells, observations, printable(options.recover_to));
  }
  if (Status printed = print(text); !printed) return forward(printed);
  if (recovery->cells > 0 || recovery->observations > 0 || recovery->damaged_files == 0) return kClean;
  return fail(ErrorCode::kDamaged, options.recordings.front().string(), "nothing in it could be saved");
}

Result<int> show(const InfoOptions& options) {
  archive::ReaderOptions reading;
  reading.verify = options.verify;
  auto reader = archive::Reader::open(options.recordings, reading);
  if (!reader) return forward(reader);
  auto inventory = (*reader)->inventory();
  if (!inventory) return forward(inventory);
  auto observations = (*reader)->observations();
  if (!observations) return forward(observations);
  Contents contents{.inventory = std::move(*inventory), .observations = std::move(*observations)};
  contents.inventory.notices = (*reader)->notices();
  contents.inventory.damaged = (*reader)->damaged();
  Status printed = print(options.json ? contents_json(contents, **reader)
                                      : contents_text(contents, **reader, options.devices));
  if (!printed) return forward(printed);
  return options.verify && !contents.inventory.damaged.empty() ? kFinding : kClean;
}

}  // namespace

void add_info_command(CLI::App& app, Context& context) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* command =
      app.add_subcommand("info", "Say what is in recordings: hosts, devices, rates, gaps, damage");
  command->add_option("recording", options->recordings, "Recordings to look at")
      ->required()
      ->type_name("REC");
  command->add_flag("--devices", options->devices, "A line for every device, with what is known of it");
  command->add_flag("--verify", options->verify, "Read everything and hold it against its checksums");
  command
      ->add_option("--recover", options->recover_to,
                   "Save what is still reachable of a damaged recording here, and name what is lost")
      ->type_name("OUT");
  command->add_flag("--json", options->json, "As JSON");
  command->footer("Examples:\n  laggard info rec --verify\n  laggard info --recover saved rec");
  command->callback([options, &context] {
    const Result<int> done = options->recover_to.empty() ? show(*options) : recover(*options);
    context.status = done ? *done : report_error(done.error());
  });
}

}  // namespace laggard::cmd
