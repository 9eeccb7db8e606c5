#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "archive/reader.h"
#include "base/error.h"
#include "base/node_set.h"
#include "base/terminal_text.h"
#include "base/text.h"
#include "base/time.h"
#include "cmd/commands.h"
#include "cmd/derived_series.h"
#include "cmd/event_forms.h"
#include "cmd/export_events.h"
#include "cmd/export_metric.h"
#include "cmd/export_profiles.h"
#include "cmd/line_writer.h"
#include "cmd/output.h"
#include "derive/notable_calls.h"
#include "model/metric.h"
#include "model/series_source.h"
#include "model/syscall_event.h"

namespace laggard::cmd {

namespace {

struct ExportOptions {
  std::vector<std::filesystem::path> recordings;
  std::string metric;
  std::vector<std::string> counters;
  std::vector<std::string> hosts;
  std::string device = "*";
  std::string from;
  std::string to;
  std::string step;
  std::string out = "-";
  std::vector<std::string> events;
  std::vector<std::string> profiles;
  std::string format = "csv";
  std::vector<std::string> keep;
};

Result<ReadRequest> to_request(const ExportOptions& options) {
  ReadRequest request;
  request.hosts = options.hosts;
  request.counters = options.counters;
  for (auto [text, where, name] :
       {std::tuple(&options.from, &request.from, "--from"), std::tuple(&options.to, &request.to, "--to")}) {
    if (text->empty()) continue;
    auto time = parse_time(*text);
    if (!time) return fail(ErrorCode::kBadUse, name, time.error().what);
    *where = *time;
  }
  return request;
}

Status write_table(const SampleTable& table, const std::string& device_glob, LineWriter& out) {
  for (std::size_t d = 0; d < table.devices().size(); ++d) {
    if (!glob_match(device_glob, table.devices()[d])) continue;
    const std::string name = csv_field(table.devices()[d]);
    for (std::size_t t = 0; t < table.times().size(); ++t) {
      for (std::size_t c = 0; c < table.counters().size(); ++c) {
        if (!table.present(c, d, t)) continue;
        const bool computed = table.counters()[c].form == CounterForm::kComputedRate;
        const std::uint64_t bits = table.bits(c, d, t);
        const std::string value =
            computed ? fmt::format("{}", std::bit_cast<double>(bits)) : fmt::format("{}", bits);
        Status written =
            out.write(fmt::format("{},{},{},{},{},{}\n", unix_time(table.times()[t]), csv_field(table.host()),
                                  to_name(table.kind()), name, csv_field(table.counters()[c].name), value));
        if (!written) return written;
      }
    }
  }
  return {};
}

Status export_counters(SeriesSource& source, const ReadRequest& request, const std::string& device,
                       LineWriter& out) {
  auto reader = source.read(request);
  if (!reader) return forward(reader);
  for (;;) {
    auto table = (*reader)->next();
    if (!table) return forward(table);
    if (!*table) return {};
    if (Status written = write_table(**table, device, out); !written) return written;
  }
}

Result<MetricExport> to_metric_export(const ExportOptions& options, ReadRequest request) {
  MetricExport what;
  what.metric = find_metric(options.metric);
  if (what.metric == nullptr) {
    return fail(ErrorCode::kBadUse, "--metric",
                fmt::format("'{}' is no metric; docs/methods/metrics.md lists them", options.metric));
  }
  request.counters.clear();
  what.request = std::move(request);
  what.device_glob = options.device;
  if (options.step.empty()) return what;
  auto step = parse_duration(options.step);
  if (!step || step->count() <= 0) {
    return fail(ErrorCode::kBadUse, "--step", fmt::format("'{}' is no duration such as 15s", options.step));
  }
  what.step = *step;
  return what;
}

/// What is asked for and not there is a mistake; an empty answer would look like one.
Status check_filters(const Inventory& inventory, const ExportOptions& options) {
  std::set<std::string> hosts;
  std::set<std::string> counters;
  bool any_device = false;
  for (const DeviceInfo& device : inventory.devices) {
    hosts.insert(device.host);
    any_device = any_device || glob_match(options.device, device.device);
    for (const TableCounter& counter : device.counters) counters.insert(counter.name);
  }
  const auto unknown = [](const std::vector<std::string>& wanted, const std::set<std::string>& there,
                          const char* option, const char* what) -> Status {
    for (const std::string& name : wanted) {
      if (there.contains(name)) continue;
      std::vector<std::string> names(there.begin(), there.end());
      std::ranges::sort(names, natural_less);
      return fail(
          ErrorCode::kNotFound, option,
          fmt::format("there is no {} {} in the recording; it has {}", what, name, fold_node_set(names)));
    }
    return {};
  };
  if (Status known = unknown(options.hosts, hosts, "--host", "host"); !known) return known;
  if (Status known = unknown(options.counters, counters, "--counter", "counter"); !known) return known;
  if (any_device || inventory.devices.empty()) return {};
  return fail(
      ErrorCode::kNotFound, "--device",
      fmt::format("no device matches {}; `laggard info --devices` says what is there", options.device));
}

void say_notices(archive::Reader& source) {
  for (const std::string& notice : source.notices())
    std::fprintf(stderr, "laggard: %s\n", printable(notice).c_str());
}

/// Whether what is asked for follows from events, and was not recorded itself.
bool wants_derived(const ExportOptions& options, const Inventory& inventory) {
  if (const MetricSpec* const metric = find_metric(options.metric)) return is_derived(*metric, inventory);
  return std::ranges::any_of(options.counters,
                             [&](const std::string& counter) { return is_derived(counter, inventory); });
}

/// The series that follow from events; adds what is in them to the inventory.
Status derive_series(archive::Reader& source, const ReadRequest& request,
                     std::unique_ptr<SeriesSource>& derived, Inventory& inventory) {
  auto made = derived_series(source, request);
  if (!made) return forward(made);
  derived = std::move(*made);
  auto more = derived->inventory();
  if (!more) return forward(more);
  std::ranges::move(more->devices, std::back_inserter(inventory.devices));
  return {};
}

Result<const EventForm*> form_for(const ExportOptions& options) {
  const auto forms = event_forms();
  const auto form = std::ranges::find(forms, options.format, &EventForm::name);
  if (form == forms.end()) {
    std::vector<std::string> names;
    for (const EventForm& known : forms) names.emplace_back(known.name);
    return fail(ErrorCode::kBadUse, "--format",
                fmt::format("'{}' is none of {}", options.format, fmt::join(names, ", ")));
  }
  const bool fits = form->kind.empty() || std::ranges::all_of(options.events, [&](const std::string& kind) {
                      const bool is_call = form->kind == kSyscallKind && kind == derive::kOtherCallsKind;
                      return kind == form->kind || is_call;
                    });
  if (fits) return &*form;
  return fail(
      ErrorCode::kBadUse, "--format",
      fmt::format("{} is a form of the kind {} alone (--events {})", form->name, form->kind, form->kind));
}

Status run_export_events(const ExportOptions& options, const ReadRequest& request, archive::Reader& source) {
  if (!options.metric.empty() || !options.counters.empty() || !options.step.empty()) {
    return fail(ErrorCode::kBadUse, "--events", "contradicts --metric, --counter and --step");
  }
  auto form = form_for(options);
  if (!form) return forward(form);
  auto out = LineWriter::open(options.out);
  if (!out) return forward(out);
  const ObservationRequest what{
      .from = request.from, .to = request.to, .kinds = options.events, .hosts = options.hosts};
  if (Status done = export_events(source, what, options.device, **form, *out); !done) return done;
  say_notices(source);
  return out->finish();
}

Status run_export_profiles(const ExportOptions& options, const ReadRequest& request,
                           archive::Reader& source) {
  if (!options.metric.empty() || !options.counters.empty() || !options.step.empty() ||
      !options.events.empty()) {
    return fail(ErrorCode::kBadUse, "--profiles", "contradicts --metric, --counter, --step and --events");
  }
  auto form = profile_form(options.format, options.profiles);
  if (!form) return forward(form);
  if (!(*form)->is_text && options.out == "-" && ::isatty(STDOUT_FILENO) == 1) {
    return fail(ErrorCode::kBadUse, "--format", "is nothing for a terminal; name a file with --out");
  }
  if (options.keep.empty() && (*form)->needs_kept)
    return fail(ErrorCode::kBadUse, "--keep", "is missing: the functions whose calls are to be counted");
  if (!options.keep.empty() && (*form)->kind.empty())
    return fail(ErrorCode::kBadUse, "--keep", "is for the forms leave-hot and leave-others");
  auto out = LineWriter::open(options.out);
  if (!out) return forward(out);
  const ObservationRequest what{
      .from = request.from, .to = request.to, .kinds = options.profiles, .hosts = options.hosts};
  const auto writer = (*form)->make(*out, options.keep);
  if (Status done = export_profiles(source, what, options.device, **form, *writer); !done) return done;
  say_notices(source);
  return out->finish();
}

Status write_metric(const ExportOptions& options, ReadRequest request, SeriesSource& source,
                    LineWriter& writer) {
  auto what = to_metric_export(options, std::move(request));
  if (!what) return forward(what);
  return export_metric(source, *what,
                       [&](WallTime time, const std::string& host, const std::string& device, double value) {
                         return writer.write(fmt::format("{},{},{},{},{},{}\n", unix_time(time),
                                                         csv_field(host), to_name(what->metric->kind),
                                                         csv_field(device), what->metric->name, value));
                       });
}

Status run_export_series(const ExportOptions& options, ReadRequest request, archive::Reader& source) {
  auto inventory = source.inventory();
  if (!inventory) return forward(inventory);
  std::unique_ptr<SeriesSource> derived;
  const bool is_metric = !options.metric.empty();
  if (wants_derived(options, *inventory)) {
    if (is_metric) inventory->devices.clear();  // A metric is of either; counters may be of both.
    if (Status made = derive_series(source, request, derived, *inventory); !made) return made;
  }
  if (Status known = check_filters(*inventory, options); !known) return known;
  auto writer = LineWriter::open(options.out);
  if (!writer) return forward(writer);
  Status done = writer->write("time,host,kind,device,counter,value\n");
  if (!done) return done;
  if (is_metric) {
    done = write_metric(options, std::move(request), derived ? *derived : source, *writer);
  } else {
    done = export_counters(source, request, options.device, *writer);
    if (done && derived) done = export_counters(*derived, request, options.device, *writer);
  }
  if (!done) return done;
  say_notices(source);
  return writer->finish();
}

Status run_export(const ExportOptions& options) {
  auto request = to_request(options);
  if (!request) return forward(request);
  const NamedOutput output{"--out", options.out};
  if (Status safe = check_outputs({&output, 1}); !safe) return safe;
  auto source = archive::Reader::open(options.recordings);
  if (!source) return forward(source);
  if (!options.profiles.empty()) return run_export_profiles(options, *request, **source);
  if (!options.events.empty()) return run_export_events(options, *request, **source);
  if (options.format != "csv") {
    return fail(ErrorCode::kBadUse, "--format",
                "is for events and profiles; say which (--events syscall, --profiles samples)");
  }
  return run_export_series(options, std::move(*request), **source);
}

}  // namespace

void add_export_command(CLI::App& app, Context& context) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand("export", "Give counters, a metric, events or profiles back as CSV");
  command->add_option("recording", options->recordings, "Recordings to read")->required()->type_name("REC");
  command->add_option("--metric", options->metric,
                      "A metric on its grid instead of raw counters: await, rd_sec, ...");
  command->add_option("--events", options->events, "Events of these kinds instead: ping, ...")
      ->delimiter(',')
      ->type_name("KIND,...");
  command
      ->add_option("--profiles", options->profiles,
                   "Profiles of these kinds instead: samples, stacks, calls, ...")
      ->delimiter(',')
      ->type_name("KIND,...");
  command
      ->add_option("--format", options->format,
                   "With --events: csv or json; of syscalls strace or chrome, too. With --profiles: csv, "
                   "folded, pprof or chrome; of calls leave-hot or leave-others, too")
      ->capture_default_str()
      ->type_name("FORM");
  command
      ->add_option("--counter", options->counters,
                   "Only these counters, also those that follow from events: dread_ns, ...")
      ->delimiter(',');
  command->add_option("--keep", options->keep, "With leave-hot and leave-others: functions not to leave out")
      ->delimiter(',')
      ->type_name("FUNCTION,...");
  command->add_option("--host", options->hosts, "Only these hosts")->delimiter(',');
  command
      ->add_option("--device", options->device,
                   "Only devices, or subjects of events and profiles, that match")
      ->capture_default_str()
      ->type_name("GLOB");
  command->add_option("--from", options->from, "Start here (ISO 8601 or Unix seconds)")->type_name("TIME");
  command->add_option("--to", options->to, "Stop before this")->type_name("TIME");
  command->add_option("--step", options->step, "With --metric: down-sample to this, e.g. 15s")
      ->type_name("TIME");
  command->add_option("--out", options->out, "Where the CSV goes")
      ->capture_default_str()
      ->type_name("FILE|-");
  command->footer(
      "Examples:\n"
      "  laggard export rec --metric await --host fs3 --step 15s > await.csv\n"
      "  laggard export rec --profiles samples --format pprof --host fs3 --out fs3.pb.gz");
  command->callback([options, &context] {
    if (Status done = run_export(*options); !done) context.status = report_error(done.error());
  });
}

}  // namespace laggard::cmd
