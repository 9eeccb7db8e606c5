#include "lab/cmd/campaign.h"

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/workers.h"
#include "detect/peer/judge/threshold_book.h"
#include "lab/cluster/cluster.h"
#include "model/series_source.h"
#include "topology/system_file.h"

namespace laggard::lab {

namespace {

/// Training runs have separate seeds, so that nothing is scored on the runs that it was trained on.
constexpr std::uint64_t kTrainingSeeds = 1'000'000;

struct Planned {
  RunSpec run;
  std::size_t place = 0;
};

std::vector<RunSpec> training_runs(const CampaignSpec& campaign) {
  std::vector<RunSpec> runs;
  for (std::size_t i = 0; i < campaign.training_iterations; ++i) {
    for (const Workload workload : campaign.training_workloads) {
      RunSpec run;
      run.workload = workload;
      run.seed = kTrainingSeeds + campaign.first_seed + i * campaign.seed_step;
      run.start = start_of_run(runs.size());
      runs.push_back(run);
    }
  }
  return runs;
}

std::vector<RunSpec> scored_runs(const CampaignSpec& campaign, std::size_t after) {
  std::vector<RunSpec> runs;
  for (const FaultKind fault : campaign.faults) {
    // With one seed for all faults, an accident on a healthy server would be counted once for each of them.
    // The seed depends on the fault's own number, so that a run is the same in a campaign of fewer faults.
    const std::uint64_t before = fault.row() * campaign.iterations;
    for (const Workload workload : campaign.workloads) {
      for (std::size_t i = 0; i < campaign.iterations; ++i) {
        RunSpec run;
        run.workload = workload;
        run.fault = fault;
        run.seed = campaign.first_seed + (before + i) * campaign.seed_step;
        run.faulty_server = i * campaign.cluster.servers / campaign.iterations;
        run.start = start_of_run(after + runs.size());
        runs.push_back(run);
      }
    }
  }
  return runs;
}

std::unique_ptr<SeriesSource> record(const ClusterSpec& cluster, const RunSpec& run) {
  auto samples = std::make_unique<MemorySource>();
  // A sink in memory cannot fail.
  LAGGARD_CHECK(simulate(cluster, run, *samples).has_value());
  return samples;
}

/// Counts finished runs and keeps the first error.
class Foreman {
 public:
  Foreman(std::size_t all, const std::function<void(std::size_t, std::size_t)>& progress)
      : all_(all), progress_(progress) {}
  void finished() {
    const std::lock_guard lock(mutex_);
    progress_(++done_, all_);
  }
  void failed(Error error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  std::mutex mutex_;
  std::size_t all_;
  std::size_t done_ = 0;
  const std::function<void(std::size_t, std::size_t)>& progress_;
  std::optional<Error> error_;
};

Result<std::vector<detect::ThresholdBook>> train_methods(const CampaignSpec& campaign,
                                                         const std::vector<MethodSpec>& methods,
                                                         const SystemModel& system, std::size_t threads,
                                                         Foreman& foreman) {
  const std::vector<RunSpec> plan = training_runs(campaign);
  std::vector<std::unique_ptr<SeriesSource>> runs(plan.size());
  Workers(threads).run(plan.size(), [&](std::size_t i) {
    runs[i] = record(campaign.cluster, plan[i]);
    foreman.finished();
  });
  std::vector<detect::ThresholdBook> books(methods.size());
  Workers(threads).run(methods.size(), [&](std::size_t m) {
    if (!methods[m].trained) return;
    auto thresholds = train_on(methods[m], runs, &system);
    if (thresholds) {
      books[m] = detect::ThresholdBook(std::move(*thresholds));
    } else {
      foreman.failed(thresholds.error());
    }
  });
  if (foreman.error()) return tl::unexpected<Error>(*foreman.error());
  return books;
}

Result<CampaignRun> score(const ClusterSpec& cluster, const RunSpec& run,
                          const std::vector<MethodSpec>& methods, const SystemModel& system,
                          const std::vector<detect::ThresholdBook>& books) {
  CampaignRun scored;
  scored.truth = truth_of(cluster, run);
  const auto samples = record(cluster, run);
  for (std::size_t m = 0; m < methods.size(); ++m) {
    auto judgement = judge_run(methods[m], *samples, &system, books[m]);
    if (!judgement) return forward(judgement);
    scored.outcomes.push_back(judge(scored.truth, judgement->accusations));
    scored.judgements.push_back(std::move(*judgement));
  }
  return scored;
}

}  // namespace

CampaignSpec whole_campaign(const ClusterSpec& cluster) {
  CampaignSpec campaign;
  campaign.cluster = cluster;
  for (std::size_t i = 0; i < kPaperWorkloads; ++i) campaign.workloads.push_back(static_cast<Workload>(i));
  for (std::size_t i = 0; i < kPaperFaults; ++i) campaign.faults.emplace_back(i);
  return campaign;
}

Result<std::vector<CampaignRun>> run_campaign(const CampaignSpec& campaign,
                                              const std::vector<MethodSpec>& methods, std::size_t threads,
                                              const std::function<void(std::size_t, std::size_t)>& progress) {
  auto system = topology::parse_system(system_toml(campaign.cluster), "the simulated system");
  if (!system) return forward(system);
  const std::size_t training = training_runs(campaign).size();
  const std::vector<RunSpec> plan = scored_runs(campaign, training);
  Foreman foreman(training + plan.size(), progress);
  auto books = train_methods(campaign, methods, *system, threads, foreman);
  if (!books) return forward(books);
  std::vector<CampaignRun> runs(plan.size());
  Workers(threads).run(plan.size(), [&](std::size_t i) {
    auto scored = score(campaign.cluster, plan[i], methods, *system, *books);
    if (scored) {
      runs[i] = std::move(*scored);
    } else {
      foreman.failed(scored.error());
    }
    foreman.finished();
  });
  if (foreman.error()) return tl::unexpected<Error>(*foreman.error());
  return runs;
}

std::vector<ScoredRun> scored(const std::vector<CampaignRun>& runs, std::size_t method) {
  std::vector<ScoredRun> list;
  list.reserve(runs.size());
  for (const CampaignRun& run : runs) list.push_back({run.truth, run.outcomes[method]});
  return list;
}

}  // namespace laggard::lab
