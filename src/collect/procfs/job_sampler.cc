#include "collect/procfs/job_sampler.h"

#include <algorithm>
#include <set>
#include <span>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "collect/procfs/lustre_folders.h"
#include "collect/procfs/proc_tables.h"

namespace laggard::collect {

namespace {

namespace fs = std::filesystem;
/// Of one target; whoever comes later is left out until others are gone.
constexpr std::size_t kMostJobs = 20'000;
/// From the begin of one reading to that of the next, in times of what it took.
constexpr int kPause = 100;
/// Of a target's counters a job has those from here on.
constexpr std::size_t kFirstOperation = kTargetCounters - kMdtOperations;

std::vector<TableCounter> job_counters() {
  const std::vector<TableCounter> all = target_counters();
  return {all.begin() + static_cast<std::ptrdiff_t>(kFirstOperation), all.end()};
}

std::string_view without_quotes(std::string_view name) {
  if (name.size() >= 2 && name.front() == '"' && name.back() == '"') return name.substr(1, name.size() - 2);
  return name;
}

/// `open: { samples: 2, unit: usecs, … }`
void add_operation(std::string_view line, JobRequests& job) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const auto operation = mdt_operation(line.substr(0, colon));
  if (!operation) return;
  constexpr std::string_view kSamples = "samples:";
  const std::size_t samples = line.find(kSamples, colon);
  if (samples == std::string_view::npos) return;
  const std::string_view rest = trim(line.substr(samples + kSamples.size()));
  const auto count = to_number<std::uint64_t>(trim(rest.substr(0, rest.find_first_of(",}"))));
  if (count) job.requests.set(*operation, *count);
}

}  // namespace

std::vector<JobRequests> read_job_stats(std::string_view text) {
  constexpr std::string_view kJob = "- job_id:";
  std::vector<JobRequests> jobs;
  if (!trim(take_line(text)).starts_with("job_stats:")) return jobs;
  while (!text.empty()) {
    const std::string_view line = trim(take_line(text));
    if (line.starts_with(kJob)) {
      jobs.emplace_back().job = without_quotes(trim(line.substr(kJob.size())));
    } else if (!jobs.empty()) {
      add_operation(line, jobs.back());
    }
  }
  std::erase_if(jobs, [](const JobRequests& job) { return job.job.empty() || job.requests.present == 0; });
  return jobs;
}

std::unique_ptr<JobSampler> JobSampler::open(const fs::path& root, std::string host, Notices& notices) {
  const bool lustre = std::ranges::any_of(kLustreFolders, [&](const char* folder) {
    std::error_code error;
    return fs::exists(root / folder / "mdt", error);
  });
  if (!lustre) return nullptr;
  return std::unique_ptr<JobSampler>(new JobSampler(root, std::move(host), notices));
}

JobSampler::JobSampler(fs::path root, std::string host, Notices& notices)
    : root_(std::move(root)), notices_(&notices), batch_(std::move(host), DeviceKind::kJob, job_counters()) {}

void JobSampler::look_around() {
  targets_.clear();
  std::set<std::string> known;
  for (const char* lustre : kLustreFolders) {
    const fs::path folder = root_ / lustre / "mdt";
    for (const std::string& name : folders_in(folder)) {
      std::error_code error;
      const bool has_jobs = fs::exists(folder / name / "job_stats", error);
      if (has_jobs && known.insert(name).second) targets_.push_back(folder / name);
    }
  }
}

void JobSampler::add_jobs_of(const std::string& target, const fs::path& file) {
  const Result<std::string> text = read_file(file);
  if (!text) {
    // A target that has gone since the last look needs no notice.
    if (text.error().code != ErrorCode::kNotFound)
      notices_->once("jobs of " + target + " are not recorded for now: " + text.error().message());
    return;
  }
  std::vector<JobRequests> jobs = read_job_stats(*text);
  if (jobs.size() > kMostJobs) {
    notices_->once(target + " has more jobs than can be followed: they are recorded in part");
    jobs.resize(kMostJobs);
  }
  for (const JobRequests& job : jobs) {
    const Slot slot = batch_.add(target + "/" + job.job);
    std::ranges::copy(std::span(job.requests.values).subspan(kFirstOperation), batch_.cells(slot).begin());
    batch_.set_present(slot, job.requests.present >> kFirstOperation);
    ++present_;
  }
}

void JobSampler::sample(Clock& clock) {
  const MonoTime begin = clock.mono();
  if (begin >= look_at_) {
    look_at_ = begin + kLookEvery;
    look_around();
  }
  if (begin < sample_at_) return;
  present_ = 0;
  if (targets_.empty()) return;
  batch_.begin_row(sample_time(clock));
  for (const fs::path& target : targets_) add_jobs_of(target.filename().string(), target / "job_stats");
  sample_at_ = begin + kPause * (clock.mono() - begin);
}

}  // namespace laggard::collect
