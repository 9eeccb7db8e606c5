#include <fmt/format.h>

#include <bit>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "archive/reader.h"
#include "base/output_file.h"
#include "base/terminal_text.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/metric_export.h"
#include "cmd/output_check.h"
#include "cmd/standard_streams.h"

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
};

/// Lines to standard output as they come, or into a file that is there when all of them are.
class LineWriter {
 public:
  static Result<LineWriter> open(const std::string& path) {
    LineWriter writer;
    if (path == "-") return writer;
    auto file = OutputFile::create(path);
    if (!file) return forward(file);
    writer.file_.emplace(std::move(*file));
    return writer;
  }
  Status write(std::string_view line) {
    lines_ += line;
    return lines_.size() < kAtOnce ? Status{} : flush();
  }
  Status finish() {
    Status written = flush();
    return written && file_ ? file_->commit() : written;
  }

 private:
  static constexpr std::size_t kAtOnce = 64U << 10U;

  Status flush() {
    Status written = file_ ? file_->write(lines_) : print_document(lines_);
    lines_.clear();
    return written;
  }

  std::optional<OutputFile> file_;  ///< None: standard output.
  std::string lines_;
};

/// Quoted when it holds what would end a CSV field, or blanks around it, which a reader may take for none.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos && trim(text) == text) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

/// Unix seconds with as many decimals as there are, exactly.
std::string unix_time(WallTime time) {
  const std::int64_t ns = to_unix_ns(time);
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t seconds = ns / kSecond;
  const std::int64_t rest = ns % kSecond;
  if (rest == 0) return fmt::format("{}", seconds);
  std::string text = fmt::format("{}.{:09}", seconds, rest);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

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
    const std::string name = field(table.devices()[d]);
    for (std::size_t t = 0; t < table.times().size(); ++t) {
      for (std::size_t c = 0; c < table.counters().size(); ++c) {
        if (!table.present(c, d, t)) continue;
        const bool computed = table.counters()[c].form == CounterForm::kComputedRate;
        const std::uint64_t bits = table.bits(c, d, t);
        const std::string value =
            computed ? fmt::format("{}", std::bit_cast<double>(bits)) : fmt::format("{}", bits);
        Status written =
            out.write(fmt::format("{},{},{},{},{},{}\n", unix_time(table.times()[t]), field(table.host()),
                                  to_name(table.kind()), name, field(table.counters()[c].name), value));
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

Status run_export(const ExportOptions& options) {
  auto request = to_request(options);
  if (!request) return forward(request);
  const NamedOutput output{"--out", options.out};
  if (Status safe = check_outputs({&output, 1}); !safe) return safe;
  auto source = archive::Reader::open(options.recordings);
  if (!source) return forward(source);
  auto out = LineWriter::open(options.out);
  if (!out) return forward(out);
  LineWriter& writer = *out;
  Status done = writer.write("time,host,kind,device,counter,value\n");
  if (!done) return done;
  if (options.metric.empty()) {
    done = export_counters(**source, *request, options.device, writer);
  } else {
    auto what = to_metric_export(options, std::move(*request));
    if (!what) return forward(what);
    done =
        export_metric(**source, *what,
                      [&](WallTime time, const std::string& host, const std::string& device, double value) {
                        return writer.write(fmt::format("{},{},{},{},{},{}\n", unix_time(time), field(host),
                                                        to_name(what->metric->kind), field(device),
                                                        what->metric->name, value));
                      });
  }
  if (!done) return done;
  for (const std::string& notice : (*source)->notices())
    std::fprintf(stderr, "laggard: %s\n", printable(notice).c_str());
  return writer.finish();
}

}  // namespace

void add_export_command(CLI::App& app, Context& context) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand("export", "Give counters or a metric back as CSV");
  command->add_option("recording", options->recordings, "Recordings to read")->required()->type_name("REC");
  command->add_option("--metric", options->metric,
                      "A metric on its grid instead of raw counters: await, rd_sec, ...");
  command->add_option("--counter", options->counters, "Only these counters")->delimiter(',');
  command->add_option("--host", options->hosts, "Only these hosts")->delimiter(',');
  command->add_option("--device", options->device, "Only devices that match")
      ->capture_default_str()
      ->type_name("GLOB");
  command->add_option("--from", options->from, "Start here (ISO 8601 or Unix seconds)")->type_name("TIME");
  command->add_option("--to", options->to, "Stop before this")->type_name("TIME");
  command->add_option("--step", options->step, "With --metric: down-sample to this, e.g. 15s")
      ->type_name("TIME");
  command->add_option("--out", options->out, "Where the CSV goes")
      ->capture_default_str()
      ->type_name("FILE|-");
  command->footer("Example:\n  laggard export rec --metric await --host fs3 --step 15s > await.csv");
  command->callback([options, &context] {
    if (Status done = run_export(*options); !done) context.status = report_error(done.error());
  });
}

}  // namespace laggard::cmd
