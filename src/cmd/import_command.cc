#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "archive/reader.h"
#include "archive/writer.h"
#include "base/file.h"
#include "base/text.h"
#include "base/time.h"
#include "cmd/commands.h"
#include "cmd/import_run.h"
#include "cmd/output.h"
#include "cmd/prometheus.h"
#include "cmd/recording_folder.h"
#include "collect/import/ceph/import.h"
#include "collect/import/csv/import.h"
#include "collect/import/sysstat/import.h"
#include "collect/record/clocks.h"
#include "model/counter.h"
#include "topology/import/ceph_facts.h"

namespace laggard::cmd {

namespace {

using collect::ImportResult;

/// Runs one import into the recording and says what came of it.
/// \param import  (TableSink&, ImportObserver&) -> Result<ImportResult>
template <typename Import>
int run_import(const ImportOptions& common, const Import& import) {
  SystemClock clock;
  if (const Status usable = check_recording_folder(common.out); !usable) return report_error(usable.error());
  std::error_code unknown;
  const bool made = !std::filesystem::exists(common.out, unknown);
  archive::WriterOptions writer_options;
  writer_options.existing = archive::Existing::kSkipEqual;
  Result<std::unique_ptr<archive::Writer>> writer = archive::Writer::open(common.out, writer_options, clock);
  if (!writer) return report_error(writer.error());
  ImportDisplay display(clock);
  Result<ImportResult> result = import(**writer, display);
  display.clear();
  const Status closed = (*writer)->close();
  const archive::WriteStats stats = (*writer)->stats();
  return finish_import(
      common, std::move(result), closed,
      {.added = stats.cells_added, .already_there = stats.cells_already_there, .made = made});
}

std::vector<std::string> device_kind_names() {
  std::vector<std::string> names;
  for (const DeviceKindSpec& kind : device_kinds()) names.emplace_back(kind.name);
  return names;
}

/// How the numbers and times of a CSV file are written.
struct CsvWriting {
  std::string delimiter = ",";
  std::string decimal = ".";
  std::string time_format;
  std::string tz;
};

void add_writing(CLI::App& command, CsvWriting& writing) {
  command.add_option("--delimiter", writing.delimiter, "What stands between fields; tab is a word for it")
      ->type_name("CHAR")
      ->capture_default_str();
  command.add_option("--decimal", writing.decimal, "The decimal sign")
      ->type_name("CHAR")
      ->capture_default_str();
  command
      .add_option("--time-format", writing.time_format,
                  "Unix times in s, ms, us or ns, or a pattern such as '%d.%m.%Y %H:%M:%S'")
      ->type_name("FORMAT");
  command.add_option("--tz", writing.tz, "Of times that name no zone: their distance from UTC")
      ->type_name("+HH:MM");
}

Status take_writing(const CsvWriting& writing, collect::CsvForm& form) {
  const auto one = [](const std::string& option, std::string text, char& into) -> Status {
    if (text == "tab" || text == "\\t") text = "\t";
    if (text.size() != 1 || text == "\"" || text == "\n") {
      return fail(ErrorCode::kBadUse, option, fmt::format("'{}' is not one character", text));
    }
    into = text.front();
    return {};
  };
  if (Status taken = one("--delimiter", writing.delimiter, form.delimiter); !taken) return taken;
  if (Status taken = one("--decimal", writing.decimal, form.decimal); !taken) return taken;
  form.times.format = writing.time_format;
  if (writing.tz.empty()) return {};
  auto zone = collect::parse_zone(writing.tz);
  if (!zone) return forward(zone);
  form.times.zone = *zone;
  return {};
}

void add_csv(CLI::App& import, Context& context) {
  struct Options {
    ImportOptions common;
    std::vector<std::filesystem::path> files;
    collect::CsvForm form;
    collect::UnpackLimits limits;
    std::string kind = "disk";
    CsvWriting writing;
  };
  CLI::App* command = import.add_subcommand(
      "csv", "CSV files: one value a line (time,host,kind,device,counter,value), or wide by naming columns");
  auto options = std::make_shared<Options>();
  command
      ->add_option("files", options->files,
                   "Plain, gz, bz2, xz, zst or lz4, tar or zip of many; - is standard input")
      ->required()
      ->type_name("FILE");
  add_common(*command, options->common);
  collect::CsvForm& form = options->form;
  command->add_option("--time", form.time, "Wide form: column of the time")->type_name("COLUMN");
  command->add_option("--component", form.component, "Wide form: column of the disk or interface")
      ->type_name("COLUMN");
  add_list(*command, "--gauge", form.gauges,
           "Wide form: columns of momentary values and rates; what they hold where their names do not say it "
           "('Latenz (ms)=await:ms'), and of which disk ('sda ms=sda/await', '*_ms=*/await')")
      ->type_name("COLUMN[=[DEVICE/]NAME[:UNIT]]");
  add_list(*command, "--counter", form.counters, "Wide form: the same of counters that only grow")
      ->type_name("COLUMN[=…]");
  add_writing(*command, options->writing);
  command->add_option("--host", form.host, "Wide form: the host that the files are of")->type_name("NAME");
  command->add_option("--host-column", form.host_column, "Wide form: column of the host")
      ->type_name("COLUMN");
  command->add_option("--kind", options->kind, "Wide form: what the components are")
      ->check(CLI::IsMember(device_kind_names()))
      ->capture_default_str();
  add_max_unpacked(*command, options->limits, "1G, or 300 times its size");
  command->footer(
      "Examples:\n"
      "  laggard import csv samples.csv.xz --out REC\n"
      "  laggard import csv host_22.tar.gz --time ts --component disk_id --host host_22 \\\n"
      "    --gauge throughput,latency --out REC\n"
      "  laggard import csv werte.csv --time Zeit --time-format '%d.%m.%Y %H:%M:%S' --tz +01:00 \\\n"
      "    --component Platte --host fs1 --delimiter ';' --decimal , \\\n"
      "    --gauge 'Lesen MB/s=rd_sec:MB/s' --gauge 'Latenz (ms)=await:ms' --out REC");
  command->callback([options, &context] {
    options->form.kind = device_kind(options->kind).value_or(DeviceKind::kDisk);
    if (const Status status = take_writing(options->writing, options->form); !status) {
      context.status = report_error(status.error());
      return;
    }
    if (const Status status = options->form.check(); !status) {
      context.status = report_error(status.error());
      return;
    }
    context.status = run_import(options->common, [&](TableSink& sink, collect::ImportObserver& observer) {
      return collect::import_csv(options->files, options->form, sink, observer, options->limits);
    });
  });
}

void add_sysstat(CLI::App& import, Context& context) {
  struct Options {
    ImportOptions common;
    std::vector<std::filesystem::path> files;
    collect::SysstatOptions sysstat;
  };
  CLI::App* command =
      import.add_subcommand("sysstat", "sysstat's activity files (sa files), read through sadf");
  auto options = std::make_shared<Options>();
  command
      ->add_option("files", options->files,
                   "sa files of any version that the installed sadf reads, packed or not")
      ->required()
      ->type_name("FILE");
  add_common(*command, options->common);
  command->add_option("--host", options->sysstat.host, "Name of the host, in place of the one in the files")
      ->type_name("NAME");
  add_list(*command, "--disk", options->sysstat.disks, "Only disks like this")->type_name("GLOB");
  add_max_unpacked(*command, options->sysstat.unpack, "256M, or 50 times its size");
  command->footer(
      "Examples:\n"
      "  laggard import sysstat /var/log/sysstat/sa* --out REC\n"
      "  laggard import sysstat fs1/sa* --out REC --host fs1 --disk 'sd*'");
  command->callback([options, &context] {
    context.status = run_import(options->common, [&](TableSink& sink, collect::ImportObserver& observer) {
      return collect::import_sysstat(options->files, options->sysstat, sink, observer);
    });
  });
}

struct CephCommand {
  ImportOptions common;
  std::vector<std::filesystem::path> files;
  std::vector<std::string> osds;
  std::string map;
  collect::UnpackLimits limits;
};

/// Where the OSDs are, of the files that say so.
Result<OsdDisks> osd_disks(const CephCommand& command) {
  std::vector<topology::SavedText> osds;
  for (const std::string& path : command.osds) {
    Result<std::string> text = read_file(path);
    if (!text) return forward(text);
    osds.push_back({.path = path, .text = std::move(*text)});
  }
  if (command.map.empty()) return topology::osd_disks(osds, {});
  Result<std::string> text = read_file(command.map);
  if (!text) return forward(text);
  Result<topology::SiteMap> map = topology::parse_site_map(*text, command.map);
  if (!map) return forward(map);
  return topology::osd_disks(osds, *map);
}

void add_ceph(CLI::App& import, Context& context) {
  CLI::App* command = import.add_subcommand(
      "ceph", "What Ceph's OSDs do by themselves (scrubs, recovery, backfill), from ceph pg dump");
  auto options = std::make_shared<CephCommand>();
  command
      ->add_option("files", options->files,
                   "ceph pg dump or ceph pg ls with -f json, any number one after the other, packed or not")
      ->required()
      ->type_name("FILE");
  add_common(*command, options->common);
  add_list(*command, "--osds", options->osds,
           "Where the OSDs are: ceph osd metadata -f json (or ceph device ls -f json), saved")
      ->required()
      ->type_name("FILE");
  command->add_option("--map", options->map, "Names of hosts as they are recorded (TOML)")->type_name("SITE");
  add_max_unpacked(*command, options->limits, "1G, or 300 times its size");
  command->footer(
      "Example: ceph osd metadata -f json >osds\n"
      "         while sleep 60; do ceph pg dump -f json 2>/dev/null; echo; done >>pgs    # where ceph runs\n"
      "         laggard import ceph pgs --osds osds --out REC");
  command->callback([options, &context] {
    const Result<OsdDisks> osds = osd_disks(*options);
    if (!osds) {
      context.status = report_error(osds.error());
      return;
    }
    context.status = run_import(options->common, [&](TableSink& sink, collect::ImportObserver& observer) {
      return collect::import_ceph_work(options->files, *osds, sink, observer, options->limits);
    });
  });
}

struct PrometheusCommand {
  ImportOptions common;
  PrometheusServerOptions source;
  std::string from;
  std::string to;
};

/// A moment, or with a unit (`2h`) how long ago.
Result<WallTime> moment(const std::string& option, const std::string& text, WallTime now) {
  if (const Result<WallTime> time = parse_time(text)) return *time;
  const Result<Duration> ago = parse_duration(text);
  if (ago && ago->count() >= 0) return now - *ago;
  return fail(
      ErrorCode::kBadUse, option,
      fmt::format("`{}` is neither a time (2026-11-20T19:21:34Z, Unix seconds) nor how long ago (2h)", text));
}

/// Where an import without --from begins: a little before the end of what the recording has, so that
/// importing again goes on, else a day ago.
WallTime usual_begin(const std::string& recording, WallTime to, collect::ImportObserver& observer) {
  constexpr Duration kOverlap = std::chrono::minutes(5);
  const WallTime day_ago = to - std::chrono::hours(24);
  const std::vector<std::filesystem::path> paths{recording};
  Result<std::unique_ptr<archive::Reader>> reader = archive::Reader::open(paths);
  if (!reader) return day_ago;
  const Result<Inventory> inventory = (*reader)->inventory();
  std::optional<WallTime> last;
  if (inventory) {
    for (const DeviceInfo& device : inventory->devices)
      last = std::max(last.value_or(device.last), device.last);
  }
  if (!last || *last > to) return day_ago;
  observer.notice(fmt::format("going on at {}, before the recording's last sample (--from)",
                              to_iso8601(*last - kOverlap)));
  return *last - kOverlap;
}

/// The time that is to be imported, both ends inclusive.
Result<TimeSpan> span_of(const PrometheusCommand& command, WallTime now, collect::ImportObserver& observer) {
  TimeSpan span{now, now};
  if (!command.to.empty()) {
    const Result<WallTime> to = moment("--to", command.to, now);
    if (!to) return tl::unexpected<Error>(to.error());
    span.to = *to;
  }
  if (command.from.empty()) {
    span.from = usual_begin(command.common.out, span.to, observer);
    return span;
  }
  const Result<WallTime> from = moment("--from", command.from, now);
  if (!from) return tl::unexpected<Error>(from.error());
  span.from = *from;
  return span;
}

/// Refuses what is to be written some time after we were asked to stop: whoever answered with a hundred
/// thousand hosts, a file each, is not waited for.
class StoppableSink final : public TableSink {
 public:
  StoppableSink(TableSink& sink, collect::SignalClock& signals) : sink_(sink), signals_(signals) {}

