#include "lab/cmd/simulate_scale.h"

#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>

#include "archive/writer.h"
#include "base/file.h"
#include "base/time.h"
#include "cmd/output.h"
#include "cmd/progress.h"
#include "lab/cmd/run_folder.h"
#include "lab/scale/generator.h"
#include "lab/scale/truth.h"

namespace laggard::lab {

namespace {

namespace scale = scale;

constexpr Duration kLongest = std::chrono::hours(24 * 31);
constexpr std::size_t kMostSimulated = 100;
/// Recorders begin their files five seconds after midnight (T §3.2.2).
constexpr Duration kDayBegins = std::chrono::seconds(5);

Result<scale::Seconds> whole_seconds(const char* option, const std::string& text, Duration most) {
  auto parsed = parse_duration(text);
  if (!parsed) return fail(ErrorCode::kBadUse, option, parsed.error().what);
  if (*parsed < std::chrono::seconds(1) || *parsed > most ||
      *parsed % std::chrono::seconds(1) != Duration::zero()) {
    return fail(ErrorCode::kBadUse, option,
                fmt::format("{} is no number of whole seconds from 1s to {}", text, to_text(most)));
  }
  return std::chrono::duration_cast<std::chrono::seconds>(*parsed).count();
}

scale::SiteSpec site_of(std::string_view name) {
  if (name == kRaidLaboratory) return scale::disk_failure_lab();
  return name == "surveyor" ? scale::surveyor() : scale::intrepid();
}

Result<scale::ScaleSpec> scale_spec(const ScaleOptions& options) {
  scale::ScaleSpec spec;
  spec.site = site_of(options.site);
  if (options.arrays > 0) spec.site.arrays = options.arrays;
  if (options.site == kRaidLaboratory) {
    if (options.workload != "ddr" && options.workload != "ddw") {
      return fail(ErrorCode::kBadUse, "--workload", "on --scale raid clients read (ddr) or write (ddw)");
    }
    spec.workload = options.workload == "ddr" ? scale::Workload::kRead : scale::Workload::kWrite;
    spec.transients = 0;
    spec.server_work = false;
    spec.clock_steps = false;
  }
  spec.seed = options.seed;
  auto interval = whole_seconds("--interval", options.interval, std::chrono::minutes(5));
  if (!interval) return forward(interval);
  spec.interval = *interval;
  auto duration = whole_seconds("--duration", options.duration, kLongest);
  if (!duration) return forward(duration);
  spec.duration = *duration;
  if (spec.duration < 10 * spec.interval) {
    return fail(ErrorCode::kBadUse, "--duration", "is shorter than ten intervals");
  }
  auto midnight = parse_time(options.day + "T00:00:00Z");
  if (!midnight)
    return fail(ErrorCode::kBadUse, "--day", fmt::format("'{}' is no date like 2011-05-09", options.day));
  spec.start = *midnight + kDayBegins;
  for (const std::string& name : options.incidents) {
    const auto kind = scale::incident_kind_of(name);
    if (!kind) {
      return fail(ErrorCode::kBadUse, "--incident",
                  fmt::format("'{}' is none of {}", name, scale::all_incident_kinds()));
    }
    spec.incidents.push_back(*kind);
  }
  if (spec.incidents.size() + options.random_incidents > kMostSimulated) {
    return fail(ErrorCode::kBadUse, "--incidents", fmt::format("at most {} incidents fit", kMostSimulated));
  }
  spec.random_incidents = options.random_incidents;
  return spec;
}

/// Records arrays on several threads, each with its own writer: no two arrays share a server, and a day's
/// file belongs to one server.
class Recording {
 public:
  Recording(const scale::Generator& generator, std::filesystem::path folder)
      : generator_(generator), folder_(std::move(folder)), progress_("simulating", clock_) {}

  [[nodiscard]] Status write(std::size_t threads) {
    Status written =
        generator_.spec().workload == scale::Workload::kJobs ? write_arrays(threads) : write_together();
    progress_.clear();
    return written;
  }

 private:
  [[nodiscard]] Status write_arrays(std::size_t threads) {
    Workers(threads).run(generator_.spec().site.arrays, [this](std::size_t array) {
      if (failed_) return;
      Status written = write_array(array);
      if (written) return;
      const std::lock_guard lock(mutex_);
      if (!failed_.exchange(true)) status_ = std::move(written);
    });
    return status_;
  }