  Status append(const SampleTable& table) override {
    if (Status on = go_on(); !on) return on;
    return sink_.append(table);
  }
  Status describe(const DeviceInfo& device) override {
    if (Status on = go_on(); !on) return on;
    return sink_.describe(device);
  }

 private:
  [[nodiscard]] Status go_on() {
    constexpr Duration kGrace = std::chrono::milliseconds(500);
    if (!signals_.asked_to_stop()) return {};
    if (!asked_) asked_ = signals_.mono();
    if (signals_.mono() - *asked_ < kGrace) return {};
    return fail(ErrorCode::kUnavailable, "",
                "stopped before all that was read was written; import again to go on");
  }

  TableSink& sink_;
  collect::SignalClock& signals_;
  std::optional<MonoTime> asked_;
};

int import_from_server(const PrometheusCommand& command) {
  Result<collect::SignalClock> clock = collect::SignalClock::make();
  if (!clock) return report_error(clock.error());
  Result<PrometheusServer> server = PrometheusServer::connect(command.source, *clock);
  if (!server) return report_error(server.error());
  const Result<TimeSpan> span = [&] {
    ImportDisplay display(*clock);
    return span_of(command, clock->wall(), display);
  }();
  if (!span) return report_error(span.error());
  return run_import(command.common, [&](TableSink& sink, collect::ImportObserver& observer) {
    StoppableSink stoppable(sink, *clock);
    return server->fetch(span->from, span->to, stoppable, observer);
  });
}

void add_prometheus(CLI::App& import, Context& context) {
  CLI::App* command = import.add_subcommand("prometheus",
                                            "node_exporter's disks and interfaces, and the targets of "
                                            "Lustre's exporters, from Prometheus, VictoriaMetrics, …");
  auto options = std::make_shared<PrometheusCommand>();
  command->add_option("url", options->source.server.url, "http[s]://[user[:password]@]host[:port][/prefix]")
      ->required()
      ->type_name("URL");
  add_common(*command, options->common);
  command
      ->add_option("--from", options->from,
                   "Begin: a time, or how long ago (2h). Otherwise where the recording ends, or a day ago")
      ->type_name("T");
  command->add_option("--to", options->to, "End (now)")->type_name("T");
  command
      ->add_option("--step", options->source.step,
                   "A value every so often, instead of the samples as they were taken")
      ->type_name("S");
  add_series_options(*command, options->source);
  add_server_options(*command, options->source.server);
  command->footer(
      "Examples:\n"
      "  laggard import prometheus http://prom:9090 --out REC --from 2h\n"
      "  laggard import prometheus http://prom:9090 --out REC --match 'job=\"oss\"' --label host=nodename");
  command->callback([options, &context] { context.status = import_from_server(*options); });
}

}  // namespace

void add_import_command(CLI::App& app, Context& context) {
  CLI::App* import = app.add_subcommand("import", "Bring samples that a site already has into a recording");
  import->require_subcommand(1);
  import->footer("Importing the same again adds nothing. laggard import csv --help has more.");
  add_csv(*import, context);
  add_sysstat(*import, context);
  add_prometheus(*import, context);
  add_ceph(*import, context);
  add_import_logs(*import, context);
  add_import_pings(*import, context);
  add_import_strace(*import, context);
  add_import_perf(*import, context);
  add_import_folded(*import, context);
}

}  // namespace laggard::cmd