  Status write_array(std::size_t array) {
    return write_by([&](TableSink& sink) {
      return generator_.write_array(array, sink, [this](std::size_t samples) { advance(samples); });
    });
  }

  Status write_together() {
    return write_by([&](TableSink& sink) {
      return generator_.write_together(sink, [this](std::size_t samples) { advance(samples); });
    });
  }

  Status write_by(const std::function<Status(TableSink&)>& make) {
    archive::WriterOptions options;
    options.flush_interval = Duration::zero();
    auto writer = archive::Writer::open(folder_, options, clock_);
    if (!writer) return forward(writer);
    if (Status made = make(**writer); !made) return made;
    return (*writer)->close();
  }

  void advance(std::size_t samples) {
    const std::lock_guard lock(mutex_);
    done_ += samples;
    const std::size_t all = generator_.spec().samples() * generator_.spec().site.arrays;
    progress_.update(static_cast<double>(done_) / static_cast<double>(all));
  }

  const scale::Generator& generator_;
  std::filesystem::path folder_;
  SystemClock clock_;
  std::mutex mutex_;
  cmd::Progress progress_;
  std::size_t done_ = 0;
  std::atomic<bool> failed_{false};
  Status status_;
};

std::string summary_text(const scale::Generator& generator, const std::string& out) {
  const scale::ScaleSpec& spec = generator.spec();
  const std::size_t incidents = generator.plan().incidents.size();
  std::string text =
      fmt::format("simulated {} of {}: {} servers, {} attachments, {} incident{}: {}\n",
                  to_text(std::chrono::seconds(spec.duration)), spec.site.name, spec.site.servers(),
                  spec.site.attachments(), incidents, incidents == 1 ? "" : "s", out);
  for (const scale::ScaleIncident& incident : generator.plan().incidents) {
    text += fmt::format("  {}  {} {}: {}\n", to_iso8601(spec.start + std::chrono::seconds(incident.start)),
                        to_name(incident.blame.kind), incident.blame.name, incident.description);
  }
  return text;
}

}  // namespace

void add_scale_options(CLI::App& command, ScaleOptions& options) {
  command
      .add_option(
          "--scale", options.site,
          "Instead of a small cluster the counters of a production site: intrepid (128 servers, 9,216 "
          "attachments), surveyor, or raid (eight arrays whose disks fail, with --workload ddr or ddw)")
      ->check(CLI::IsMember({"intrepid", "surveyor", "raid"}));
  command
      .add_option("--incident", options.incidents,
                  "With --scale: what goes wrong, repeatable: " + scale::all_incident_kinds())
      ->type_name("KIND");
  command.add_option("--incidents", options.random_incidents, "With --scale: so many of the seed's choice")
      ->type_name("N");
  command
      .add_option("--arrays", options.arrays,
                  "With --scale: so many arrays with their servers, instead of intrepid's 16 or surveyor's 1")
      ->check(CLI::Range(1, 2000))
      ->type_name("N");
  command.add_option("--interval", options.interval, "With --scale: between samples")
      ->type_name("TIME")
      ->capture_default_str();
  command.add_option("--day", options.day, "With --scale: the first day")
      ->type_name("DATE")
      ->capture_default_str();
  command.add_option("--threads", options.threads, "With --scale: arrays written at the same time")
      ->check(CLI::Range(1, 64))
      ->type_name("N")
      ->capture_default_str();
}

Status simulate_scale(const ScaleOptions& options) {
  auto spec = scale_spec(options);
  if (!spec) return forward(spec);
  const std::filesystem::path folder = options.out;
  if (Status empty = check_new_folder(folder); !empty) return empty;
  const scale::Generator generator(std::move(*spec));
  Recording recording(generator, folder);
  if (Status written = recording.write(options.threads); !written) return written;
  if (Status written = write_file(folder / kSystemFile, scale::system_toml(generator.spec().site));
      !written) {
    return written;
  }
  if (Status written = write_file(folder / kTruthFile, scale::to_json(generator.spec(), generator.plan()));
      !written) {
    return written;
  }
  return cmd::print(summary_text(generator, options.out));
}

}  // namespace laggard::lab
